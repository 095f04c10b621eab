// Detects calls of public objects that were moved from.
#pragma once

#include <memory>
#include <string>

#include "runtime/call/error.hpp"

namespace tilewright {

// Returns the state of an object of the public class `what`. Throws Error TW_INVALID_VALUE if the
// object was moved from.
template <class State>
State& require_state(const std::shared_ptr<State>& state, const char* what) {
  if (state == nullptr) {
    throw Error(TW_INVALID_VALUE, std::string("the ") + what +
                                      " was moved from: it can only be destroyed or assigned to");
  }
  return *state;
}

}  // namespace tilewright
