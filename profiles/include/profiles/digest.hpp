// Digests that identify a text by its content.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// "xxh3-" and 32 hexadecimal digits: the 128-bit XXH3 digest of `bytes`. It protects against damage
// and mix-ups, not against malice.
std::string digest_bytes(std::string_view bytes);

}  // namespace tilewright
