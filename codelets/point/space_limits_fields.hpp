// The names of all fields of SpaceLimits.
//
// The only list of them: code that parses, prints or hashes limits visits it.
#pragma once

#include <string_view>

#include "profiles/device_info.hpp"

namespace tilewright {

// This limit is omitted from texts if it is false, because files, journals and digests existed
// before it.
inline constexpr std::string_view kOptionalLimit = "half_arithmetic";

// Calls visit(name, member) for every limit, in order. `Limits` is SpaceLimits or const
// SpaceLimits.
template <class Limits, class Visit>
void visit_space_limits(Limits& limits, Visit&& visit) {
  visit("max_work_group_size", limits.max_work_group_size);
  visit("max_work_item_sizes", limits.max_work_item_sizes);
  visit("max_vector_width", limits.max_vector_width);
  visit("register_floats", limits.register_floats);
  visit("group_floats", limits.group_floats);
  visit("local_memory_bytes", limits.local_memory_bytes);
  visit("local_memory_is_dedicated", limits.local_memory_is_dedicated);
  visit("image_support", limits.image_support);
  visit(kOptionalLimit.data(), limits.half_arithmetic);
}

}  // namespace tilewright
