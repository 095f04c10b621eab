// Where in a model's files is something wrong?
#pragma once

#include <fmt/format.h>

#include <string>
#include <tilewright/mlp_files.hpp>

namespace tilewright {

// A file and a layer, node or key in it, for errors.
struct ModelPlace {
  std::string file;   // empty: the model is from no file
  std::string place;  // empty: the file as a whole

  [[noreturn]] void fail(const std::string& reason) const { throw ModelError(file, place, reason); }

  // A place inside of this one.
  ModelPlace in(const std::string& inner) const {
    return {file, place.empty() ? inner : fmt::format("{}, {}", place, inner)};
  }
};

// A file that hostile hands made small can name the same weights again and again, and each layer
// holds its own: so many layers may share them, and no more.
constexpr int kMaxLayersOfOneMatrix = 16;

// check_mlp_model() for a model from `file`.
void check_mlp_model_from(const MlpModel& model, const std::string& file);

}  // namespace tilewright
