// Reads and writes models in the ONNX format (github.com/onnx/onnx, docs/IR.md and Operators.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// Reads a model, which check_network_model() accepts, from the bytes of a file. Fails if they name
// other files. `outputs`: see read_network_model().
NetworkModel parse_onnx_model(std::string_view bytes, const std::vector<std::string>& outputs);

// Implement read_network_model() and write_network_model() for NAME.onnx. The paths of other files
// that are read (external data) are appended to `files`.
NetworkModel read_onnx_model(const std::string& path, const std::vector<std::string>& outputs,
                             std::vector<std::string>& files);
void write_onnx_model(const NetworkModel& model, const std::string& path);

}  // namespace tilewright
