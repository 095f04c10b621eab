// Returns the messages of journal errors.
#pragma once

#include <string>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// Returns the message of the JournalError that the action throws; empty if it throws none.
template <class Action>
std::string thrown_message(const Action& action) {
  try {
    action();
  } catch (const JournalError& error) {
    return error.what();
  }
  return "";
}

}  // namespace tilewright
