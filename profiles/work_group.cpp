#include "profiles/work_group.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace tilewright {
namespace {

// Substrings of all names that depend on work-groups: local memory, local and group ids and sizes,
// barriers, and attributes except for a hint.
constexpr std::string_view kDependent[] = {"local",   "group_id",  "num_groups",
                                           "barrier", "sub_group", "work_group"};
constexpr std::string_view kHint = "work_group_size_hint";

using Group = std::array<std::int64_t, 3>;

bool within(const Group& group, const WorkGroupLimits& limits) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (group[i] > limits.items_by_dimension[i]) return false;
  }
  return group[0] * group[1] * group[2] <= limits.items;
}

std::int64_t largest_divisor(std::int64_t of, std::int64_t at_most) {
  std::int64_t divisor = std::max<std::int64_t>(1, std::min(of, at_most));
  while (of % divisor != 0) --divisor;
  return divisor;
}

}  // namespace

bool runs_in_any_work_group(const KernelRecord& record) {
  if (record.local_bytes > 0 || record.work_group_k > 1) return false;
  std::string text = record.source;
  for (std::size_t at = text.find("//"); at != std::string::npos; at = text.find("//", at)) {
    text.erase(at, text.find('\n', at) - at);  // because comments contain the point
  }
  for (std::size_t at = text.find(kHint); at != std::string::npos; at = text.find(kHint, at)) {
    text.erase(at, kHint.size());
  }
  if (text.find("get_global_id") == std::string::npos) return false;
  return std::none_of(std::begin(kDependent), std::end(kDependent),
                      [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::optional<Group> launched_work_group(const KernelRecord& record,
                                         const WorkGroupLimits& limits) {
  Group group{record.work_group[0], record.work_group[1], record.work_group_k};
  if (within(group, limits)) return group;
  if (!runs_in_any_work_group(record)) return std::nullopt;
  // The last dimension shrinks most, because neighbours along dimension 0 are neighbours in memory.
  for (std::size_t i = 0; i < group.size(); ++i) {
    group[i] = largest_divisor(group[i], limits.items_by_dimension[i]);
  }
  group[0] = largest_divisor(group[0], limits.items);
  group[1] = largest_divisor(group[1], limits.items / group[0]);
  return group;
}

}  // namespace tilewright
