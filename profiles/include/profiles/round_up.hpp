// What is the least multiple that holds a value?
#pragma once

#include <concepts>

namespace tilewright {

// Of values from 0 and multiples from 1; the sum of both must fit.
template <std::integral Value, std::integral Multiple>
constexpr Value quotient_up(Value value, Multiple divisor) {
  const auto d = static_cast<Value>(divisor);
  return (value + d - 1) / d;
}

template <std::integral Value, std::integral Multiple>
constexpr Value round_up(Value value, Multiple multiple) {
  return quotient_up(value, multiple) * static_cast<Value>(multiple);
}

}  // namespace tilewright
