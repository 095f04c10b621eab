// Merges the journals of several tunings.
//
// Shards of a tuning may run on identical boards, or one board may be tuned twice, possibly on
// different shapes. Identical boards do not run equally fast, because of clocks and temperature.
// Therefore times are scaled by the ratio of the times of kernels that both journals have measured;
// the baselines take part in every final.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// Combines the outcomes and finalists of journals into one, with times scaled to the
// first journal. The scale for a shape is the median ratio of the times of kernels that both
// journals have measured on it, in the finals or else in the search; for other shapes it is the
// median over all shapes. Slow-downs are
// removed from the rounds before. If several journals have an outcome of the same kernel, the first
// one counts, and the others add shapes that it lacks. The result has the shapes of all journals.
// Products that were held out are kept of a single journal only, because others change the choice
// of kernels. The result is complete if all journals are complete and no shard is missing.
//
// `journals` must not be empty and must not differ (merge_difference()). `names` are their files,
// for messages. Throws JournalError if a journal has no kernel in common with the first, if two
// journals belong to the same tuning, or if some have reached their finals and others have not,
// because kernels of the latter could not win.
JournalContents merge(const std::vector<JournalContents>& journals,
                      const std::vector<std::string>& names = {});

// Returns the numbers of the shards without a journal, for the first set of shapes with missing
// shards. `journals` must not be empty.
std::vector<int> missing_shards(const std::vector<JournalContents>& journals);

}  // namespace tilewright
