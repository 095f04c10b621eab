// Reads and writes models in the JSON format of Rovder's thesis.
//
// Format (thesis, Figures 5.1 and 5.3): a list of layers. An affine layer refers to the definitions
// of two matrices, which refer to files with the numbers. In the thesis a layer computes
// R = W I + b with one sample per column: W is outputs x inputs, the transpose of
// AffineLayer::weights, and b is outputs x 1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// Returns true if the bytes are the start of JSON text and not of an ONNX file.
bool is_json_text(std::string_view bytes);

// Reads a model from text. All its matrices must be in the text.
NetworkModel parse_json_model(std::string_view text);

// Implement read_network_model(), written_network_files() and write_network_model() for NAME.json.
// The paths of the other files that are read are appended to `files`.
NetworkModel read_json_model(const std::string& path, std::vector<std::string>& files);
std::vector<std::string> written_json_files(const NetworkModel& model, const std::string& path);
void write_json_model(const NetworkModel& model, const std::string& path);

}  // namespace tilewright
