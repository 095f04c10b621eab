// What do several journals say together?
//
// Shards of a tuning run on equal boards, or one board is tuned twice, perhaps on other shapes.
// Equal boards do not run equally fast: clocks, temperature. So times are compared by what kernels
// took that both journals measured; the baselines are in every final.
#pragma once

#include <string>
#include <vector>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// All outcomes, packs and line-ups as one journal, in the times of the first. Times of the others
// are scaled, shape by shape, by the median of the ratios of what both measured there (anywhere, if
// nothing there): in finals, else in the search. Slow-downs are taken out of rounds before. What
// several journals hold an outcome of has that of the first, and on shapes that are not there what
// the next one says. Its shapes are those of all. The journals must not differ (merge_difference),
// and must not be empty. Throws JournalError if one has no kernel in common
// with the first, if two are of the same tuning, or if some reached their finals and others did
// not: the kernels of those could not win. The result is complete if all are, and no shard is
// missing. `names`: the files, for errors.
JournalContents merge(const std::vector<JournalContents>& journals,
                      const std::vector<std::string>& names = {});

// Numbers of the shards that none of the journals is of, for the first shapes of which some are
// missing. They must not be empty.
std::vector<int> missing_shards(const std::vector<JournalContents>& journals);

}  // namespace tilewright
