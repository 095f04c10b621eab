// Which net does the user mean?
#pragma once

#include <string>

#include <tilewright/mlp_model.hpp>

namespace tilewright {

// For help texts.
inline constexpr const char* kNetHelp =
    "net: a file (.onnx, .json), or preset:NAME, one of the thesis' with random weights: "
    "full-mnist, full-cifar, partial-mnist, partial-cifar, "
    "sigmoid-mnist";

// A net from a file, or of "preset:NAME" (seed 1). Throws UsageError for another preset, ModelError
// for a file that cannot be read or run.
MlpModel choose_net(const std::string& argument);

}  // namespace tilewright
