// Defines the exceptions for a tuning that ends without a kernel for an op.
#pragma once

#include <stdexcept>

namespace tilewright {

// No candidate for an op works, or none was tried.
class NoUsableKernel : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// There was no time for any candidate. what() names what is missing.
class NothingTried : public NoUsableKernel {
  using NoUsableKernel::NoUsableKernel;
};

}  // namespace tilewright
