// What is an error of the user's, as opposed to one of the machine's?
#pragma once

#include <stdexcept>

namespace tilewright {

// An argument that cannot be meant; what() names it. The program ends with exit code 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tilewright
