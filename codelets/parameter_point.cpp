#include "codelets/parameter_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <sstream>

namespace tilewright {
namespace {

template <auto Member>
Field field(std::string_view name, std::string_view meaning, std::vector<FieldValue> values) {
  using Value = std::remove_reference_t<decltype(std::declval<ParameterPoint&>().*Member)>;
  return {name, meaning, std::move(values),
          [](const ParameterPoint& point) { return static_cast<int>(point.*Member); },
          [](ParameterPoint& point, int value) { point.*Member = static_cast<Value>(value); }};
}

std::vector<FieldValue> numbers(std::initializer_list<int> values) {
  std::vector<FieldValue> result;
  for (const int value : values) result.push_back({value, std::to_string(value)});
  return result;
}

template <class Enum>
FieldValue word(Enum value, std::string text) {
  return {static_cast<int>(value), std::move(text)};
}

std::vector<Field> make_fields() {
  return {
      field<&ParameterPoint::op>("op", "which operands are stored transposed (row-major BLAS)",
                                 {word(Op::kNN, "NN"), word(Op::kNT, "NT"), word(Op::kTN, "TN")}),
      field<&ParameterPoint::tile_m>("tile_m", "rows of C per work-item",
                                     numbers({1, 2, 3, 4, 6, 8, 12, 16})),
      field<&ParameterPoint::tile_n>("tile_n", "columns of C per work-item",
                                     numbers({1, 2, 3, 4, 6, 8, 16, 32, 48, 64})),
      field<&ParameterPoint::tile_k>("tile_k", "k steps per turn of the loop, unrolled",
                                     numbers({1, 2, 4, 8, 16})),
      field<&ParameterPoint::vector_width>("vector_width",
                                           "floats per vector: along n (outer) or k (dot, partial)",
                                           numbers({1, 2, 4, 8, 16})),
      field<&ParameterPoint::work_group_m>("work_group_m", "work-items of a work-group along m",
                                           numbers({1, 2, 4, 8, 16, 32, 64})),
      field<&ParameterPoint::work_group_n>("work_group_n", "work-items of a work-group along n",
                                           numbers({1, 2, 4, 8, 16, 32, 64})),
      field<&ParameterPoint::id_order>("id_order", "nm: global id 0 runs along n; mn: along m",
                                       {word(IdOrder::kNM, "nm"), word(IdOrder::kMN, "mn")}),
      field<&ParameterPoint::inner>("inner", "arrangement of the innermost multiply-adds",
                                    {word(Inner::kOuter, "outer"), word(Inner::kDot, "dot"),
                                     word(Inner::kPartial, "partial")}),
      field<&ParameterPoint::multiply_add>(
          "multiply_add", "spelling of a multiply-add",
          {word(MultiplyAdd::kExpression, "expression"), word(MultiplyAdd::kMad, "mad"),
           word(MultiplyAdd::kFma, "fma")}),
  };
}

std::string allowed_values(const Field& field) {
  std::vector<std::string_view> texts;
  for (const FieldValue& value : field.values) texts.push_back(value.text);
  return fmt::format("{}", fmt::join(texts, ", "));
}

const Field& field_of(std::string_view name) {
  for (const Field& field : fields()) {
    if (field.name == name) return field;
  }
  std::vector<std::string_view> names;
  for (const Field& field : fields()) names.push_back(field.name);
  throw ParameterError(
      fmt::format("no parameter is named '{}'; there are {}", name, fmt::join(names, ", ")));
}

const std::string& value_text(const Field& field, const ParameterPoint& point) {
  return field.values[value_index(field, point)].text;
}

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> table = make_fields();
  return table;
}

std::size_t value_index(const Field& field, const ParameterPoint& point) {
  const int value = field.get(point);
  const auto found = std::find_if(field.values.begin(), field.values.end(),
                                  [&](const FieldValue& v) { return v.value == value; });
  if (found == field.values.end()) {
    throw std::invalid_argument(fmt::format("{} cannot be {}", field.name, value));
  }
  return static_cast<std::size_t>(found - field.values.begin());
}

std::strong_ordering operator<=>(const ParameterPoint& a, const ParameterPoint& b) {
  for (const Field& field : fields()) {
    const auto order = value_index(field, a) <=> value_index(field, b);
    if (order != 0) return order;
  }
  return std::strong_ordering::equal;
}

bool operator==(const ParameterPoint& a, const ParameterPoint& b) {
  return (a <=> b) == 0;
}

std::string to_text(const ParameterPoint& point) {
  std::vector<std::string> words;
  for (const Field& field : fields()) {
    words.push_back(fmt::format("{}={}", field.name, value_text(field, point)));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

void set_parameter(ParameterPoint& point, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw ParameterError(fmt::format("'{}' is not of the form name=value", assignment));
  }
  const Field& field = field_of(assignment.substr(0, equals));
  const std::string_view text = assignment.substr(equals + 1);
  for (const FieldValue& value : field.values) {
    if (value.text == text) return field.set(point, value.value);
  }
  throw ParameterError(
      fmt::format("{} cannot be '{}'; it may be {}", field.name, text, allowed_values(field)));
}

ParameterPoint parse_point(std::string_view text) {
  ParameterPoint point;
  std::set<std::string> seen;
  std::istringstream words{std::string(text)};
  for (std::string assignment; words >> assignment;) {
    set_parameter(point, assignment);
    const std::string name = assignment.substr(0, assignment.find('='));
    if (!seen.insert(name).second) throw ParameterError(fmt::format("{} is set twice", name));
  }
  return point;
}

std::string kernel_name(const ParameterPoint& p) {
  const auto text = [&](std::string_view name) { return value_text(field_of(name), p); };
  std::string op = text("op");
  std::transform(op.begin(), op.end(), op.begin(), [](char c) { return c == 'N' ? 'n' : 't'; });
  return fmt::format("sgemm_{}_{}x{}x{}_v{}_wg{}x{}_{}_{}_{}", op, p.tile_m, p.tile_n, p.tile_k,
                     p.vector_width, p.work_group_m, p.work_group_n, text("id_order"),
                     text("inner"), text("multiply_add"));
}

}  // namespace tilewright
