// How does a journal look to other tuners?
//
// As T4 does: the JSON in which the autotuning community keeps results, so that its tools compare
// search strategies on them (github.com/odgaard/TuningSchema, results schema 1.0.0).
#pragma once

#include <string>

#include "tuner/records/journal.hpp"

namespace tilewright {

// Every candidate of a search, in the order of the journal. Its objective, `time`, is the one by
// which a search ranks it: the geometric mean over screening shapes of the time per flop, with what
// runs beside the kernel. What a trial took is split in `runtimes` and `framework`, which has all
// the rest: a journal does not say what compiling took.
std::string to_t4(const JournalContents& contents);

}  // namespace tilewright
