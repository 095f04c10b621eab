// Which kernels of others can be measured beside ours?
//
// The published kernels of the works that tilewright grew from, with the arguments, layouts,
// arithmetic and barriers that their listings have. profiles/data/seeds.toml holds them: text that
// people read, and that travels inside the program. They are launched as all kernels are, and serve
// nothing.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/kernel_record.hpp"

namespace tilewright {

struct ForeignKernel {
  KernelRecord record;
  std::string source;    // where it is described: document and listing
  std::string analogue;  // the named point that is closest to it; of those that compute no product,
                         // a point as text
  std::string remark;    // what one must know of it: a sentence
};

// In the order of the file.
const std::vector<ForeignKernel>& foreign_kernels();
std::string_view seeds_text();
// Such a text, read strictly. Throws ProfileError.
std::vector<ForeignKernel> parse_foreign_kernels(std::string_view text, const std::string& file);

// NAME, or NAME@4x16 with another work-group (local sizes of dimensions 0 and 1). nullopt: no such
// kernel. Throws as split_work_group().
std::optional<KernelRecord> find_foreign(std::string_view name);

// A name and the work-group behind its @; nullopt: none is named. Throws std::invalid_argument for
// one that is no two numbers from 1.
struct WithWorkGroup {
  std::string_view name;
  std::optional<std::array<int, 2>> work_group;
};
WithWorkGroup split_work_group(std::string_view name);

}  // namespace tilewright
