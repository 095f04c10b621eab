// Rules that the texts of all emitted kernels must satisfy.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <regex>
#include <sstream>

#include "catch.hpp"
#include "codelets/point/parameter_point.hpp"
#include "codelets/point/validity.hpp"
#include "codelets/space/emit.hpp"
#include "profiles/type_prelude.hpp"

namespace tilewright {

// There is a comment for each stage of a kernel, for orientation.
inline void check_stages(const KernelRecord& record) {
  static const std::map<Role, std::vector<const char*>> stages = {
      {Role::kGemm, {"// Load", "// Multiply", "// Store"}},
      {Role::kGemv, {"// Load", "// Multiply", "// Store"}},
      {Role::kPack, {"opy"}},
      {Role::kReduce, {"// Add up the parts", "// Store"}},
      {Role::kActivation, {"oad, apply, store"}},
      {Role::kSoftmax, {"// Find", "// Store", "sum"}}};
  for (const char* stage : stages.at(record.role)) {
    INFO(stage);
    CHECK(record.source.find(stage) != std::string::npos);
  }
  // The explanation of names at the top.
  const std::regex legend(R"(\n//   \w+(, \w+)*: )");
  CHECK(std::regex_search(explained_source(parse_point(record.point)), legend));
  CHECK_FALSE(std::regex_search(record.source, legend));
}

// The lines at the top that define types: each defined name is used.
inline void check_prelude(const KernelRecord& record) {
  const std::string& text = record.source;
  const std::string pragma =
      "\n#pragma OPENCL EXTENSION " + std::string(required_extension(record));
  const bool extended = !required_extension(record).empty();
  CHECK((text.find("\n#pragma ") != std::string::npos) == extended);
  CHECK((text.find(pragma + " : enable\n") != std::string::npos) == extended);
  const std::string define = "\n#define ";
  CHECK(text.find(define) != std::string::npos);
  for (std::size_t at = text.find(define); at != std::string::npos;
       at = text.find(define, at + 1)) {
    const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    INFO(line);
    const std::string name = line.substr(8, line.find_first_of(" (", 8) - 8);
    CHECK(text.find(name, at + 1 + line.size()) != std::string::npos);
  }
}

inline void check_text_rules(const ParameterPoint& point, const KernelRecord& record) {
  const std::string& text = record.source;
  INFO(text);
  CHECK(text.find("// tilewright ") == 0);
  CHECK(text.find(to_text(point)) != std::string::npos);
  CHECK(parse_point(record.point) == point);
  CHECK(emit(point) == record);
  CHECK_FALSE(forbidden_source(text));
  check_stages(record);
  check_prelude(record);
  const bool asks = text.find("#if __has_builtin(__builtin_nontemporal_store)\n") != text.npos;
  CHECK(asks == (to_text(point).find("streaming=yes") != std::string::npos));
  const std::string point_text = to_text(point);
  const bool hints = point_text.find("group_size=hint") != std::string::npos;
  const bool is_fixed_size = point_text.find("group_size=driver") == std::string::npos;
  CHECK((text.find("__kernel __attribute__((") != std::string::npos) == is_fixed_size);
  CHECK((text.find("((reqd_work_group_size(") != std::string::npos) == (is_fixed_size && !hints));
  CHECK((text.find("((work_group_size_hint(") != std::string::npos) == hints);
  CHECK((record.work_group == std::array{0, 0}) == !is_fixed_size);
  CHECK_FALSE(forbidden_build_option(record.build_options));
  // No private arrays: old Mali compilers keep them in memory.
  CHECK_FALSE(std::regex_search(text, std::regex(R"(\n *(float|int)\d* \w+\[)")));
  // The address of a whole vector is a multiple of its size; pack kernels test that.
  const std::regex whole_vector(R"(__global (?:const )?[A-Za-z]+(\d+) \*)");
  for (std::sregex_iterator at(text.begin(), text.end(), whole_vector), end; at != end; ++at) {
    CHECK((!is_product(record.role) || std::stoi((*at)[1]) <= record.alignment));
  }
  // A matrix that may be changed in place is accessed through two pointers.
  const bool in_place = record.role == Role::kActivation || record.role == Role::kSoftmax;
  CHECK(text.find(in_place ? " *X," : "restrict ") != std::string::npos);
  CHECK(text.find(" \n") == std::string::npos);
}

// Checks `count` random points of a codelet.
inline void check_text_rules(Codelet codelet, int count) {
  std::mt19937 random(7);
  while (count > 0) {
    ParameterPoint point = first_point(codelet);
    for (const Field& field : fields(codelet)) field.set(point, random() % field.values.size());
    if (broken_structural_rule(point) != nullptr) continue;
    --count;
    check_text_rules(point, emit(point));
  }
}

}  // namespace tilewright
