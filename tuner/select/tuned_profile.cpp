#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include "codelets/space/emit.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/search/pack_requirements.hpp"
#include "tuner/select/distribution.hpp"
#include "tuner/select/fused.hpp"
#include "tuner/select/model_fit.hpp"
#include "tuner/select/objective_costs.hpp"
#include "tuner/select/profile_join.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/select/uncovered.hpp"
#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

std::string statistic_name(const JournalContents& contents, bool finals) {
  const MeasureOptions& options = contents.header.options;
  const bool event_time = options.event_time && (!contents.rates || contents.rates->event_time);
  return fmt::format(
      "{} {} samples, each at least {:g} ms of back-to-back launches, divided by the machine's "
      "slow-down at that moment; low and high are the 10th and 90th percentiles; {}{}",
      finals ? "geometric mean over processes of medians of" : "median of",
      event_time ? "device-time" : "wall-time", options.sample_ns / 1e6,
      finals ? "" : "taken during the search, ",
      options.cold_caches ? "caches flushed before every launch" : "caches warm");
}

// Times and energies vary by more than the digits that are left out, which would make up a third of
// a profile's results.
double with_six_digits(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

// Builds the profile kernel by kernel.
class Builder {
 public:
  Builder(const JournalContents& contents, const Standings& standings)
      : contents_(contents), standings_(standings) {}

  void add_product(const KernelId& kernel);
  bool failed_in_finals(const KernelId& kernel) const {
    const std::optional<std::size_t> finalist = finalist_index(kernel);
    return finalist && contents_.finalist_failures.count(*finalist) > 0;
  }
  void add_fused(const KernelId& plain);
  void add_layers(bool splits);
  void add_auxiliary(const KernelId& kernel) {
    tilewright::add_auxiliary(profile_, contents_.packs, kernel);
  }
  void add_transposition();
  Profile take() { return std::move(profile_); }

 private:
  std::optional<std::size_t> finalist_index(const KernelId& product) const;
  const PlanTime* measured_time(std::size_t finalist, const GemmShape& shape) const;
  std::vector<double> search_samples(const KernelId& kernel, const GemmShape& shape) const;
  void add_result(const KernelRecord& record, const GemmShape& shape,
                  const std::vector<double>& samples_ns, double ns, double max_error,
                  const std::vector<double>& samples_j = {});
  double worst_error(const KernelId& kernel) const;
  // Returns false if the kernel is there already.
  bool add_kernel(const KernelRecord& record);

  const JournalContents& contents_;
  const Standings& standings_;
  Profile profile_;
};

bool Builder::add_kernel(const KernelRecord& record) {
  if (find_kernel(profile_, record.name) != nullptr) return false;
  profile_.kernels.push_back(record);
  return true;
}

std::optional<std::size_t> Builder::finalist_index(const KernelId& product) const {
  const std::vector<KernelId>& finalists = standings_.lineup.finalists;
  const auto found = std::find(finalists.begin(), finalists.end(), product);
  if (found == finalists.end()) return std::nullopt;
  return static_cast<std::size_t>(found - finalists.begin());
}

// Returns the time on a shape, from a plan for any op; nullptr if it was not measured there.
const PlanTime* Builder::measured_time(std::size_t finalist, const GemmShape& shape) const {
  const PlanTime* found = nullptr;
  for (std::size_t p = 0; p < standings_.problems.size(); ++p) {
    if (standings_.problems[p].shape != shape) continue;
    for (std::size_t i = 0; i < standings_.lineup.plans.size(); ++i) {
      const auto& time = standings_.times[p][i];
      if (standings_.lineup.plans[i].finalist != finalist || !time) continue;
      if (found == nullptr || time->kernel_ns.value > found->kernel_ns.value) found = &*time;
    }
  }
  return found;
}

std::vector<double> Builder::search_samples(const KernelId& kernel, const GemmShape& shape) const {
  for (const Outcome& outcome : contents_.outcomes) {
    if (outcome.kernel != kernel) continue;
    const ShapeSamples* samples = samples_on(outcome, shape);
    if (samples != nullptr && !samples->ns.empty()) return corrected_ns(*samples);
  }
  return {};
}

double Builder::worst_error(const KernelId& kernel) const {
  double worst = 0.0;
  for (const Outcome& outcome : contents_.outcomes) {
    if (outcome.kernel == kernel) worst = std::max(worst, outcome.max_error);
  }
  return worst;
}

void Builder::add_product(const KernelId& kernel) {
  const KernelRecord record = emit(kernel.point());
  if (!add_kernel(record)) return;
  const std::optional<std::size_t> finalist = finalist_index(kernel);
  for (const GemmShape& shape : contents_.header.shapes) {
    const PlanTime* time = finalist ? measured_time(*finalist, shape) : nullptr;
    const std::vector<double> samples =
        time != nullptr ? time->samples_ns : search_samples(kernel, shape);
    if (samples.empty()) continue;
    const double ns = time != nullptr ? time->kernel_ns.value : quantile(samples, 0.5);
    const std::vector<double> samples_j = time != nullptr ? time->samples_j : std::vector<double>();
    add_result(record, shape, samples, ns, worst_error(kernel), samples_j);
  }
}

void Builder::add_result(const KernelRecord& record, const GemmShape& shape,
                         const std::vector<double>& samples_ns, double ns, double max_error,
                         const std::vector<double>& samples_j) {
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
  result.gflops = computed_gflops(result);
  result.max_error = max_error;
  if (!samples_j.empty()) {
    const auto [low, high] = std::minmax_element(samples_j.begin(), samples_j.end());
    result.joules = with_six_digits(summarize(samples_j).median);
    result.low_joules = with_six_digits(*low);
    result.high_joules = with_six_digits(*high);
  }
  profile_.results.push_back(std::move(result));
}

// Adds the kernels that compute the same product with bias and activation, with C row-major or in
// the layout that the next layer reads.
void Builder::add_fused(const KernelId& plain) {
  const auto chained = chained_point(plain.point());
  for (const Outcome& outcome : contents_.outcomes) {
    const bool works = outcome.task == kFused && outcome.result == OutcomeClass::kOk;
    if (!works) continue;
    const ParameterPoint product = without_epilogue(outcome.kernel.point());
    if (product != plain.point() && product != chained) continue;
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
void Builder::add_layers(bool splits) {
  for (const auto& [requirement, kernel] : fastest_auxiliaries(contents_.packs)) {
    const auto* reduce = std::get_if<ReducePoint>(&requirement);
    const Codelet codelet = point_codelet(requirement);
    const bool layer =
        codelet == Codelet::kActivation || codelet == Codelet::kSoftmax ||
        (splits && reduce != nullptr && without_epilogue(requirement) != requirement);
    if (layer) add_auxiliary(kernel);
  }
}

// Adds the transposition that general kernels need for TT and for any op that was not tuned.
void Builder::add_transposition() {
  for (const PackOutcome& pack : contents_.packs) {
    const ParameterPoint transposition = PackPoint{.precision = contents_.header.precision};
    if (!pack.reply.kernel.empty() && pack.requirement == transposition) {
      add_auxiliary(pack.reply.kernel);
      return;
    }
  }
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
                  const Builder& builder) {
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.task != kBuiltIn) continue;
    if (!is_failure(outcome) && !builder.failed_in_finals(outcome.kernel)) continue;
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
  if (!contents.energy_rounds.empty()) {
    provenance.objective = header.objective;
    provenance.energy_statistic = fmt::format(
        "smallest, median and largest of up to {} samples, each at least {:g} s of "
        "back-to-back launches, caches warm",
        kEnergySamples, header.energy_sample_s);
    provenance.energy_covers = fmt::format("{}", fmt::join(header.energy_covers, ", "));
  }
  provenance.statistic = statistic_name(contents, contents.lineup && !contents.rounds.empty());
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
  if (portfolio.plans.empty()) {
    throw std::runtime_error(
        "no kernel has been measured yet, so there is no profile; give the tuning more time");
  }
  Builder builder(contents, standings);
  for (const std::size_t plan : portfolio.plans) builder.add_product(standings.kernel(plan));
  // With the times of what runs without the profile, so that nothing slower runs with it.
  for (const KernelId& built_in : standings.built_in) {
    if (!builder.failed_in_finals(built_in)) builder.add_product(built_in);
  }
  const Auxiliaries auxiliaries = fastest_auxiliaries(contents.packs);
  const auto add_packs = [&](const KernelId& kernel, Op op) {
    bool splits = false;
    for (const ParameterPoint& requirement : required_packs({kernel}, op, contents.header.shapes)) {
      const auto found = auxiliaries.find(requirement);
      if (found != auxiliaries.end()) builder.add_auxiliary(found->second);
      splits = splits || point_codelet(requirement) == Codelet::kReduce;
    }
    return splits;
  };
  bool splits = false;
  for (const std::size_t plan : portfolio.plans) {
    const bool adds_up = add_packs(standings.kernel(plan), standings.lineup.plans[plan].op);
    splits = splits || adds_up;
  }
  // Without the time of its packs, what runs without the profile is not known.
  for (const KernelId& built_in : standings.built_in) {
    for (const Op op : contents.header.ops) add_packs(built_in, op);
  }
  builder.add_transposition();
  for (const std::size_t plan : portfolio.plans) builder.add_fused(standings.kernel(plan));
  builder.add_layers(splits);
  Profile profile = builder.take();
  add_large_packs(profile, contents);
  const GenericProfile generic;
  name_failing(profile, generic.get(), contents, builder);
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
