// Parses the arguments of options that name shapes, ops, extents and durations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

// The presets, for messages.
inline constexpr const char* kShapePresets = "paper, quick, thesis";

// Shapes from what follows --shapes: a preset, a comma-separated list of MxNxK, or a file with one
// MxNxK a line (blank lines and lines that begin with # are skipped). A shape that is named twice
// counts once. Throws UsageError that names the argument, or file and line.
std::vector<GemmShape> parse_shapes(const std::string& argument);

// What to tune on: "auto", shapes of a design; such shapes, as above; or both: "auto,1000x20x3000".
struct ShapeChoice {
  bool design = false;
  std::vector<GemmShape> shapes;
};
ShapeChoice parse_shape_choice(const std::string& argument);

// One MxNxK; nullopt if it is none.
std::optional<GemmShape> parse_shape(const std::string& text);

// Operand combinations from a comma-separated list such as "nn,nt,tn"; TT is allowed where
// `allow_tt`.
std::vector<Op> parse_ops(const std::string& argument, bool allow_tt);

// Whole numbers from 1 from a comma-separated list, which follow the option; one that is named
// twice counts once. Throws UsageError.
std::vector<std::int64_t> parse_extents(const std::string& option, const std::string& argument);

// Seconds from "200ms", "90", "90s", "2m", "1h30m", which follow the option. Throws UsageError.
double parse_duration(const std::string& option, const std::string& argument);

}  // namespace tilewright
