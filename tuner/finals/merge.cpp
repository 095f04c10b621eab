#include "tuner/finals/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tuner/finals/sweeps.hpp"
#include "tuner/records/statistics.hpp"

namespace tilewright {
namespace {

// What is the same finalist in every journal.
using Medians = std::map<Finalist, double>;  // ns, by work_of()

Medians medians_of_finals(const JournalContents& journal, const GemmShape& shape) {
  Medians medians;
  if (!journal.lineup) return medians;
  for (const auto& [finalist, samples] : corrected_samples(journal.sweeps, shape)) {
    medians[work_of(journal.lineup->finalists[finalist])] = quantile(samples, 0.5);
  }
  return medians;
}

Medians medians_of_search(const JournalContents& journal, const GemmShape& shape) {
  Medians medians;
  for (const Outcome& outcome : journal.outcomes) {
    const ShapeSamples* samples = samples_on(outcome, shape);
    if (samples == nullptr || samples->ns.empty()) continue;
    medians.emplace(Finalist{outcome.point, Finalist::Job::kProduct, ""}, median_ns(*samples));
  }
  return medians;
}

std::vector<double> ratios(const Medians& first, const Medians& other) {
  std::vector<double> result;
  for (const auto& [name, ns] : other) {
    const auto found = first.find(name);
    if (found != first.end()) result.push_back(found->second / ns);
  }
  return result;
}

// By what to multiply a journal's times so that they are the first's.
class Scale {
 public:
  // `both`: the names of the two.
  Scale(const JournalContents& first, const JournalContents& other, const std::string& both) {
    for (const auto medians_of : {medians_of_finals, medians_of_search}) {
      std::vector<double> all;
      for (std::size_t i = 0; i < first.header.shapes.size(); ++i) {
        const GemmShape& shape = first.header.shapes[i];
        const std::vector<double> here = ratios(medians_of(first, shape), medians_of(other, shape));
        if (!here.empty()) by_shape_.emplace(i, quantile(here, 0.5));
        all.insert(all.end(), here.begin(), here.end());
      }
      if (overall_ == 0.0 && !all.empty()) overall_ = quantile(all, 0.5);
    }
    shapes_ = first.header.shapes;
    if (overall_ == 0.0) {
      throw JournalError(
          both +
          ": nothing was measured in both, so their times cannot be compared; let the tunings "
          "reach their finals, in which the built-in kernels race");
    }
  }

  double overall() const { return overall_; }
  double on(const GemmShape& shape) const {
    const auto at = std::find(shapes_.begin(), shapes_.end(), shape) - shapes_.begin();
    const auto found = by_shape_.find(static_cast<std::size_t>(at));
    return found == by_shape_.end() ? overall_ : found->second;
  }

 private:
  std::vector<GemmShape> shapes_;
  std::map<std::size_t, double> by_shape_;
  double overall_ = 0.0;
};

// Joins journals one by one.
class Merger {
 public:
  explicit Merger(const JournalContents& first);
  void add(const JournalContents& journal, const Scale* scale);
  JournalContents take() { return std::move(result_); }

 private:
  void add_outcomes(const JournalContents& journal, const Scale* scale);
  void add_packs(const JournalContents& journal, const Scale* scale);
  void add_finals(const JournalContents& journal, const Scale* scale);
  std::size_t finalist(const Finalist& finalist);
  std::size_t way(const Way& way);
  void add_sweeps(const JournalContents& journal, const std::vector<std::size_t>& places,
                  const Scale* scale);

  JournalContents result_;
  std::set<std::pair<std::string, std::string>> known_;  // phase and point of every outcome
};

Merger::Merger(const JournalContents& first) {
  result_.header = first.header;
  result_.header.shard = result_.header.shards = 1;
  result_.complete = true;
}

void Merger::add(const JournalContents& journal, const Scale* scale) {
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(result_.sessions, journal.sessions);
  if (!result_.rates || *result_.rates == DeviceRates{}) result_.rates = journal.rates;
  result_.spent_s += journal.spent_s;
  result_.complete = result_.complete && journal.complete;
  add_outcomes(journal, scale);
  add_packs(journal, scale);
  add_finals(journal, scale);
}

void Merger::add_outcomes(const JournalContents& journal, const Scale* scale) {
  for (Outcome outcome : journal.outcomes) {
    if (!known_.emplace(outcome.phase, outcome.point).second) continue;
    for (ShapeSamples& samples : outcome.shapes) {
      const double factor = scale == nullptr ? 1.0 : scale->on(samples.shape);
      for (double& ns : samples.ns) ns *= factor;
      for (double& ns : samples.rejected_ns) ns *= factor;
    }
    result_.outcomes.push_back(std::move(outcome));
  }
}

void Merger::add_packs(const JournalContents& journal, const Scale* scale) {
  for (PackOutcome pack : journal.packs) {
    const auto same = [&](const PackOutcome& other) {
      return other.demand == pack.demand && other.reply.point == pack.reply.point;
    };
    if (std::any_of(result_.packs.begin(), result_.packs.end(), same)) continue;
    if (scale != nullptr) pack.reply.ns_per_element *= scale->overall();
    result_.packs.push_back(std::move(pack));
  }
}

std::size_t Merger::finalist(const Finalist& finalist) {
  std::vector<Finalist>& finalists = result_.lineup->finalists;
  const auto same = [&](const Finalist& other) { return work_of(other) == work_of(finalist); };
  const auto found = std::find_if(finalists.begin(), finalists.end(), same);
  if (found != finalists.end()) return static_cast<std::size_t>(found - finalists.begin());
  finalists.push_back(finalist);
  return finalists.size() - 1;
}

std::size_t Merger::way(const Way& way) {
  std::vector<Way>& ways = result_.lineup->ways;
  const auto found = std::find(ways.begin(), ways.end(), way);
  if (found != ways.end()) return static_cast<std::size_t>(found - ways.begin());
  ways.push_back(way);
  return ways.size() - 1;
}

void Merger::add_finals(const JournalContents& journal, const Scale* scale) {
  if (!journal.lineup || journal.sweeps.empty()) return;
  const bool is_first = !result_.lineup;
  if (is_first) result_.lineup.emplace();
  std::vector<std::size_t> places;  // of the journal's finalists in the result
  for (const Finalist& each : journal.lineup->finalists) places.push_back(finalist(each));
  if (is_first && !places.empty()) result_.lineup->reference = places[journal.lineup->reference];
  std::vector<std::size_t> way_places;
  for (Way each : journal.lineup->ways) {
    each.product = places[each.product];
    for (auto* auxiliary :
         {&each.pack_a, &each.pack_b, &each.large_pack_a, &each.large_pack_b, &each.reduce}) {
      if (*auxiliary) *auxiliary = places[**auxiliary];
    }
    way_places.push_back(way(each));
  }
  std::vector<std::size_t>& baselines = result_.lineup->baselines;
  for (const std::size_t baseline : journal.lineup->baselines) {
    const std::size_t place = way_places[baseline];
    if (std::count(baselines.begin(), baselines.end(), place) == 0) baselines.push_back(place);
  }
  for (const auto& [failed, reason] : journal.finalist_failures) {
    result_.finalist_failures.emplace(places[failed], reason);
  }
  add_sweeps(journal, places, scale);
}

void Merger::add_sweeps(const JournalContents& journal, const std::vector<std::size_t>& places,
                        const Scale* scale) {
  for (const GemmShape& shape : journal.header.shapes) {
    const double factor = scale == nullptr ? 1.0 : scale->on(shape);
    std::vector<Sweep> sweeps;
    for (const auto& [finalist, samples] : corrected_samples(journal.sweeps, shape)) {
      for (std::size_t i = 0; i < samples.size(); ++i) {
        if (i == sweeps.size()) sweeps.push_back({static_cast<int>(i), shape, 0.0, 0.0, {}});
        sweeps[i].ns[places[finalist]] = factor * samples[i];
      }
    }
    result_.sweeps.insert(result_.sweeps.end(), sweeps.begin(), sweeps.end());
  }
}

// One tuning's journal twice, the one perhaps with more of it. A candidate takes exactly as long
// never twice.
bool is_copy(const JournalContents& a, const JournalContents& b) {
  const auto timed = [](const Outcome& outcome) {
    return !outcome.shapes.empty() && !outcome.shapes.front().ns.empty();
  };
  const auto first = std::find_if(a.outcomes.begin(), a.outcomes.end(), timed);
  const auto other = std::find_if(b.outcomes.begin(), b.outcomes.end(), timed);
  if (first == a.outcomes.end() || other == b.outcomes.end()) return false;
  return a.header.seed == b.header.seed && first->point == other->point &&
         first->shapes.front().ns == other->shapes.front().ns && first->at_s == other->at_s;
}

}  // namespace

std::vector<int> missing_shards(const std::vector<JournalContents>& journals) {
  std::map<int, std::set<int>> there;  // by number of shards
  for (const JournalContents& journal : journals) {
    there[journal.header.shards].insert(journal.header.shard);
  }
  // One division that is whole is enough.
  for (const auto& [shards, numbers] : there) {
    if (numbers.size() == static_cast<std::size_t>(shards)) return {};
  }
  std::vector<int> missing;
  const auto& [shards, numbers] = *there.find(journals.front().header.shards);
  for (int shard = 1; shard <= shards; ++shard) {
    if (numbers.count(shard) == 0) missing.push_back(shard);
  }
  return missing;
}

JournalContents merge(const std::vector<JournalContents>& journals,
                      const std::vector<std::string>& names) {
  const auto name = [&](std::size_t i) {
    return i < names.size() ? names[i] : fmt::format("journal {}", i + 1);
  };
  const auto raced = [](const JournalContents& journal) { return !journal.sweeps.empty(); };
  const bool any_raced = std::any_of(journals.begin(), journals.end(), raced);
  for (std::size_t i = 0; i < journals.size(); ++i) {
    if (!any_raced || raced(journals[i])) continue;
    throw JournalError(fmt::format(
        "{}: this tuning has not reached its finals, and others have, so none of its kernels could "
        "win; let it go on (the same `tilewright tune` command), or leave it out",
        name(i)));
  }
  for (std::size_t i = 0; i < journals.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_copy(journals[i], journals[j])) continue;
      throw JournalError(
          fmt::format("{} and {} are journals of the same tuning: its samples would count twice",
                      name(j), name(i)));
    }
  }
  Merger merger(journals.front());
  merger.add(journals.front(), nullptr);
  for (std::size_t i = 1; i < journals.size(); ++i) {
    const Scale scale(journals.front(), journals[i], name(0) + " and " + name(i));
    merger.add(journals[i], &scale);
  }
  JournalContents merged = merger.take();
  merged.complete = merged.complete && missing_shards(journals).empty();
  return merged;
}

}  // namespace tilewright
