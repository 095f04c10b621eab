#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "codelets/space/emit.hpp"
#include "tuner/finals/baseline.hpp"
#include "tuner/finals/fused.hpp"
#include "tuner/finals/selection.hpp"
#include "tuner/finals/sweeps.hpp"
#include "tuner/measure/pack_candidates.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/statistics.hpp"

namespace tilewright {
namespace {

std::string statistic_of(const JournalContents& contents, bool finals) {
  const MeasureOptions& options = contents.header.options;
  const bool forks = finals && std::any_of(contents.sweeps.begin(), contents.sweeps.end(),
                                           [](const Sweep& sweep) { return sweep.fork > 0; });
  return fmt::format(
      "{} {} samples, each at least {:g} ms of back-to-back launches, {}corrected by the "
      "machine's pace at that moment; low and high are the 10th and 90th percentiles; {}",
      forks
          ? "geometric mean over processes (where there were three, else the median), weighted by "
            "how calm the machine was, of"
          : "median of",
      options.event_time && (!contents.rates || contents.rates->event_time) ? "device-time"
                                                                            : "wall-time",
      options.sample_ns / 1e6, finals ? "" : "taken during the search, ",
      options.cold_caches ? "caches flushed before every launch" : "caches warm");
}

// Builds the profile kernel by kernel.
class Builder {
 public:
  Builder(const JournalContents& contents, const Lineup& lineup)
      : contents_(contents), lineup_(lineup) {
    for (const GemmShape& shape : contents.header.shapes) {
      const bool finals = contents.lineup && !contents.sweeps.empty();
      times_.push_back(finals ? corrected(contents.sweeps, shape) : CorrectedSweeps());
    }
  }

  void add_product(const std::string& point);
  void add_fused(const std::string& plain);
  void add_layers(bool splits);
  void add_auxiliary(const std::string& point);
  void add_transposition();
  Profile take() { return std::move(profile_); }

 private:
  std::optional<std::size_t> finalist_of(const std::string& product) const;
  std::vector<double> search_samples(const std::string& point, std::size_t shape) const;
  void add_result(const KernelRecord& record, const GemmShape& shape,
                  const std::vector<double>& samples_ns, double ns, double max_error);
  double max_error_of(const std::string& point) const;
  // False if the kernel is there already.
  bool add_kernel(const KernelRecord& record);

  const JournalContents& contents_;
  const Lineup& lineup_;
  std::vector<CorrectedSweeps> times_;  // per shape
  Profile profile_;
};

bool Builder::add_kernel(const KernelRecord& record) {
  if (find_kernel(profile_, record.name) != nullptr) return false;
  profile_.kernels.push_back(record);
  return true;
}

std::optional<std::size_t> Builder::finalist_of(const std::string& product) const {
  for (std::size_t i = 0; i < lineup_.finalists.size(); ++i) {
    const Finalist& finalist = lineup_.finalists[i];
    if (finalist.job == Finalist::Job::kProduct && finalist.point == product) return i;
  }
  return std::nullopt;
}

std::vector<double> Builder::search_samples(const std::string& point, std::size_t shape) const {
  for (const Outcome& outcome : contents_.outcomes) {
    if (outcome.point != point) continue;
    const ShapeSamples* samples = samples_on(outcome, contents_.header.shapes[shape]);
    if (samples != nullptr && !samples->ns.empty()) return corrected_ns(*samples);
  }
  return {};
}

double Builder::max_error_of(const std::string& point) const {
  double worst = 0.0;
  for (const Outcome& outcome : contents_.outcomes) {
    if (outcome.point == point) worst = std::max(worst, outcome.max_error);
  }
  return worst;
}

void Builder::add_product(const std::string& point) {
  const KernelRecord record = emit(parse_point(point));
  if (!add_kernel(record)) return;
  const std::optional<std::size_t> finalist = finalist_of(point);
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const bool raced = finalist && times_[i].samples.count(*finalist) > 0;
    const std::vector<double> samples =
        raced ? times_[i].samples.at(*finalist) : search_samples(point, i);
    if (samples.empty()) continue;
    const double ns = raced ? times_[i].time_of(*finalist).value : quantile(samples, 0.5);
    add_result(record, contents_.header.shapes[i], samples, ns, max_error_of(point));
  }
}

void Builder::add_result(const KernelRecord& record, const GemmShape& shape,
                         const std::vector<double>& samples_ns, double ns, double max_error) {
  // The runtime looks for a kernel's results under the op that its own layouts make.
  const Op op = op_of(record.layout_a, record.layout_b.value_or(Layout::R()));
  const Summary summary = summarize(samples_ns);
  profile_.results.push_back({op, shape.m, shape.n, shape.k, record.name, ns,
                              std::min(summary.low, ns), std::max(summary.high, ns),
                              summary.samples, flops(shape) / ns, max_error});
}

// The kernels that do a network's part beside the same product, their results row by row or as the
// next layer reads them.
void Builder::add_fused(const std::string& plain) {
  const auto chained_kernel = chained_point(parse_point(plain));
  const std::string chained = chained_kernel ? to_text(*chained_kernel) : plain;
  for (const Outcome& outcome : contents_.outcomes) {
    const bool works = outcome.phase == kFused && outcome.result == OutcomeClass::kOk;
    if (!works) continue;
    const ParameterPoint point = parse_point(outcome.point);
    const std::string product = to_text(without_epilogue(point));
    if (product != plain && product != chained) continue;
    const KernelRecord record = emit(point);
    if (!add_kernel(record)) continue;
    for (const ShapeSamples& samples : outcome.shapes) {
      const std::vector<double> ns = corrected_ns(samples);
      add_result(record, samples.shape, ns, quantile(ns, 0.5), outcome.max_error);
    }
  }
}

// What does a network's part by itself; after a split k only if there is one.
void Builder::add_layers(bool splits) {
  for (const auto& [demand, point] : fastest_auxiliaries(contents_.packs)) {
    const auto* reduce = std::get_if<ReducePoint>(&demand);
    const Codelet codelet = codelet_of(demand);
    const bool layer = codelet == Codelet::kActivation || codelet == Codelet::kSoftmax ||
                       (splits && reduce != nullptr && *reduce != ReducePoint{});
    if (layer) add_auxiliary(point);
  }
}

void Builder::add_auxiliary(const std::string& point) {
  const KernelRecord record = emit(parse_point(point));
  if (!add_kernel(record)) return;
  if (record.role == Role::kReduce) return;
  for (const PackOutcome& pack : contents_.packs) {
    if (pack.reply.point != point || !(pack.reply.ns_per_element > 0.0)) continue;
    profile_.pack_results.push_back(
        {record.name, pack.reply.ns_per_element, moved_extent(parse_point(point))});
    return;
  }
}

// What TT, and any op that was not tuned, needs before a general kernel.
void Builder::add_transposition() {
  for (const PackOutcome& pack : contents_.packs) {
    if (!pack.reply.point.empty() && parse_point(pack.demand) == ParameterPoint(PackPoint{})) {
      add_auxiliary(pack.reply.point);
      return;
    }
  }
}

Provenance provenance_of(const JournalContents& contents, const std::string& command_line) {
  const JournalHeader& header = contents.header;
  Provenance provenance;
  provenance.tool_version = header.tool_version;
  provenance.command_line = command_line;
  provenance.seed = header.seed;
  provenance.space_digest = header.space_digest;
  provenance.complete = contents.complete;
  provenance.statistic = statistic_of(contents, contents.lineup && !contents.sweeps.empty());
  provenance.date = contents.sessions.empty() ? header.date : contents.sessions.back().date;
  return provenance;
}

}  // namespace

Profile profile_of(const JournalContents& contents, int max_kernels,
                   const std::string& command_line) {
  const Standings standings = tilewright::standings(contents);
  const Portfolio portfolio = choose_portfolio(standings, max_kernels);
  if (portfolio.ways.empty()) {
    throw std::runtime_error(
        "no kernel has been measured yet, so there is no profile; give the tuning more time");
  }
  Builder builder(contents, standings.lineup);
  const Lineup& lineup = standings.lineup;
  for (const std::size_t way : portfolio.ways) {
    builder.add_product(lineup.finalists[lineup.ways[way].product].point);
  }
  // With its times beside those of the others, so that none that is slower serves.
  for (const Op op : contents.header.ops) {
    const std::string baseline = baseline_of(contents.outcomes, op, contents.header.device.limits);
    if (!baseline.empty()) builder.add_product(baseline);
  }
  for (const std::size_t way : portfolio.ways) {
    const Way& w = lineup.ways[way];
    for (const auto& auxiliary : {w.pack_a, w.pack_b, w.reduce}) {
      if (auxiliary) builder.add_auxiliary(lineup.finalists[*auxiliary].point);
    }
  }
  builder.add_transposition();
  bool splits = false;
  for (const std::size_t way : portfolio.ways) {
    builder.add_fused(lineup.finalists[lineup.ways[way].product].point);
    splits = splits || lineup.ways[way].reduce;
  }
  builder.add_layers(splits);
  Profile profile = builder.take();
  add_large_packs(profile, contents);
  profile.device = contents.header.device.identity;
  profile.rates = contents.rates.value_or(DeviceRates{});
  for (const ShapeResult& result : profile.results) raise_peak(profile.rates, result.gflops);
  profile.provenance = provenance_of(contents, command_line);
  return profile;
}

std::set<ParameterPoint> large_demands(const Profile& profile) {
  std::set<ParameterPoint> demands;
  for (const KernelRecord& record : profile.kernels) {
    if (record.role != Role::kPack) continue;
    demands.insert(PackPoint{
        .from = record.layout_a, .to = record.layout_c, .image = record.images.c, .large = true});
  }
  return demands;
}

void add_large_packs(Profile& profile, const JournalContents& contents) {
  const Auxiliaries auxiliaries = fastest_auxiliaries(contents.packs);
  for (const ParameterPoint& demand : large_demands(profile)) {
    const auto found = auxiliaries.find(demand);
    if (found == auxiliaries.end()) continue;
    const KernelRecord record = emit(parse_point(found->second));
    if (find_kernel(profile, record.name) != nullptr) continue;
    for (const PackOutcome& pack : contents.packs) {
      if (pack.reply.point != found->second) continue;
      profile.kernels.push_back(record);
      profile.pack_results.push_back({record.name, pack.reply.ns_per_element, kLargeMovedExtent});
      break;
    }
  }
}

std::optional<std::string> excess_of(const Profile& profile, int max_kernels) {
  const auto kernels =
      std::count_if(profile.kernels.begin(), profile.kernels.end(), [](const KernelRecord& kernel) {
        const bool product = kernel.role == Role::kGemm || kernel.role == Role::kGemv;
        return product && meets(kernel, {}) && kernel.layout_c == Layout::R();
      });
  if (max_kernels <= 0 || kernels <= max_kernels) return std::nullopt;
  return fmt::format(
      "--max-kernels: {} kernels for products are in the profile instead of {}: for each operand "
      "combination one that takes every call stays",
      kernels, max_kernels);
}

}  // namespace tilewright
