// Parses the arguments of options that name shapes, ops, extents and durations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/kernel_record.hpp"
#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

// Names of the presets, for messages.
inline constexpr const char* kShapePresets = "paper, quick, thesis";

// Parses the argument of --shapes: a preset, a comma-separated list of MxNxK, or a file with one
// MxNxK per line (blank lines and lines that start with # are skipped). Duplicates are removed.
// Throws UsageError that names the argument, or the file and line.
std::vector<GemmShape> parse_shapes(const std::string& argument);

// The shapes to tune for: those of a design ("auto"), given shapes as above, or both
// ("auto,1000x20x3000").
struct ShapeChoice {
  bool design = false;
  std::vector<GemmShape> shapes;
};
ShapeChoice parse_shape_choice(const std::string& argument);

// Parses a comma-separated list of transpose combinations such as "nn,nt,tn". TT is accepted only
// if `allow_tt` is true. Throws UsageError.
std::vector<Op> parse_ops(const std::string& argument, bool allow_tt);

// Parses a comma-separated list of positive whole numbers. Duplicates are removed. `option` is the
// name of the option for messages. Throws UsageError.
std::vector<std::int64_t> parse_extents(const std::string& option, const std::string& argument);

// Parses a duration such as "200ms", "90", "90s", "2m" or "1h30m" and returns seconds. `option` is
// the name of the option for messages. Throws UsageError.
double parse_duration(const std::string& option, const std::string& argument);

}  // namespace tilewright
