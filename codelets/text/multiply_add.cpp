#include "codelets/text/multiply_add.hpp"

#include <fmt/format.h>

namespace tilewright {

const char* to_text(MultiplyAdd form) {
  switch (form) {
    case MultiplyAdd::kExpression:
      return "expression";
    case MultiplyAdd::kMad:
      return "mad";
    case MultiplyAdd::kFma:
      return "fma";
  }
  return "?";
}

std::string multiply_add_text(MultiplyAdd form, const std::string& a, const std::string& b,
                              const std::string& c) {
  if (form == MultiplyAdd::kExpression) return fmt::format("{} * {} + {}", a, b, c);
  return fmt::format("{}({}, {}, {})", to_text(form), a, b, c);
}

}  // namespace tilewright
