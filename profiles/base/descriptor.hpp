// Owns a file descriptor.
#pragma once

#include <unistd.h>

namespace tilewright {

// Closes the descriptor in its destructor. A negative value means that open() failed; errno says
// why.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int value() const { return value_; }

 private:
  int value_;
};

}  // namespace tilewright
