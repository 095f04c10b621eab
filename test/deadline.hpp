// Ends the test program, as a failure, if the code under test blocks forever.
#pragma once

#include <unistd.h>

#include <cstdlib>

namespace tilewright {

// Factor for the deadlines of tests: $TILEWRIGHT_TEST_PATIENCE, for a very slow or busy machine.
inline double patience() {
  const char* text = std::getenv("TILEWRIGHT_TEST_PATIENCE");
  const double times = text == nullptr ? 1.0 : std::atof(text);
  return times > 1.0 ? times : 1.0;
}

// A deadline from the construction of the object to its destruction; far longer than any machine
// needs.
class Deadline {
 public:
  Deadline() { ::alarm(static_cast<unsigned>(300.0 * patience())); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { ::alarm(0); }
};

}  // namespace tilewright
