#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
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
#include "tuner/select/model_fit.hpp"
#include "tuner/select/profile_join.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/select/uncovered.hpp"
#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

// Times and energies vary by more than the digits that are left out, which would make up a third of
// a profile's results.
double with_six_digits(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

// A profile that grows kernel by kernel, with their results. A kernel that is there already is not
// added again. Keeps references to both arguments of the constructor.
class ProfileKernels {
 public:
  ProfileKernels(const JournalContents& contents, const Standings& standings)
      : contents_(contents), standings_(standings) {}

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
  const PlanTime* measured_time(const KernelId& kernel, const GemmShape& shape) const;
  std::vector<double> search_samples(const KernelId& kernel, const GemmShape& shape) const;
  void add_result(const KernelRecord& record, const GemmShape& shape,
                  const std::vector<double>& samples_ns, double ns, double max_error);
  // Returns false if the kernel is there already.
  bool add_kernel(const KernelRecord& record);

  const JournalContents& contents_;
  const Standings& standings_;
  const FinalFailures failures_{failed_finalists(contents_)};
  const Auxiliaries auxiliaries_{fastest_auxiliaries(contents_.packs)};
  Profile profile_;
};

bool ProfileKernels::add_kernel(const KernelRecord& record) {
  if (find_kernel(profile_, record.name) != nullptr) return false;
  profile_.kernels.push_back(record);
  return true;
}

// Returns the time on a shape, for any op; nullptr if it was not measured there.
const PlanTime* ProfileKernels::measured_time(const KernelId& kernel,
                                              const GemmShape& shape) const {
  const PlanTime* found = nullptr;
  for (std::size_t p = 0; p < standings_.problems.size(); ++p) {
    if (standings_.problems[p].shape != shape) continue;
    const PlanTime* const time = standings_.time(p, kernel);
    if (time == nullptr) continue;
    if (found == nullptr || time->kernel_ns.value > found->kernel_ns.value) found = time;
  }
  return found;
}

std::vector<double> ProfileKernels::search_samples(const KernelId& kernel,
                                                   const GemmShape& shape) const {
  for (const Outcome& outcome : contents_.outcomes) {
    if (outcome.kernel != kernel) continue;
    const ShapeSamples* samples = samples_on(outcome, shape);
    if (samples != nullptr && !samples->ns.empty()) return corrected_ns(*samples);
  }
  return {};
}

// Adds a kernel with its results on every shape.
void ProfileKernels::add_product(const KernelId& kernel) {
  const KernelRecord record = emit(kernel.point());
  if (!add_kernel(record)) return;
  double worst_error = 0.0;
  for (const Outcome& outcome : contents_.outcomes) {
    if (outcome.kernel == kernel) worst_error = std::max(worst_error, outcome.max_error);
  }
  for (const GemmShape& shape : contents_.header.shapes) {
    const PlanTime* time = measured_time(kernel, shape);
    const std::vector<double> samples =
        time != nullptr ? time->samples_ns : search_samples(kernel, shape);
    if (samples.empty()) continue;
    const double ns = time != nullptr ? time->kernel_ns.value : quantile(samples, 0.5);
    add_result(record, shape, samples, ns, worst_error);
  }
}

void ProfileKernels::add_result(const KernelRecord& record, const GemmShape& shape,
                                const std::vector<double>& samples_ns, double ns,
                                double max_error) {
  ShapeResult result;
  // The runtime looks up the results of a kernel under the op that corresponds to its own layouts.
  result.op = op_from_layouts(record.layout_a, record.layout_b.value_or(Layout::R()));
  result.m = shape.m;
  result.n = shape.n;
  result.k = shape.k;
  result.kernel = record.name;
  const Summary summary = summarize(samples_ns);
  result.median_ns = with_six_digits(ns);
  result.low_ns = with_six_digits(std::min(summary.low, ns));
  result.high_ns = with_six_digits(std::max(summary.high, ns));
  result.samples = summary.samples;
  result.max_error = max_error;
  profile_.results.push_back(std::move(result));
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
    const KernelRecord record = emit(outcome.kernel.point());
    if (!add_kernel(record)) continue;
    for (const ShapeSamples& samples : outcome.shapes) {
      const std::vector<double> ns = corrected_ns(samples);
      add_result(record, samples.shape, ns, quantile(ns, 0.5), outcome.max_error);
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
  const GenericProfile generic;
  ProfileKernels kernels(contents, standings);
  kernels.add(portfolio);
  kernels.name_failing(generic.get());
  Profile profile = kernels.take();
  add_large_packs(profile, contents);
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
