// What if the code under test waits for ever? The test program ends, which is a failure.
#pragma once

#include <unistd.h>

#include <cstdlib>

namespace tilewright {

// How many times as long as usual deadlines of tests are: $TILEWRIGHT_TEST_PATIENCE, for a machine
// that is very slow or busy.
inline double patience() {
  const char* text = std::getenv("TILEWRIGHT_TEST_PATIENCE");
  const double times = text == nullptr ? 1.0 : std::atof(text);
  return times > 1.0 ? times : 1.0;
}

// From now to the end of its life; far more than any machine needs.
class Deadline {
 public:
  Deadline() { ::alarm(static_cast<unsigned>(300.0 * patience())); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { ::alarm(0); }
};

}  // namespace tilewright
