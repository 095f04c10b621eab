// Is a line of a journal as it was written?
//
// A line is a JSON object whose last member is the checksum of the text before it:
//
//   {"idle":"gemm tile_m=4","sum":"0123456789abcdef"}
//
// It notices damage, not malice. Lines of older versions have none.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// `object` is a JSON object with members, as text.
std::string with_sum(std::string object);

enum class SumCheck {
  kNone,  // the line does not end in a sum: it is older, or its end is missing
  kRight,
  kWrong,  // it, or its sum, was changed
};
// `line` has no line feed.
SumCheck check_sum(std::string_view line);

}  // namespace tilewright
