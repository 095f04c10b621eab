// Which OpenCL C may travel in a profile? (Beside forbidden_source() of
// profiles/kernel_record.hpp.)
#pragma once

#include <string_view>

namespace tilewright {

// Whether `source` has a __kernel function named `entry`. A textual check, not a parser: the name
// must stand before a parenthesis, between the word __kernel (or kernel) and the next brace or
// semicolon.
bool declares_kernel(std::string_view source, std::string_view entry);

// Whether `text` can be the name of a function.
bool is_identifier(std::string_view text);

}  // namespace tilewright
