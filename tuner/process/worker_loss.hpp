// Describes how a worker process was lost, and what follows for the kernel it was working on.
#pragma once

#include <exception>
#include <string>

#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// Why there is no reply to a request. The worker died, or it was killed because it exceeded its
// deadline or reported an error.
struct WorkerLost {
  bool overstayed = false;   // it exceeded its deadline
  bool out_of_time = false;  // killed because of Deadlines::end; it may merely have been late
  WorkerActivity activity;   // the last activity that it announced
  std::string how;           // a predicate: "died of SIGSEGV", "was silent for 10 s"
  std::string last_words;    // the end of its standard error
  // Killed by a SIGKILL that is not ours: sent by a user, or by the system when it ran out of
  // memory.
  bool killed = false;
  std::exception_ptr error = nullptr;  // it was alive, but reported this error
};

// Returns " Its last output: '...'" with the end of the text on one line; "" if the text is empty.
std::string last_words_sentence(const std::string& last_words);

// Sets the class of the outcome by the last activity of the worker, and the reason to a sentence
// that describes what happened.
void set_loss(const WorkerLost& lost, Outcome& outcome);

}  // namespace tilewright
