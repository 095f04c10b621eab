#include "codelets/text/arithmetic_text.hpp"

#include <fmt/format.h>

namespace tilewright {
namespace {

bool is_empty_term(const std::string& text) {
  return text.empty() || text == "0";
}

}  // namespace

std::string sum_text(const std::string& base, const std::string& offset) {
  if (is_empty_term(offset)) return base;
  return is_empty_term(base) ? offset : fmt::format("{} + {}", base, offset);
}

std::string sum_text(const std::string& base, std::int64_t offset) {
  return sum_text(base, std::to_string(offset));
}

std::string times(const std::string& text, std::int64_t factor) {
  return factor == 1 ? text : fmt::format("{} * {}", text, factor);
}

std::string over(const std::string& text, int divisor) {
  return divisor == 1 ? text : fmt::format("{} / {}", text, divisor);
}

std::string modulo(const std::string& text, int divisor) {
  return divisor == 1 ? "0" : fmt::format("{} % {}", text, divisor);
}

std::string advance_text(const std::string& name, const std::string& distance) {
  return distance == "1" ? "++" + name : fmt::format("{} += {}", name, distance);
}

std::string parenthesized(const std::string& text) {
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

}  // namespace tilewright
