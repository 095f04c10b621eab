#include "profiles/type_prelude.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {
namespace {

constexpr int kWidths[] = {1, 2, 4, 8, 16};
constexpr std::string_view kDefine = "#define ";

// The definitions of a name, for one element and for vectors of `n` elements; empty if there is
// none.
struct TypeName {
  std::string_view name;
  std::string_view arguments;
  std::string_view element;
  std::string_view vector;
  std::string_view half_element;
  std::string_view half_vector;  // starts with a line feed if it is the body of a function
};

// A whole vector of half precision is loaded and stored as its bits, because some compilers emit
// four accesses for vloada_half4().
constexpr TypeName kNames[] = {
    {"REAL", "", "{type}", "{type}{n}", "float", "float{n}"},
    {"ELEMENT", "", "{type}", "", "half", ""},
    {"ELEMENT_BYTES", "", "{bytes}", "", "{bytes}", ""},
    {"LOAD", "(p)", "*(p)", "vload{n}(0, p)", "vload_half(0, p)", "vload_half{n}(0, p)"},
    {"STORE", "(x, p)", "*(p) = x", "vstore{n}(x, 0, p)", "vstore_half_rte(x, 0, p)",
     "vstore_half{n}_rte(x, 0, p)"},
    {"LOAD_ALIGNED", "(p)", "", "*(__global const {type}{n} *)(p)", "",
     "\nfloat{n} LOAD_ALIGNED{n}(__global const half *p)\n{{\n"
     "  const ushort{n} bits = *(__global const ushort{n} *)p;\n"
     "  return vload_half{n}(0, (const half *)&bits);\n}}"},
    {"STORE_ALIGNED", "(x, p)", "", "*(__global {type}{n} *)(p) = x", "",
     "\nvoid STORE_ALIGNED{n}(const float{n} x, __global half *p)\n{{\n"
     "  ushort{n} bits;\n"
     "  vstore_half{n}_rte(x, 0, (half *)&bits);\n"
     "  *(__global ushort{n} *)p = bits;\n}}"},
};

// From this width on, PoCL 3.1 (CPUs) assumes that the address of a half-precision vector is a
// multiple of 16 bytes. It crashes if that is wrong, unless its compiler merges the load with a
// conversion.
constexpr int kWideHalves = 8;
constexpr std::string_view kLoadWide =
    "\nfloat{n} LOAD{n}(__global const half *p)\n{{\n"
    "  const ushort{n} bits = vload{n}(0, (__global const ushort *)p);\n"
    "  return vload_half{n}(0, (const half *)&bits);\n}}";
constexpr std::string_view kStoreWide =
    "\nvoid STORE{n}(const float{n} x, __global half *p)\n{{\n"
    "  ushort{n} bits;\n"
    "  vstore_half{n}_rte(x, 0, (half *)&bits);\n"
    "  vstore{n}(bits, 0, (__global ushort *)p);\n}}";

std::string_view half_text(const TypeName& type_name, int width) {
  if (width == 1) return type_name.half_element;
  if (width >= kWideHalves && type_name.name == "LOAD") return kLoadWide;
  if (width >= kWideHalves && type_name.name == "STORE") return kStoreWide;
  return type_name.half_vector;
}

std::string full_name(const TypeName& type_name, int width) {
  return std::string(type_name.name) + (width == 1 ? "" : std::to_string(width));
}

// Calls `function` with each name and each of its vector widths.
template <class Function>
void for_each_name(Function&& function) {
  for (const TypeName& type_name : kNames) {
    for (const int width : kWidths) {
      if (!(width == 1 ? type_name.element : type_name.vector).empty()) function(type_name, width);
    }
  }
}

// A line "#define ...", or a function.
std::string definition(const TypeName& type_name, int width, Precision precision) {
  const bool half = precision == Precision::kHalf;
  const std::string_view text = half         ? half_text(type_name, width)
                                : width == 1 ? type_name.element
                                             : type_name.vector;
  const std::string body = fmt::format(
      fmt::runtime(text), fmt::arg("type", precision == Precision::kDouble ? "double" : "float"),
      fmt::arg("n", width), fmt::arg("bytes", bytes_per_element(precision)));
  if (body.starts_with('\n')) return body + '\n';
  return fmt::format("{}{}{} {}\n", kDefine, full_name(type_name, width), type_name.arguments,
                     body);
}

// The name that a line defines, or "".
std::string_view defined_name(std::string_view line) {
  if (!line.starts_with(kDefine)) return {};
  line.remove_prefix(kDefine.size());
  return line.substr(0, line.find_first_of("( "));
}

}  // namespace

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for_each_name(
      [&](const TypeName& type_name, int width) { names.push_back(full_name(type_name, width)); });
  return names;
}

std::string type_prelude(const KernelRecord& kernel, const std::vector<std::string>& names) {
  std::string lines;
  std::string functions;
  const std::string_view extension = required_extension(kernel);
  if (!extension.empty()) lines = fmt::format("#pragma OPENCL EXTENSION {} : enable\n", extension);
  for_each_name([&](const TypeName& type_name, int width) {
    const auto found = std::find(names.begin(), names.end(), full_name(type_name, width));
    if (found == names.end()) return;
    const std::string text = definition(type_name, width, kernel.precision);
    (text.starts_with('\n') ? functions : lines) += text;
  });
  const std::string prelude = lines + functions;
  return prelude.empty() ? "" : prelude + '\n';
}

bool is_type_definition(std::string_view line) {
  const std::string_view name = defined_name(line);
  bool found = false;
  for_each_name([&](const TypeName& type_name, int width) {
    if (!name.starts_with(type_name.name) || name != full_name(type_name, width)) return;
    for (const Precision precision : kPrecisions) {
      found = found || definition(type_name, width, precision) == std::string(line) + '\n';
    }
  });
  return found;
}

std::vector<std::string> defined_names(std::string_view prelude) {
  std::vector<std::string> names;
  while (!prelude.empty()) {
    const std::string_view line = prelude.substr(0, prelude.find('\n'));
    if (!defined_name(line).empty()) names.emplace_back(defined_name(line));
    prelude.remove_prefix(std::min(line.size() + 1, prelude.size()));
  }
  return names;
}

}  // namespace tilewright
