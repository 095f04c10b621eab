// Division and rounding towards the next multiple.
#pragma once

#include <concepts>

namespace tilewright {

// `value` must be at least 0 and `divisor` at least 1; their sum must not overflow.
template <std::integral Value, std::integral Multiple>
constexpr Value quotient_up(Value value, Multiple divisor) {
  const auto d = static_cast<Value>(divisor);
  return (value + d - 1) / d;
}

// The smallest multiple of `multiple` that is at least `value`.
template <std::integral Value, std::integral Multiple>
constexpr Value round_up(Value value, Multiple multiple) {
  return quotient_up(value, multiple) * static_cast<Value>(multiple);
}

}  // namespace tilewright
