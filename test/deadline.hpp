// What if the code under test waits for ever? The test program ends, which is a failure.
#pragma once

#include <unistd.h>

namespace tilewright {

// From now to the end of its life; far more than any machine needs.
class Deadline {
 public:
  Deadline() { ::alarm(300); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() { ::alarm(0); }
};

}  // namespace tilewright
