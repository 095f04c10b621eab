// Which choices make one GEMM kernel?
//
// A ParameterPoint gives every parameter of the GEMM codelet a value. All that is done with
// parameters in general (printing, parsing, comparing, enumerating, documenting) is derived from
// one table, fields(): a new parameter is a member here, a row there, its rules in validity.cpp and
// its place in the emitter.
#pragma once

#include <compare>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// How the innermost multiply-adds are arranged.
enum class Inner {
  kOuter,    // rank-1 updates: vectors of C along n, one element of A times a vector of B
  kDot,      // inner products along k with dot(): scalars of C
  kPartial,  // inner products along k: each element of C is a vector of partial sums, folded at the
             // end
};

// How a multiply-add is spelled; compilers and devices differ in what they make of it.
enum class MultiplyAdd {
  kExpression,  // a * b + c, contracted or not as the compiler likes
  kMad,         // mad(a, b, c)
  kFma,         // fma(a, b, c): one instruction where there is one, very slow emulation elsewhere
};

struct ParameterPoint {
  Op op = Op::kNN;       // operands; TT is served by packing
  int tile_m = 1;        // rows of C per work-item
  int tile_n = 1;        // columns of C per work-item
  int tile_k = 1;        // k steps per turn of the loop, unrolled
  int vector_width = 1;  // floats per vector of C (outer) or of k (dot, partial)
  int work_group_m = 1;  // work-items of a work-group along m
  int work_group_n = 1;  // work-items of a work-group along n
  IdOrder id_order = IdOrder::kNM;
  Inner inner = Inner::kOuter;
  MultiplyAdd multiply_add = MultiplyAdd::kExpression;
};

// One value that a parameter can take, with its word in text.
struct FieldValue {
  int value;
  std::string text;
};

// One parameter: its name everywhere (C++, provenance line, profile, docs), its meaning, its values
// in order from the simplest, and access to it.
struct Field {
  std::string_view name;
  std::string_view meaning;
  std::vector<FieldValue> values;
  int (*get)(const ParameterPoint&);
  void (*set)(ParameterPoint&, int);
};

// The table; the order of the rows is the order of text and of comparison.
const std::vector<Field>& fields();

// Position of the point's value among the field's values. Throws std::invalid_argument for a value
// that the field does not have.
std::size_t value_index(const Field&, const ParameterPoint&);

// Order: field by field, each by the order of its values; so the smaller point is the simpler one.
std::strong_ordering operator<=>(const ParameterPoint&, const ParameterPoint&);
bool operator==(const ParameterPoint&, const ParameterPoint&);

// "op=NN tile_m=4 ...": every parameter, in the table's order.
std::string to_text(const ParameterPoint&);

// A parameter text that is wrong; what() names the parameter and what it may be.
class ParameterError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Sets one parameter from "name=value". Throws ParameterError.
void set_parameter(ParameterPoint&, std::string_view assignment);

// Reads what to_text wrote; parameters that are not named keep their defaults. A parameter named
// twice is an error. Throws ParameterError.
ParameterPoint parse_point(std::string_view text);

// The point's coordinates as an identifier, e.g. "sgemm_nn_8x48x4_v16_wg1x1_nm_outer_fma": the name
// of the kernel in profile, journal, log and test.
std::string kernel_name(const ParameterPoint&);

}  // namespace tilewright
