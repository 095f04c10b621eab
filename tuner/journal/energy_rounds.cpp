#include "tuner/journal/energy_rounds.hpp"

#include <algorithm>
#include <utility>

namespace tilewright {

std::map<std::size_t, std::vector<double>> joules_on(const JournalContents& contents,
                                                     const GemmShape& shape) {
  std::map<std::size_t, std::vector<double>> samples;
  for (const Round& round : contents.energy_rounds) {
    if (round.shape != shape) continue;
    for (const auto& [finalist, joules] : round.joules) samples[finalist].push_back(joules);
  }
  return samples;
}

std::vector<Round> energy_of_remaining(const std::vector<Round>& energy_rounds,
                                       const std::vector<KernelId>& before,
                                       const std::vector<KernelId>& after) {
  std::vector<Round> remaining;
  for (Round round : energy_rounds) {
    for (const auto& [finalist, joules] : std::exchange(round.joules, {})) {
      const auto place = std::find(after.begin(), after.end(), before[finalist]);
      if (place == after.end()) continue;
      round.joules[static_cast<std::size_t>(place - after.begin())] = joules;
    }
    if (!round.joules.empty()) remaining.push_back(std::move(round));
  }
  return remaining;
}

}  // namespace tilewright
