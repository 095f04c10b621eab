// Texts of sums and products in OpenCL C, without redundant terms such as "+ 0" and "* 1".
//
// Internal to codelets.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

// "base + offset". A term that is "" or "0" is omitted.
std::string sum_text(const std::string& base, const std::string& offset);
std::string sum_text(const std::string& base, std::int64_t offset);
// "text * factor", "text / divisor" and "text % divisor" in their shortest forms ("0" for a
// remainder of a division by 1). `text` must be a name or a product.
std::string times(const std::string& text, std::int64_t factor);
std::string over(const std::string& text, int divisor);
std::string modulo(const std::string& text, int divisor);
// Statement that advances the variable: "name += distance", or "++name" for a distance of 1.
std::string advance_text(const std::string& name, const std::string& distance);
// Adds parentheses around a sum or a product. A name is returned unchanged.
std::string parenthesized(const std::string& text);

}  // namespace tilewright
