// The version of tilewright.
#pragma once

namespace tilewright {

inline constexpr const char* kVersion = TILEWRIGHT_VERSION;

}  // namespace tilewright
