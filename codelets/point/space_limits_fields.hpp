// What are the limits called?
//
// The one list of them, for all that reads, prints or digests limits.
#pragma once

#include <string_view>

#include "profiles/device_info.hpp"

namespace tilewright {

// A limit that is not told where it is false: files, journals and digests are older than it.
inline constexpr std::string_view kOptionalLimit = "half_arithmetic";

// Calls visit(name, member) for every limit, in order. `Limits`: SpaceLimits, const or not.
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
