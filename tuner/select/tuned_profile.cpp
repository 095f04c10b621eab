#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/search/pack_requirements.hpp"
#include "tuner/select/distribution.hpp"
#include "tuner/select/model_fit.hpp"
#include "tuner/select/profile_join.hpp"
#include "tuner/select/profile_kernels.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/select/uncovered.hpp"
#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

std::string statistic_name(const JournalContents& contents, bool finals) {
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

// Adds the kernels of the portfolio and the built-in ones, with the auxiliary kernels that they
// need.
void add_kernels(ProfileKernels& kernels, const JournalContents& contents,
                 const Standings& standings, const Portfolio& portfolio) {
  for (const OpKernel& entry : portfolio.entries) kernels.add_product(entry.kernel);
  // With the times of what runs without the profile, so that nothing slower runs with it.
  for (const KernelId& built_in : standings.built_in) {
    if (!kernels.failed_in_finals(built_in)) kernels.add_product(built_in);
  }
  const Auxiliaries auxiliaries = fastest_auxiliaries(contents.packs);
  const auto add_packs = [&](const KernelId& kernel, Op op) {
    bool splits = false;
    for (const ParameterPoint& requirement : required_packs({kernel}, op, contents.header.shapes)) {
      const auto found = auxiliaries.find(requirement);
      if (found != auxiliaries.end()) kernels.add_auxiliary(found->second);
      splits = splits || point_codelet(requirement) == Codelet::kReduce;
    }
    return splits;
  };
  bool splits = false;
  for (const OpKernel& entry : portfolio.entries) {
    const bool adds_up = add_packs(entry.kernel, entry.op);
    splits = splits || adds_up;
  }
  // Without the time of its packs, what runs without the profile is not known.
  for (const KernelId& built_in : standings.built_in) {
    for (const Op op : contents.header.ops) add_packs(built_in, op);
  }
  kernels.add_transposition();
  for (const OpKernel& entry : portfolio.entries) kernels.add_fused(entry.kernel);
  kernels.add_layers(splits);
}

// Returns true if the library must not run a built-in kernel with this outcome. One of which the
// tuning could measure nothing, because every launch would take too long, is worse than all others.
bool is_failure(const Outcome& outcome) {
  switch (outcome.result) {
    case OutcomeClass::kOk:
    case OutcomeClass::kLimits:
      return false;
    case OutcomeClass::kSlow:
      return std::all_of(outcome.shapes.begin(), outcome.shapes.end(),
                         [](const ShapeSamples& samples) { return samples.ns.empty(); });
    default:
      return true;
  }
}

// Names the built-in kernels that failed, so that the library does not run them.
void name_failing(Profile& profile, const Profile& generic, const JournalContents& contents,
                  const ProfileKernels& kernels) {
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.task != kBuiltIn) continue;
    if (!is_failure(outcome) && !kernels.failed_in_finals(outcome.kernel)) continue;
    const auto built_in = built_in_kernel(generic, outcome.kernel.facts().name);
    if (!built_in || find_kernel(profile, built_in->name) != nullptr) continue;
    profile.failing_built_in.push_back({built_in->name, compute_code_digest(*built_in), true});
  }
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
  provenance.statistic = statistic_name(contents, contents.finalists && !contents.finals.empty());
  provenance.date = contents.sessions.empty() ? header.date : contents.sessions.back().date;
  return provenance;
}

// Puts back the models of types that were not tuned again: the products with which they were
// validated are not in the joined profile.
void keep_models(Profile& profile, const Profile& joined, Precision tuned) {
  for (KernelModel& model : profile.models) {
    const auto before =
        std::find_if(joined.models.begin(), joined.models.end(),
                     [&](const KernelModel& other) { return other.kernel == model.kernel; });
    const KernelRecord* kernel = find_kernel(profile, model.kernel);
    if (before == joined.models.end() || kernel == nullptr) continue;
    if (kernel->precision != tuned) {
      model = *before;
    } else {
      model.max_work = std::max(model.max_work, before->max_work);
    }
  }
}

}  // namespace

Profile make_profile(const JournalContents& contents, int max_kernels,
                     const std::string& command_line, const std::optional<Profile>& joined) {
  const Standings standings = tilewright::standings(contents);
  const Portfolio portfolio = make_portfolio(contents, standings, max_kernels);
  if (portfolio.entries.empty()) {
    throw std::runtime_error(
        "no kernel has been measured yet, so there is no profile; give the tuning more time");
  }
  ProfileKernels kernels(contents, standings);
  add_kernels(kernels, contents, standings, portfolio);
  Profile profile = kernels.take();
  add_large_packs(profile, contents);
  const GenericProfile generic;
  name_failing(profile, generic.get(), contents, kernels);
  refer_to_built_in(profile, generic.get());
  profile.device = contents.header.device.identity;
  profile.rates = contents.rates.value_or(DeviceRates{});
  raise_peaks(profile);
  profile.provenance = make_provenance(contents, command_line);
  // They were measured with the joined profile.
  if (const auto validation = summarize_validation(contents)) profile.validations = {*validation};
  if (joined) {
    profile = join_profiles(*joined, profile);
    add_large_packs(profile, contents);
  }
  fit_models(profile, ModelErrors::kKnown, validated_results(contents));
  if (joined) keep_models(profile, *joined, contents.header.precision);
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
