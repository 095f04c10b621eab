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

// A number of a layer: its key, the member that it is, and what it is if left out.
struct JsonNumber {
  const char* key = nullptr;  // null: none
  float ActivationLayer::*member = nullptr;
  float otherwise = 0.0f;
};

// The layers beside AffineLayer: what "layer" says, what it means, and its numbers.
struct JsonActivation {
  const char* name;
  MlpActivation activation;
  JsonNumber numbers[2] = {};
};
inline constexpr JsonActivation kJsonActivations[] = {
    {"SigmoidLayer", MlpActivation::kSigmoid},
    {"ReLULayer", MlpActivation::kRelu},
    {"TanhLayer", MlpActivation::kTanh},
    {"SoftmaxLayer", MlpActivation::kSoftmax},
    {"LeakyReLULayer", MlpActivation::kLeakyRelu, {{"slope", &ActivationLayer::slope, 0.01f}}},
    {"IdentityLayer", MlpActivation::kIdentity},
    {"ELULayer", MlpActivation::kElu, {{"slope", &ActivationLayer::slope, 1.0f}}},
    {"SELULayer", MlpActivation::kSelu},
    {"SoftplusLayer", MlpActivation::kSoftplus},
    {"HardSigmoidLayer",
     MlpActivation::kHardSigmoid,
     {{"slope", &ActivationLayer::slope, 1.0f / 6.0f}, {"shift", &ActivationLayer::shift, 0.5f}}},
    {"HardSwishLayer", MlpActivation::kHardSwish},
    {"ClipLayer",
     MlpActivation::kClip,
     {{"low", &ActivationLayer::low, 0.0f}, {"high", &ActivationLayer::high, 6.0f}}},
    {"GELULayer", MlpActivation::kGelu},
    {"GELUTanhLayer", MlpActivation::kGeluTanh},
    {"LogSoftmaxLayer", MlpActivation::kLogSoftmax},
};

}  // namespace tilewright
