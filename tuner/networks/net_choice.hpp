// Which net does the user mean, and of which elements?
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include <tilewright/mlp_model.hpp>
#include "profiles/precision.hpp"

namespace tilewright {

// For help texts.
inline constexpr const char* kNetHelp =
    "net: a file (.onnx, .json), or preset:NAME, one of the thesis' with random weights: "
    "full-mnist, full-cifar, partial-mnist, partial-cifar, "
    "sigmoid-mnist";

// A net from a file, or of "preset:NAME" (seed 1). Appends the paths of all files that it was read
// from to `files`, unless that is null. Throws UsageError for another preset, ModelError
// for a file that cannot be read or run.
MlpModel choose_net(const std::string& argument, std::vector<std::string>* files = nullptr);

// --precision: s or h; and what it says. Throws UsageError.
CLI::Option* add_net_precision_option(CLI::App& command, std::string& value);
Precision net_precision_of(const std::string& value);

}  // namespace tilewright
