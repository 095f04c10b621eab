// A place in a model file, for error messages; and checks that need one.
#pragma once

#include <fmt/format.h>

#include <string>
#include "runtime/models/network_files.hpp"

namespace tilewright {

// A file and a layer, node or key in it.
struct ModelPlace {
  std::string file;   // empty: the model is not from a file
  std::string place;  // empty: the whole file

  // Throws a ModelError. A long reason is cut: a shape may have a hundred thousand extents, and
  // each output that needs it has a copy of the reason.
  [[noreturn]] void fail(const std::string& reason) const {
    constexpr std::size_t kMaxLength = 2000;
    const bool is_long = reason.size() > kMaxLength;
    throw ModelError(file, place, is_long ? reason.substr(0, kMaxLength) + " ..." : reason);
  }

  // Returns a place inside this one.
  ModelPlace in(const std::string& inner) const {
    if (inner.empty()) return *this;
    return {file, place.empty() ? inner : fmt::format("{}, {}", place, inner)};
  }
};

// The maximal number of layers that share the same weights in a file. Each layer gets a copy, so
// without a limit a small malicious file could exhaust memory.
constexpr int kMaxLayersOfOneMatrix = 16;

// Calls check_network_model(). Errors contain `file`.
void check_network_model_from(const NetworkModel& model, const std::string& file);

}  // namespace tilewright
