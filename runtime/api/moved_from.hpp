// What happens to a call of an object of the public interface that was moved from?
#pragma once

#include <memory>
#include <string>

#include <tilewright/error.hpp>

namespace tilewright {

// The state of `what`, a class of the public interface. Throws Error TW_INVALID_VALUE if it was
// moved from.
template <class State>
State& state_of(const std::shared_ptr<State>& state, const char* what) {
  if (state == nullptr) {
    throw Error(TW_INVALID_VALUE, std::string("the ") + what +
                                      " was moved from: it can only be destroyed or assigned to");
  }
  return *state;
}

}  // namespace tilewright
