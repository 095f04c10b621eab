// Defines the exception for errors of the user, as opposed to errors of the machine.
#pragma once

#include <stdexcept>

namespace tilewright {

// An argument is invalid. what() names it. The program exits with code 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tilewright
