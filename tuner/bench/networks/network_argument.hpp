// Reads the network of a command-line argument.
#pragma once

#include <string>
#include <vector>

#include "runtime/models/network_files.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// Help text of a network argument.
inline constexpr const char* kNetworkHelp =
    "Network: a file (.onnx or .json), or preset:NAME, an example network with random weights "
    "(full-mnist, full-cifar, partial-mnist, partial-cifar, sigmoid-mnist)";

// Reads a network from a file, or makes that of "preset:NAME" (seed 1). If `files` is not null, the
// paths of all files that were read are appended. `outputs`: see read_network_model(). Throws
// UsageError for an unknown preset, ModelError for a file that cannot be read or run.
NetworkModel read_network_argument(const std::string& argument,
                                   std::vector<std::string>* files = nullptr,
                                   NetworkReading reading = NetworkReading::kForSpeed,
                                   const std::vector<std::string>& outputs = {});

// Returns the model with the output that --output-name names, or with the first one if the name is
// empty. Throws UsageError.
NetworkModel with_output(const NetworkModel& model, const std::string& name);

}  // namespace tilewright
