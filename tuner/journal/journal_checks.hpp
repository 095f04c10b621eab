// Checks what the lines of a journal hold. Each function throws JsonError.
#pragma once

#include "tuner/journal/journal.hpp"

namespace tilewright {

void check_time(double at_s);
void check(const TrialStarted& started);
void check(const TrialIdle& idle);
// `before`: what the lines before hold.
void check(const Outcomes& outcomes, const JournalContents& before);
void check(const Finalists& finalists);
void check(const ValidatedProduct& product);
void check(const TimeSpent& spent);

}  // namespace tilewright
