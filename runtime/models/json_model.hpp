// How does a net become the JSON definition of the low-power neural network thesis, and the
// definition a net?
//
// Thesis, Figures 5.1 and 5.3: a list of layers; affine layers name the definitions of two
// matrices, which name the files of numbers. There a layer computes R = W I + b with a sample in
// each column: W is outputs x inputs, the transpose of AffineLayer::weights, and b outputs x 1.
#pragma once

#include <string>

#include <tilewright/mlp_model.hpp>

namespace tilewright {

// As read_mlp_model() and write_mlp_model() for NAME.json.
MlpModel read_json_model(const std::string& path);
void write_json_model(const MlpModel& model, const std::string& path);

// The layers beside AffineLayer: what "layer" says, and what it means.
struct JsonActivation {
  const char* name;
  MlpActivation activation;
};
inline constexpr JsonActivation kJsonActivations[] = {
    {"SigmoidLayer", MlpActivation::kSigmoid},     {"ReLULayer", MlpActivation::kRelu},
    {"TanhLayer", MlpActivation::kTanh},           {"SoftmaxLayer", MlpActivation::kSoftmax},
    {"LeakyReLULayer", MlpActivation::kLeakyRelu}, {"IdentityLayer", MlpActivation::kIdentity},
};

}  // namespace tilewright
