// Checks of the OpenCL C in a profile, in addition to forbidden_source() in
// profiles/kernel_record.hpp.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// True if `source` has a __kernel function named `entry`. This is a textual check, not a parser:
// the name must precede a parenthesis, between the word __kernel (or kernel) and the next brace or
// semicolon.
bool declares_kernel(std::string_view source, std::string_view entry);

// Replaces each comment by a space and keeps an unterminated one.
std::string without_comments(std::string_view source);

// True if `text` can be the name of a function.
bool is_identifier(std::string_view text);

}  // namespace tilewright
