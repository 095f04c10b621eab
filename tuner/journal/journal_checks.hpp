// Checks that the values in a line of a journal are valid.
//
// Readers of a journal rely on it: points parse, indices refer to existing elements, and samples
// are positive numbers.
#pragma once

#include "tuner/journal/journal.hpp"

namespace tilewright {

// Checks a line, given the contents of the lines before it. Throws JsonError with a sentence.
void check(const JournalLine& line, const JournalContents& before);

}  // namespace tilewright
