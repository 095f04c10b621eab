#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>

#include "codelets/space/emit.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/search/pack_requirements.hpp"
#include "tuner/select/distribution.hpp"
#include "tuner/select/fused.hpp"
#include "tuner/select/profile_join.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/select/uncovered.hpp"
#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

// A profile that grows kernel by kernel, with their results. A kernel that is there already is not
// added again. Keeps references to all arguments of the constructor. `fitted` has the results of
// all kernels that may be added.
class ProfileKernels {
 public:
  ProfileKernels(const JournalContents& contents, const Standings& standings, const Profile& fitted)
      : contents_(contents), standings_(standings), fitted_(fitted) {}

  // Adds the kernels of the portfolio and the built-in ones, with the auxiliary kernels that they
  // need, and those for networks.
  void add(const Portfolio& portfolio);
  // Names the built-in kernels that failed, so that the library does not run them.
  void name_failing(const Profile& generic);
  Profile take() { return std::move(profile_); }

 private:
  void add_product(const KernelId& kernel);
  bool add_packs(const KernelId& kernel, Op op);
  void add_fused(const KernelId& plain);
  void add_layers(bool splits);
  void add_required(const ParameterPoint& requirement);

  const JournalContents& contents_;
  const Standings& standings_;
  const Profile& fitted_;
  const FinalFailures failures_{failed_finalists(contents_)};
  const Auxiliaries auxiliaries_{fastest_auxiliaries(contents_.packs)};
  Profile profile_;
};

// Adds a kernel with its results on every shape.
void ProfileKernels::add_product(const KernelId& kernel) {
  const std::string& name = kernel.facts().name;
  if (find_kernel(profile_, name) != nullptr) return;
  profile_.kernels.push_back(emit(kernel.point()));
  std::copy_if(fitted_.results.begin(), fitted_.results.end(), std::back_inserter(profile_.results),
               [&](const ShapeResult& result) { return result.kernel == name; });
}

// Adds the auxiliary kernel for a requirement, if one was found.
void ProfileKernels::add_required(const ParameterPoint& requirement) {
  const auto found = auxiliaries_.find(requirement);
  if (found != auxiliaries_.end()) add_auxiliary(profile_, contents_.packs, found->second);
}

// Adds the auxiliary kernels of a product kernel. Returns true if it needs a reduction.
bool ProfileKernels::add_packs(const KernelId& kernel, Op op) {
  bool splits = false;
  for (const ParameterPoint& requirement : required_packs({kernel}, op, contents_.header.shapes)) {
    add_required(requirement);
    splits = splits || point_codelet(requirement) == Codelet::kReduce;
  }
  return splits;
}

// Adds the kernels that compute the same product with bias and activation.
void ProfileKernels::add_fused(const KernelId& plain) {
  for (const Outcome& outcome : contents_.outcomes) {
    const bool works = outcome.task == kFused && outcome.result == OutcomeClass::kOk;
    if (!works) continue;
    if (without_epilogue(outcome.kernel.point()) != plain.point()) continue;
    if (has_better_form(outcome, contents_.outcomes)) continue;
    if (find_kernel(profile_, outcome.kernel.facts().name) != nullptr) continue;
    const KernelRecord& record = profile_.kernels.emplace_back(emit(outcome.kernel.point()));
    for (const ShapeSamples& samples : outcome.shapes) {
      const std::vector<double> ns = corrected_ns(samples);
      profile_.results.push_back(
          shape_result(record, samples.shape, ns, quantile(ns, 0.5), outcome.max_error));
    }
  }
}

// Adds separate activation and softmax kernels, and if a chosen kernel splits k, reduction kernels
// with bias and activation.
void ProfileKernels::add_layers(bool splits) {
  for (const auto& [requirement, kernel] : auxiliaries_) {
    const auto* reduce = std::get_if<ReducePoint>(&requirement);
    const Codelet codelet = point_codelet(requirement);
    const bool layer =
        codelet == Codelet::kActivation || codelet == Codelet::kSoftmax ||
        (splits && reduce != nullptr && without_epilogue(requirement) != requirement);
    if (layer) add_auxiliary(profile_, contents_.packs, kernel);
  }
}

void ProfileKernels::add(const Portfolio& portfolio) {
  for (const OpKernel& entry : portfolio.entries) add_product(entry.kernel);
  // With the times of what runs without the profile, so that nothing slower runs with it.
  for (const KernelId& built_in : standings_.built_in) {
    if (!failures_.contains(built_in)) add_product(built_in);
  }
  bool splits = false;
  for (const OpKernel& entry : portfolio.entries) splits |= add_packs(entry.kernel, entry.op);
  // Without the time of its packs, what runs without the profile is not known.
  for (const KernelId& built_in : standings_.built_in) {
    for (const Op op : contents_.header.ops) add_packs(built_in, op);
  }
  // The transposition that general kernels need for TT and for any op that was not tuned.
  add_required(PackPoint{.precision = contents_.header.precision});
  for (const OpKernel& entry : portfolio.entries) add_fused(entry.kernel);
  add_layers(splits);
}

// Returns true if the library must not run a built-in kernel with this outcome. One of which the
// tuning could measure nothing, because every launch would take too long, is worse than all others.
bool is_failure(const Outcome& outcome) {
  if (outcome.result == OutcomeClass::kSlow) {
    return std::all_of(outcome.shapes.begin(), outcome.shapes.end(),
                       [](const ShapeSamples& samples) { return samples.ns.empty(); });
  }
  return outcome.result != OutcomeClass::kOk && outcome.result != OutcomeClass::kLimits;
}

void ProfileKernels::name_failing(const Profile& generic) {
  for (const Outcome& outcome : contents_.outcomes) {
    if (outcome.task != kBuiltIn) continue;
    if (!is_failure(outcome) && !failures_.contains(outcome.kernel)) continue;
    const auto built_in = built_in_kernel(generic, outcome.kernel.facts().name);
    if (!built_in || find_kernel(profile_, built_in->name) != nullptr) continue;
    profile_.failing_built_in.push_back({built_in->name, compute_code_digest(*built_in), true});
  }
}

std::string statistic_name(const JournalContents& contents) {
  const bool finals = !contents.finals.outcomes.empty();
  const MeasureOptions& options = contents.header.measure;
  const bool event_time = options.event_time && (!contents.rates || contents.rates->event_time);
  return fmt::format(
      "{} {} samples, each at least {:g} ms of back-to-back launches, divided by the machine's "
      "slow-down at that moment; low and high are the 10th and 90th percentiles; {}{}",
      finals ? "geometric mean over processes of medians of" : "median of",
      event_time ? "device-time" : "wall-time", options.sample_ns / 1e6,
      finals ? "" : "taken during the search, ",
      options.cold_caches ? "caches flushed before every launch" : "caches warm");
}

// Kernels that the library has need no text of their own. They come last, as in a profile's text.
void refer_to_built_in(Profile& profile, const Profile& generic) {
  for (KernelRecord& kernel : profile.kernels) {
    auto built_in = built_in_kernel(generic, kernel.name);
    if (built_in && built_in->point == kernel.point) kernel = *std::move(built_in);
  }
  std::stable_partition(profile.kernels.begin(), profile.kernels.end(),
                        [](const KernelRecord& kernel) { return !kernel.built_in; });
}

Provenance make_provenance(const JournalContents& contents, const std::string& command_line) {
  const JournalHeader& header = contents.header;
  Provenance provenance;
  provenance.tool_version = header.tool_version;
  provenance.command_line = command_line;
  provenance.seed = header.seed;
  provenance.space_digest = header.space_digest;
  provenance.complete = contents.complete;
  provenance.statistic = statistic_name(contents);
  provenance.date = contents.sessions.empty() ? header.date : contents.sessions.back().date;
  return provenance;
}

}  // namespace

Profile make_profile(const JournalContents& contents, int max_kernels,
                     const std::string& command_line, const std::optional<Profile>& joined) {
  const Standings standings = tilewright::standings(contents);
  const Profile fitted = fitted_profile(contents, standings, joined);
  const Portfolio portfolio =
      choose_portfolio(over_distribution(standings, contents, fitted), max_kernels);
  if (portfolio.entries.empty()) {
    throw std::runtime_error(
        "no kernel has been measured yet, so there is no profile; give the tuning more time");
  }
  const GenericProfile generic;
  ProfileKernels kernels(contents, standings, fitted);
  kernels.add(portfolio);
  kernels.name_failing(generic.get());
  Profile profile = kernels.take();
  add_large_packs(profile, contents);
  refer_to_built_in(profile, generic.get());
  profile.device = contents.header.device.identity;
  profile.rates = contents.rates.value_or(MeasuredRates{});
  raise_peaks(profile);
  profile.provenance = make_provenance(contents, command_line);
  // They were measured with the joined profile.
  if (const auto validation = summarize_validation(contents)) profile.validations = {*validation};
  if (joined) {
    profile = join_profiles(*joined, profile);
    add_large_packs(profile, contents);
  }
  for (const KernelModel& model : fitted.models) {
    const KernelRecord* kernel = find_kernel(profile, model.kernel);
    if (kernel == nullptr) continue;
    // Only a kernel whose name is in `joined` has a source in `fitted`, that of today. If `joined`
    // has other code for it and it was not chosen, the kernel, results and model of `joined` stay.
    const KernelRecord& measured = *find_kernel(fitted, model.kernel);
    if (measured.source.empty() || is_same_kernel(*kernel, measured)) {
      profile.models.push_back(model);
    } else {
      std::ranges::copy_if(joined->models, std::back_inserter(profile.models),
                           [&](const KernelModel& kept) { return kept.kernel == kernel->name; });
    }
  }
  profile.provenance.not_covered = uncovered_text(profile, contents.header.device);
  return profile;
}

std::set<ParameterPoint> large_pack_requirements(const Profile& profile) {
  std::set<ParameterPoint> requirements;
  for (const KernelRecord& record : profile.kernels) {
    if (record.role != Role::kPack) continue;
    requirements.insert(PackPoint{.precision = record.precision,
                                  .from = record.layout_a,
                                  .to = record.layout_c,
                                  .image = record.images.c,
                                  .large = true});
  }
  return requirements;
}

void add_large_packs(Profile& profile, const JournalContents& contents) {
  const Auxiliaries auxiliaries = fastest_auxiliaries(contents.packs);
  for (const ParameterPoint& requirement : large_pack_requirements(profile)) {
    const auto found = auxiliaries.find(requirement);
    if (found != auxiliaries.end()) add_auxiliary(profile, contents.packs, found->second);
  }
}

std::optional<std::string> explain_excess(const Profile& profile, int max_kernels) {
  const auto kernels =
      std::count_if(profile.kernels.begin(), profile.kernels.end(), [](const KernelRecord& kernel) {
        const bool product = is_product(kernel.role) && !kernel.built_in;
        return product && implements_epilogue(kernel, {}) && kernel.layout_c == Layout::R();
      });
  if (max_kernels <= 0 || kernels <= max_kernels) return std::nullopt;
  return fmt::format(
      "--max-kernels: {} kernels for products are in the profile instead of {}: for each operand "
      "combination one that takes every call stays",
      kernels, max_kernels);
}

}  // namespace tilewright
