// How are sums and products spelled in OpenCL C, without "+ 0" and "* 1"?
//
// Internal to codelets.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

// "base + offset"; either may be "" or "0".
std::string sum_text(const std::string& base, const std::string& offset);
std::string sum_text(const std::string& base, std::int64_t offset);
// text * factor, text / divisor, text % divisor (where that is 0: "0"). The text is a name or a
// product.
std::string times(const std::string& text, std::int64_t factor);
std::string over(const std::string& text, int divisor);
std::string modulo(const std::string& text, int divisor);
// name += distance, or ++name.
std::string moved(const std::string& name, const std::string& distance);
// A sum or product in parentheses; a name as it is.
std::string grouped(const std::string& text);

}  // namespace tilewright
