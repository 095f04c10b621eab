// How does `replay` show strategies on a space that others published?
#pragma once

#include <string>
#include <vector>

#include "tuner/search/search.hpp"

namespace tilewright {

struct PublishedRequest {
  std::string file;
  std::vector<StrategyKind> strategies;
  int seeds = 20;
  std::string traces;  // a file of other tuners' runs; "": none
  bool json = false;
};
// `text` is what the file holds. Throws UsageError.
void replay_published(const PublishedRequest& request, const std::string& text);

}  // namespace tilewright
