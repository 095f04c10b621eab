// What is a point, and how is it written, read and named?
//
// A point gives every parameter of one codelet a value. All that is done with parameters in general
// (printing, parsing, naming, enumerating, documenting) is derived from one table per codelet,
// fields(): a new parameter is a member of the codelet's struct, a row of its table, its rules, and
// its place in the emitter.
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

using ParameterPoint =
    std::variant<GemmPoint, GemvPoint, PackPoint, ReducePoint, ActivationPoint, SoftmaxPoint>;

// The codelets, in the order of the alternatives of ParameterPoint.
enum class Codelet { kGemm, kGemv, kPack, kReduce, kActivation, kSoftmax };
inline constexpr Codelet kCodelets[] = {Codelet::kGemm,   Codelet::kGemv,       Codelet::kPack,
                                        Codelet::kReduce, Codelet::kActivation, Codelet::kSoftmax};
std::string_view to_text(Codelet);  // "gemm" ...
Codelet codelet_of(const ParameterPoint&);
// The simplest point of a codelet: the first value of every parameter.
ParameterPoint first_point(Codelet);

// One parameter.
struct Field {
  std::string_view name;     // everywhere: C++, text of points, profile, docs
  std::string_view tag;      // before its value in kernel names
  std::string_view meaning;  // a clause
  // Demanded by who asks for a kernel (layouts, epilogue), not chosen by a search.
  bool demanded = false;
  // A search comes to it late: it tries it on points that are good already, and draws, lists and
  // counts points with its first value only, unless a restriction names it.
  bool late = false;
  // Of its values, those that are tried only if a restriction names them.
  std::vector<std::string> on_request = {};
  bool always_named = false;        // in kernel names also with its first value
  std::vector<std::string> values;  // in order from the simplest; the first is the default

  // Position of the point's value among `values`; nullopt for one that is legal but not listed
  // (layouts are open).
  std::function<std::optional<std::size_t>(const ParameterPoint&)> index;
  std::function<void(ParameterPoint&, std::size_t)> set;
  std::function<std::string(const ParameterPoint&)> text;
  // False if the text is no value of the parameter.
  std::function<bool(ParameterPoint&, std::string_view)> parse;
};

// The table of a codelet.
const std::vector<Field>& fields(Codelet);

// "gemm tile_m=4 ...": the codelet and, in the table's order, the parameters that do not have their
// first value.
std::string to_text(const ParameterPoint&);

// A parameter text that is wrong; what() names the parameter and what it may be.
class ParameterError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Of points without that parameter: single. They are left as they are.
Precision precision_of(const ParameterPoint&);
ParameterPoint with_precision(ParameterPoint, Precision);

// The point that is the same but for what is done with a result on its way: no bias, no activation.
ParameterPoint without_epilogue(ParameterPoint);

// Reads what to_text wrote: parameters that are not named have their first values, and where no
// codelet is named it is gemm. A parameter named twice is an error. `op=NT` stands for the two
// plain layouts. Throws ParameterError.
ParameterPoint parse_point(std::string_view text);

// The point's coordinates as an identifier, e.g. "sgemm_R_C_m2_n2_k4_v4_dot": the name of the
// kernel in profile, journal, log and test. Different points have different names.
std::string kernel_name(const ParameterPoint&);

}  // namespace tilewright
