// Can what a journal's line says be so?
//
// Who reads a journal relies on it: points parse, indices name what is there, samples are samples.
#pragma once

#include "tuner/records/journal.hpp"

namespace tilewright {

// A line that follows `before`. Throws JsonError with a sentence.
void check(const JournalLine& line, const JournalContents& before);

}  // namespace tilewright
