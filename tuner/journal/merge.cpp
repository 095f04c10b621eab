#include "tuner/journal/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tuner/journal/records/round_estimates.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

using Medians = std::map<KernelId, double>;  // ns, of what a journal has measured on a shape

Medians final_medians(const JournalContents& journal, const GemmShape& shape) {
  Medians medians;
  for (const auto& [kernel, estimate] :
       estimates(journal.finals.outcomes, shape, failed_finalists(journal))) {
    medians[kernel] = estimate.ns;
  }
  return medians;
}

Medians search_medians(const JournalContents& journal, const GemmShape& shape) {
  Medians medians;
  for (const Outcome& outcome : journal.outcomes) {
    const ShapeSamples* samples = samples_on(outcome, shape);
    if (samples == nullptr || samples->ns.empty()) continue;
    medians.emplace(outcome.kernel, median_ns(*samples));
  }
  return medians;
}

// Factors that convert times of a journal to those of the first one.
struct JournalScale {
  double overall = 1.0;  // median of all shapes together
  std::map<std::string, double> by_shape = {};

  // Returns the overall factor if no kernel was measured by both journals on this shape.
  double on(const GemmShape& shape) const {
    const auto found = by_shape.find(to_text(shape));
    return found == by_shape.end() ? overall : found->second;
  }
};

// Compares the kernels that both journals have measured: on each shape in the finals, or else in
// the search. `names` are the journals' for messages.
JournalScale time_scale(const JournalContents& first, const JournalContents& journal,
                        const std::string& names) {
  if (&first == &journal) return {};
  JournalScale scale{0.0};
  for (const auto read_medians : {final_medians, search_medians}) {
    std::vector<double> all;
    for (const GemmShape& shape : first.header.shapes) {
      const Medians known = read_medians(first, shape);
      std::vector<double> ratios;
      for (const auto& [kernel, ns] : read_medians(journal, shape)) {
        const auto found = known.find(kernel);
        if (found != known.end()) ratios.push_back(found->second / ns);
      }
      if (!ratios.empty()) scale.by_shape.emplace(to_text(shape), quantile(ratios, 0.5));
      all.insert(all.end(), ratios.begin(), ratios.end());
    }
    if (scale.overall == 0.0 && !all.empty()) scale.overall = quantile(std::move(all), 0.5);
  }
  if (scale.overall > 0.0) return scale;
  throw JournalError(
      names +
      ": it shares no kernel and shape with the first journal, so their times cannot be compared; "
      "let the tunings reach their finals (which include the built-in kernels), with a shape in "
      "common");
}

template <class Value>
void add_new(std::vector<Value>& all, const Value& value) {
  if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
}

// Has the shapes of all tunings, each once: first those that users asked for, then those of
// designs.
JournalHeader joined_header(const std::vector<JournalContents>& journals) {
  JournalHeader header = journals.front().header;
  header.shard = header.shards = 1;
  header.shapes.clear();
  const auto add = [&](const JournalHeader& of, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) add_new(header.shapes, of.shapes[i]);
  };
  const auto asked = [](const JournalHeader& of) { return of.shapes.size() - of.designed; };
  for (const JournalContents& journal : journals) add(journal.header, 0, asked(journal.header));
  const std::size_t all_asked = header.shapes.size();
  for (const JournalContents& journal : journals) {
    add(journal.header, asked(journal.header), journal.header.shapes.size());
  }
  header.designed = header.shapes.size() - all_asked;
  return header;
}

// Adds the shapes that another outcome of the same candidate has in addition.
void add_shapes(Outcome& outcome, const Outcome& other) {
  if (outcome.result != OutcomeClass::kOk || other.result != OutcomeClass::kOk) return;
  for (const ShapeSamples& samples : other.shapes) {
    if (samples_on(outcome, samples.shape) == nullptr) outcome.shapes.push_back(samples);
  }
  outcome.max_error = std::max(outcome.max_error, other.max_error);
}

bool has_finals(const JournalContents& journal) {
  return !journal.finals.outcomes.empty();
}

// Adds journals one by one.
class Merger {
 public:
  explicit Merger(const JournalHeader& header);
  void add(const JournalContents& journal, const JournalScale& scale);
  JournalContents take() { return std::move(result_); }

 private:
  void add_outcomes(const JournalContents& journal, const JournalScale& scale);
  void add_packs(const JournalContents& journal, const JournalScale& scale);
  void add_finals(const JournalContents& journal, const JournalScale& scale);
  void add_validated(const JournalContents& journal, const JournalScale& scale);

  JournalContents result_;
  int journal_ = 1;  // number of the journal that is being added
  // By task and kernel: index of the outcome in the result.
  std::map<std::pair<std::string, KernelId>, std::size_t> known_;
};

Merger::Merger(const JournalHeader& header) {
  result_.header = header;
  result_.complete = true;
}

void Merger::add(const JournalContents& journal, const JournalScale& scale) {
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(result_.sessions, journal.sessions);
  if (!result_.rates || *result_.rates == DeviceRates{}) result_.rates = journal.rates;
  result_.spent.all_s += journal.spent.all_s;
  result_.complete = result_.complete && journal.complete;
  add_outcomes(journal, scale);
  add_packs(journal, scale);
  add_finals(journal, scale);
  add_validated(journal, scale);
  ++journal_;
}

void scale_times(const JournalScale& scale, Outcome& outcome) {
  for (ShapeSamples& samples : outcome.shapes) {
    const double factor = scale.on(samples.shape);
    for (double& ns : samples.ns) ns *= factor;
    for (double& ns : samples.rejected_ns) ns *= factor;
  }
}

void Merger::add_outcomes(const JournalContents& journal, const JournalScale& scale) {
  for (Outcome outcome : journal.outcomes) {
    scale_times(scale, outcome);
    const std::pair key(outcome.task, outcome.kernel);
    if (const auto [known, is_new] = known_.emplace(key, result_.outcomes.size()); is_new) {
      result_.outcomes.push_back(std::move(outcome));
    } else {
      add_shapes(result_.outcomes[known->second], outcome);
    }
  }
}

void Merger::add_packs(const JournalContents& journal, const JournalScale& scale) {
  const std::vector<Outcome> before = result_.packs;
  for (Outcome pack : journal.packs) {
    const auto same = [&](const Outcome& other) { return other.kernel == pack.kernel; };
    if (std::any_of(before.begin(), before.end(), same)) continue;
    scale_times(scale, pack);
    result_.packs.push_back(std::move(pack));
  }
}

void Merger::add_validated(const JournalContents& journal, const JournalScale& scale) {
  const double factor = scale.overall;
  for (ValidatedProduct product : validated_products(journal)) {
    for (Outcome& plan : product.plans) {
      for (double& ns : plan.shapes.front().ns) ns *= factor;
    }
    product.call_ns *= factor;
    product.built_in_ns *= factor;
    product.launch_ns *= factor;
    result_.products.push_back(std::move(product));
  }
}

void Merger::add_finals(const JournalContents& journal, const JournalScale& scale) {
  if (!has_finals(journal)) return;
  for (const KernelId& kernel : journal.finals.kernels) add_new(result_.finals.kernels, kernel);
  for (const KernelId& baseline : journal.finals.baselines) {
    add_new(result_.finals.baselines, baseline);
  }
  const auto add = [&](Outcome outcome) {
    outcome.journal = journal_;
    scale_times(scale, outcome);
    result_.finals.outcomes.push_back(std::move(outcome));
  };
  for (const Outcome& outcome : journal.finals.outcomes) {
    if (outcome.shapes.empty()) add(outcome);
  }
  const FinalFailures failures = failed_finalists(journal);
  for (const GemmShape& shape : journal.header.shapes) {
    for (Outcome& outcome : even_finals(journal.finals.outcomes, shape, failures)) {
      add(std::move(outcome));
    }
  }
}

// Returns true if two journals belong to the same tuning, even if one of them contains more. The
// exact times of a candidate never repeat.
bool is_copy(const JournalContents& a, const JournalContents& b) {
  const auto timed = [](const Outcome& outcome) {
    return !outcome.shapes.empty() && !outcome.shapes.front().ns.empty();
  };
  const auto first = std::find_if(a.outcomes.begin(), a.outcomes.end(), timed);
  const auto other = std::find_if(b.outcomes.begin(), b.outcomes.end(), timed);
  if (first == a.outcomes.end() || other == b.outcomes.end()) return false;
  return a.header.seed == b.header.seed && first->kernel == other->kernel &&
         first->shapes.front().ns == other->shapes.front().ns && first->at_s == other->at_s;
}

}  // namespace

std::vector<int> missing_shards(const std::vector<JournalContents>& journals) {
  // For each set of shapes, the present shards by number of shards.
  std::vector<std::pair<std::vector<GemmShape>, std::map<int, std::set<int>>>> there;
  for (const JournalContents& journal : journals) {
    const JournalHeader& header = journal.header;
    auto same = std::find_if(there.begin(), there.end(),
                             [&](const auto& other) { return other.first == header.shapes; });
    if (same == there.end()) same = there.insert(same, {header.shapes, {}});
    same->second[header.shards].insert(header.shard);
  }
  for (const auto& [shapes, divisions] : there) {
    // It is sufficient if one division is complete.
    const bool whole = std::any_of(divisions.begin(), divisions.end(), [](const auto& division) {
      return division.second.size() == static_cast<std::size_t>(division.first);
    });
    if (whole) continue;
    std::vector<int> missing;
    const auto& [shards, numbers] = *divisions.begin();
    for (int shard = 1; shard <= shards; ++shard) {
      if (numbers.count(shard) == 0) missing.push_back(shard);
    }
    return missing;
  }
  return {};
}

JournalContents merge(const std::vector<JournalContents>& journals,
                      const std::vector<std::string>& names) {
  const auto name = [&](std::size_t i) {
    return i < names.size() ? names[i] : fmt::format("journal {}", i + 1);
  };
  const bool any_has_finals = std::any_of(journals.begin(), journals.end(), has_finals);
  for (std::size_t i = 0; i < journals.size(); ++i) {
    if (!any_has_finals || has_finals(journals[i])) continue;
    throw JournalError(fmt::format(
        "{}: this tuning has not reached its finals, but others have, so none of its kernels could "
        "win; resume it (run the same `tilewright tune` command again), or leave it out",
        name(i)));
  }
  for (std::size_t i = 0; i < journals.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_copy(journals[i], journals[j])) continue;
      throw JournalError(
          fmt::format("{} and {} are journals of the same tuning, whose samples would count twice",
                      name(j), name(i)));
    }
  }
  Merger merger(joined_header(journals));
  for (std::size_t i = 0; i < journals.size(); ++i) {
    merger.add(journals[i], time_scale(journals.front(), journals[i], name(0) + " and " + name(i)));
  }
  JournalContents merged = merger.take();
  merged.complete = merged.complete && missing_shards(journals).empty();
  // Products that are held out show how good one choice of kernels is.
  if (journals.size() == 1) merged.products = journals.front().products;
  return merged;
}

}  // namespace tilewright
