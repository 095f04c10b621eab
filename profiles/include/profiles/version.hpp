// The version of tilewright.
#pragma once

namespace tilewright {

// "MAJOR.MINOR.PATCH".
inline constexpr const char* kVersion = TILEWRIGHT_VERSION;

}  // namespace tilewright
