// Checks that several tests of the program use.
#pragma once

#include <string>

#include "catch.hpp"
#include "run_program.hpp"

namespace tilewright {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Checks a usage error: exit code 2, nothing on standard output, one message on standard error.
inline void check_refused(const std::string& arguments, const std::string& message) {
  INFO(arguments);
  const ProgramResult result = run_program(arguments);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  INFO(result.error);
  CHECK(contains(result.error, message));
}

}  // namespace tilewright
