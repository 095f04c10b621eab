// Edits of the sample profile that the parser rejects.
#pragma once

#include <string>

#include "catch.hpp"
#include "sample.hpp"

namespace tilewright {

// The sample profile with the first `from` replaced by `to` is rejected.
struct RefusedEdit {
  const char* from;
  const char* to;
  const char* line_with;  // text whose first occurrence is in the reported line
  const char* key;
  const char* message;  // part of the message
};

inline void check(const RefusedEdit& c) {
  const std::string text = edited(write_profile(sample_profile()), c.from, c.to);
  const auto refusal = find_refusal(text);
  INFO("'" << c.from << "' -> '" << c.to << "'");
  REQUIRE(refusal);
  INFO(refusal->what());
  CHECK(refusal->line() == line_number(text, c.line_with));
  CHECK(refusal->key() == c.key);
  CHECK(refusal->file() == "test.toml");
  CHECK(std::string(refusal->what()).find(c.message) != std::string::npos);
}

}  // namespace tilewright
