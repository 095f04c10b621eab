// How fast was the machine while each candidate was measured?
//
// During a search a reference's known time follows the machine, as nobody can tell yet which of its
// paces is the usual one. So who is tried in a slow quarter of a minute seems slower than who
// comes after it. When the search is over, it can be told.
#pragma once

#include <vector>

#include "tuner/records/outcome.hpp"

namespace tilewright {

// The same outcomes with one known time for each reference and shape: its first decile of all that
// was seen beside candidates, the machine left alone. References that were seen less than five
// times keep what was known then.
std::vector<Outcome> with_settled_pace(std::vector<Outcome> outcomes);

}  // namespace tilewright
