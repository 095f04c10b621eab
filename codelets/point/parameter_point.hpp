// Points: what they are, and how they are printed, parsed and named.
//
// A point assigns a value to every parameter of one codelet (kernel generator). Everything that
// treats parameters generically (printing, parsing, naming, enumerating, documenting) is derived
// from one table per codelet, fields(). A new parameter needs a member of the codelet's struct, a
// row in its table, its rules, and code in its generator.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "codelets/point/activation_point.hpp"
#include "codelets/point/gemm_point.hpp"
#include "codelets/point/gemv_point.hpp"
#include "codelets/point/pack_point.hpp"
#include "codelets/point/reduce_point.hpp"
#include "codelets/point/softmax_point.hpp"

namespace tilewright {

// A point of any codelet.
using ParameterPoint =
    std::variant<GemmPoint, GemvPoint, PackPoint, ReducePoint, ActivationPoint, SoftmaxPoint>;

// The codelets, in the order of the alternatives of ParameterPoint.
enum class Codelet { kGemm, kGemv, kPack, kReduce, kActivation, kSoftmax };
inline constexpr Codelet kCodelets[] = {Codelet::kGemm,   Codelet::kGemv,       Codelet::kPack,
                                        Codelet::kReduce, Codelet::kActivation, Codelet::kSoftmax};
std::string_view to_text(Codelet);  // "gemm", "gemv" ...
Codelet point_codelet(const ParameterPoint&);
// The simplest point of a codelet: every parameter has its first value.
ParameterPoint first_point(Codelet);

// Description of one parameter, with functions to access it in a point.
struct Field {
  // Its name in C++, in the text of points, in profiles and in the documentation.
  std::string_view name;
  std::string_view tag;      // prefix of its value in kernel names
  std::string_view meaning;  // explanation, as a clause
  // Set by the caller (type, epilogue, layouts except gemm's layout_a and layout_b), not searched.
  bool required = false;
  // A search varies this parameter late, starting from points that are already good. When points
  // are drawn, listed or counted, the parameter keeps its first value unless a restriction names
  // it.
  bool late = false;
  // Values of the parameter that a search tries only if SpaceOptions::only names them.
  std::vector<std::string> on_request = {};
  bool always_named = false;        // appears in kernel names even with its first value
  std::vector<std::string> values;  // simplest first; the first one is the default

  // Position of the point's value in `values`; nullopt for a legal value that is not listed (any
  // layout can be named).
  std::function<std::optional<std::size_t>(const ParameterPoint&)> index;
  std::function<void(ParameterPoint&, std::size_t)> set;
  std::function<std::string(const ParameterPoint&)> text;
  // Parses `text` and sets the parameter. Returns false if `text` is not one of its values.
  std::function<bool(ParameterPoint&, std::string_view)> parse;
};

// The parameters of a codelet.
const std::vector<Field>& fields(Codelet);

// "gemm tile_m=4 ...": the codelet, followed by the parameters that do not have their first values,
// in the order of the table.
std::string to_text(const ParameterPoint&);

// A point's text is invalid; what() names the parameter and its valid values.
class ParameterError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// The point's precision, and the point with another precision. A point without this parameter
// counts as single precision and is returned unchanged.
Precision point_precision(const ParameterPoint&);
ParameterPoint with_precision(ParameterPoint, Precision);

// The same point without an epilogue: no bias and no activation.
ParameterPoint without_epilogue(ParameterPoint);

// Parses the output of to_text(). Parameters that are not named get their first values; without a
// codelet the point is a gemm point. `op=NT` is an abbreviation for the two plain layouts. Throws
// ParameterError, also if a parameter is named twice.
ParameterPoint parse_point(std::string_view text);

// Identifier of the point, e.g. "sgemm_R_C_m2_n2_k4_v4_dot". It names the kernel in profiles,
// journals, logs and tests. Different points have different names.
std::string kernel_name(const ParameterPoint&);

}  // namespace tilewright
