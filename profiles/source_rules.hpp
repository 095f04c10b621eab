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

// The number of elements of the largest vectors that `source` accesses in global memory through
// pointers to vectors, such as `*(__global const float4 *)p`; 1: it has no such pointer. These
// addresses must be multiples of the vector's size, unlike those of vload4().
int widest_global_vector(std::string_view source);

// Replaces each comment by a space and keeps an unterminated one.
std::string without_comments(std::string_view source);

// True if `text` can be the name of a function.
bool is_identifier(std::string_view text);

}  // namespace tilewright
