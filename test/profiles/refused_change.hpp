// Changes of the sample profile that the writer rejects.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sample.hpp"

namespace tilewright {

// The error of write_profile() for the sample profile after `change`; empty if there is none.
inline std::string refusal_after(const std::function<void(Profile&)>& change) {
  Profile profile = sample_profile();
  change(profile);
  try {
    write_profile(profile);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

// A change after which the writer rejects the sample profile.
struct RefusedChange {
  const char* message;  // part of the error message: key and keyword
  std::function<void(Profile&)> change;
};

inline void check(const std::vector<RefusedChange>& cases) {
  for (const RefusedChange& c : cases) {
    const std::string message = refusal_after(c.change);
    INFO("expected: " << c.message << "\nrefusal:  " << message);
    CHECK(message.find(c.message) != std::string::npos);
  }
}

}  // namespace tilewright
