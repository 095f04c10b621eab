// Can what a journal's line says be so?
//
// Who reads a journal relies on it: points parse, indices name what is there, samples are samples.
// Each throws JsonError with a sentence.
#pragma once

#include "tuner/records/journal.hpp"

namespace tilewright {

// When a line was written.
void check_at(double at_s);
// What it says to be starting or idle.
void check_at_work(const std::string& point);
void check(const Outcome& outcome);
void check(const PackOutcome& pack);
void check(const Lineup& lineup);
// Finalists of the round and of `failures` are those of a line-up.
void check(const Round& round, const std::map<std::size_t, std::string>& failures,
           const Lineup& lineup);

}  // namespace tilewright
