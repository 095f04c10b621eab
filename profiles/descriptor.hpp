// Who closes a file descriptor?
#pragma once

#include <unistd.h>

namespace tilewright {

// An open file, closed at the end; negative: it could not be opened, and errno says why.
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
