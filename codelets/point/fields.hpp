// Builds the rows of a generator's table of parameters (see Field in parameter_point.hpp).
//
// Internal to codelets.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <utility>

#include "codelets/point/parameter_point.hpp"

namespace tilewright {

// The tables of the six codelets, in the order in which points are printed.
std::vector<Field> gemm_fields();
std::vector<Field> gemv_fields();
std::vector<Field> pack_fields();
std::vector<Field> reduce_fields();
std::vector<Field> activation_fields();
std::vector<Field> softmax_fields();

// The values of a parameter, each with its text.
template <class Value>
using Words = std::vector<std::pair<Value, std::string>>;

// A parameter that is stored in the member `Member` of `Point` and takes the given values.
template <class Point, auto Member, class Value>
Field field(std::string_view name, std::string_view tag, std::string_view meaning,
            Words<Value> words) {
  Field field;
  field.name = name;
  field.tag = tag;
  field.meaning = meaning;
  for (const auto& word : words) field.values.push_back(word.second);
  field.index = [words](const ParameterPoint& point) -> std::optional<std::size_t> {
    const Value& value = std::get<Point>(point).*Member;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].first == value) return i;
    }
    return std::nullopt;
  };
  field.set = [words](ParameterPoint& point, std::size_t i) {
    std::get<Point>(point).*Member = words.at(i).first;
  };
  field.text = [words, name](const ParameterPoint& point) {
    const Value& value = std::get<Point>(point).*Member;
    for (const auto& word : words) {
      if (word.first == value) return word.second;
    }
    throw std::invalid_argument(std::string(name) + " has an invalid value");
  };
  field.parse = [words](ParameterPoint& point, std::string_view text) {
    for (const auto& word : words) {
      if (word.second != text) continue;
      std::get<Point>(point).*Member = word.first;
      return true;
    }
    return false;
  };
  return field;
}

// A parameter with the given numbers as values; the text of a value is the number.
template <class Point, auto Member>
Field number_field(std::string_view name, std::string_view tag, std::string_view meaning,
                   std::initializer_list<int> values) {
  Words<int> words;
  for (const int value : values) words.emplace_back(value, std::to_string(value));
  return field<Point, Member>(name, tag, meaning, std::move(words));
}

// A parameter with the values no and yes.
template <class Point, auto Member>
Field flag_field(std::string_view name, std::string_view tag, std::string_view meaning) {
  return field<Point, Member>(name, tag, meaning, Words<bool>{{false, "no"}, {true, "yes"}});
}

// A parameter whose value is a layout. A search tries the listed layouts; a point may name any
// other.
template <class Point, auto Member>
Field layout_field(std::string_view name, std::string_view tag, std::string_view meaning,
                   std::initializer_list<const char*> layouts) {
  Words<Layout> words;
  for (const char* text : layouts) {
    const Layout layout = *parse_layout(text);
    words.emplace_back(layout, layout_name(layout));
  }
  Field layout_field = field<Point, Member>(name, tag, meaning, std::move(words));
  layout_field.text = [](const ParameterPoint& point) {
    return layout_name(std::get<Point>(point).*Member);
  };
  layout_field.parse = [](ParameterPoint& point, std::string_view text) {
    const std::optional<Layout> layout = parse_layout(text);
    if (layout) std::get<Point>(point).*Member = *layout;
    return layout.has_value();
  };
  return layout_field;
}

// Return the field with the attribute of the same name set (see Field).
inline Field required_field(Field field) {
  field.required = true;
  return field;
}

inline Field late(Field field) {
  field.late = true;
  return field;
}

inline Field always_named(Field field) {
  field.always_named = true;
  return field;
}

// Parameters that several generators have in common.
template <class Enum, std::size_t size>
Words<Enum> enum_words(const Enum (&values)[size]) {
  Words<Enum> words;
  for (const Enum value : values) words.emplace_back(value, to_text(value));
  return words;
}

template <class Point>
Field multiply_add_field() {
  return field<Point, &Point::multiply_add>("multiply_add", "", "multiply-add form",
                                            enum_words(kMultiplyAdds));
}

// Each value with its word in the text format of profiles.
template <class Enum>
Words<Enum> profile_words(std::span<const Enum> values) {
  Words<Enum> words;
  for (const Enum value : values) words.emplace_back(value, std::string(to_text(value)));
  return words;
}

template <class Enum>
Words<Enum> profile_words(std::initializer_list<Enum> values) {
  return profile_words(std::span<const Enum>(values.begin(), values.size()));
}

template <class Point>
Field exp_field() {
  return late(field<Point, &Point::exp>("exp", "exp_", "exp(), native_exp() or half_exp()",
                                        enum_words(kExponentials)));
}

// kFast is tried only on request: with -cl-fast-relaxed-math a compiler may assume that there are
// no NaNs. Tests with some NaNs cannot prove that it keeps all of them.
template <class Point>
Field math_field() {
  Field math = late(field<Point, &Point::math>(
      "math", "math_", "math build option: none, -cl-mad-enable or -cl-fast-relaxed-math",
      enum_words(kMaths)));
  math.on_request = {to_text(Math::kFast)};
  return math;
}

template <class Point>
Field group_size_field() {
  return late(field<Point, &Point::group_size>(
      "group_size", "size_",
      "work-group size: required at compile time, a hint to the compiler, or chosen by the driver",
      enum_words(kGroupSizes)));
}

// The precision appears in a kernel's name only as its first letter.
template <class Point>
Field precision_field() {
  return required_field(field<Point, &Point::precision>(
      "precision", "", "element type: s single, d double, h half (with single-precision sums)",
      profile_words(std::span<const Precision>(kPrecisions))));
}

template <class Point>
Field bias_field() {
  return required_field(field<Point, &Point::bias>(
      "bias", "bias_", "bias to add: one per row (m) or per column (n) of C",
      profile_words({Dimension::kNone, Dimension::kM, Dimension::kN})));
}

template <class Point>
Field activation_field() {
  return required_field(field<Point, &Point::activation>(
      "activation", "act_", "activation to apply before the result is stored",
      profile_words(std::span<const Activation>(kElementwiseActivations))));
}

}  // namespace tilewright
