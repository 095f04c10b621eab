// Reads the network that an argument of the command line names.
#pragma once

#include <string>
#include <vector>

#include <tilewright/mlp_files.hpp>
#include <tilewright/mlp_model.hpp>

namespace tilewright {

// Help text of a network argument.
inline constexpr const char* kNetHelp =
    "Network: a file (.onnx or .json), or preset:NAME, an example network with random weights "
    "(full-mnist, full-cifar, partial-mnist, partial-cifar, sigmoid-mnist)";

// A net from a file, or of "preset:NAME" (seed 1). Appends the paths of all files that it was read
// from to `files`, unless that is null. Throws UsageError for another preset, ModelError
// for a file that cannot be read or run.
MlpModel choose_net(const std::string& argument, std::vector<std::string>* files = nullptr,
                    MlpReading reading = MlpReading::kForSpeed);

}  // namespace tilewright
