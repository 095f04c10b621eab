#include "profiles/digest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

namespace tilewright {

std::string digest_bytes(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("xxh3-{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace tilewright
