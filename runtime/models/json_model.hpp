// How does a net become the JSON definition of the low-power neural network thesis, and the
// definition a net?
//
// Thesis, Figures 5.1 and 5.3: a list of layers; affine layers name the definitions of two
// matrices, which name the files of numbers. There a layer computes R = W I + b with a sample in
// each column: W is outputs x inputs, the transpose of AffineLayer::weights, and b outputs x 1.
#pragma once

#include <string>
#include <vector>

#include <tilewright/mlp_model.hpp>

namespace tilewright {

// As read_mlp_model(), write_mlp_model() and written_mlp_files() for NAME.json. `files` gets the
// paths of the other files that are read.
MlpModel read_json_model(const std::string& path, std::vector<std::string>& files);
std::vector<std::string> written_json_files(const MlpModel& model, const std::string& path);
void write_json_model(const MlpModel& model, const std::string& path);

}  // namespace tilewright
