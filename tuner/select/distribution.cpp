#include "tuner/select/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "codelets/space/emit.hpp"
#include "runtime/plan/plan_times.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/search/shape_design.hpp"
#include "tuner/select/model_fit.hpp"
#include "tuner/select/profile_join.hpp"
#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kRandomShapes = 400;  // per op
// Weight of all random shapes together, relative to that of all shapes of the design.
constexpr double kWeightOfRandom = 2.0;
constexpr double kWeightOfAsked = 4.0;  // of a shape that the user gave; others have weight 1

// Times vary by more than the digits that are left out, which would make up a third of a profile's
// results.
double with_six_digits(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

// Adds the results of a kernel on every shape on which it was measured: in the finals, or else in
// the search.
void add_results(const KernelId& kernel, const JournalContents& contents,
                 const Standings& standings, Profile& profile) {
  std::vector<const Outcome*> trials;
  double max_error = 0.0;
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.kernel != kernel) continue;
    trials.push_back(&outcome);
    max_error = std::max(max_error, outcome.max_error);
  }
  const std::vector<GemmShape>& shapes = contents.header.shapes;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    std::vector<double> samples_ns;
    double ns = 0.0;
    // Of a kernel that dropped out of the finals, the time depends on the op (kernel_times()).
    for (std::size_t p = i; p < standings.problems.size(); p += shapes.size()) {
      const PlanTime* const time = standings.time(p, kernel);
      if (time == nullptr || time->kernel_ns.value <= ns) continue;
      samples_ns = time->samples_ns;
      ns = time->kernel_ns.value;
    }
    for (const Outcome* trial : trials) {
      const ShapeSamples* const samples = samples_on(*trial, shapes[i]);
      if (ns > 0.0 || samples == nullptr || samples->ns.empty()) continue;
      samples_ns = corrected_ns(*samples);
      ns = quantile(samples_ns, 0.5);
    }
    if (ns == 0.0) continue;
    profile.results.push_back(shape_result(kernel.facts(), shapes[i], samples_ns, ns, max_error));
  }
}

// Puts back the models of types that were not tuned again: the products with which they were
// validated are not in the joined profile.
void keep_models(Profile& profile, const Profile& joined, Precision tuned) {
  for (KernelModel& model : profile.models) {
    const auto before = std::ranges::find(joined.models, model.kernel, &KernelModel::kernel);
    if (before == joined.models.end()) continue;
    if (find_kernel(profile, model.kernel)->precision != tuned) model = *before;
    model.max_work = std::max(model.max_work, before->max_work);
  }
}

}  // namespace

void weigh_measured(Standings& standings, const JournalHeader& header) {
  const std::size_t asked = header.shapes.size() - header.designed;
  for (std::size_t problem = 0; problem < standings.problems.size(); ++problem) {
    const bool is_asked = problem % header.shapes.size() < asked;
    standings.problems[problem].weight = is_asked ? kWeightOfAsked : 1.0;
  }
}

ShapeResult shape_result(const KernelRecord& kernel, const GemmShape& shape,
                         const std::vector<double>& samples_ns, double ns, double max_error) {
  ShapeResult result;
  // The runtime looks up the results of a kernel under the op that corresponds to its own layouts.
  result.op = op_from_layouts(kernel.layout_a, kernel.layout_b.value_or(Layout::R()));
  result.m = shape.m;
  result.n = shape.n;
  result.k = shape.k;
  result.kernel = kernel.name;
  const Summary summary = summarize(samples_ns);
  result.median_ns = with_six_digits(ns);
  result.low_ns = with_six_digits(std::min(summary.low, ns));
  result.high_ns = with_six_digits(std::max(summary.high, ns));
  result.samples = summary.samples;
  result.max_error = max_error;
  return result;
}

Profile fitted_profile(const JournalContents& contents, const Standings& standings,
                       const std::optional<Profile>& joined) {
  Profile profile;
  profile.device = contents.header.device.identity;
  profile.rates = contents.rates.value_or(MeasuredRates{});
  const FinalFailures failures = failed_finalists(contents);
  const auto add = [&](const KernelId& kernel) {
    const std::string& name = kernel.facts().name;
    if (failures.contains(kernel) || find_kernel(profile, name) != nullptr) return;
    // Only the source tells whether a joined profile has the same kernel.
    const bool is_joined = joined && find_kernel(*joined, name) != nullptr;
    profile.kernels.push_back(is_joined ? emit(kernel.point()) : kernel.facts());
    add_results(kernel, contents, standings, profile);
  };
  for (const KernelId& kernel : standings.kernels) add(kernel);
  for (const KernelId& built_in : standings.built_in) add(built_in);
  if (joined) profile = join_profiles(*joined, profile);
  fit_models(profile, validated_results(contents));
  if (joined) keep_models(profile, *joined, contents.header.precision);
  return profile;
}

Standings over_distribution(Standings standings, const JournalContents& contents,
                            const Profile& fitted) {
  const JournalHeader& header = contents.header;
  if (header.designed == 0) return standings;
  const MeasuredTimes times({&fitted});
  const AuxiliaryCost auxiliary = make_auxiliary_cost(contents);
  weigh_measured(standings, header);
  const ShapeBounds bounds =
      shape_bounds(header.device, header.measure.max_dispatch_ns, header.precision);
  const double weight = kWeightOfRandom * static_cast<double>(header.designed) / kRandomShapes;
  const std::size_t num_measured = standings.problems.size();
  for (const Op op : header.ops) {
    for (const GemmShape& shape : random_shapes(kRandomShapes, header.seed, bounds)) {
      standings.problems.push_back({op, shape, weight, true});
    }
  }
  standings.times.resize(standings.problems.size());
  for (const KernelId& kernel : standings.kernels) {
    const KernelRecord* const record = find_kernel(fitted, kernel.facts().name);
    if (record == nullptr) continue;
    for (std::size_t p = num_measured; p < standings.problems.size(); ++p) {
      const Standings::Problem& problem = standings.problems[p];
      const auto ns = times.kernel_ns(*record, problem.shape);
      const auto cost = auxiliary.find(kernel, problem.op, problem.shape);
      if (ns && cost) standings.times[p][kernel] = PlanTime{{}, {*ns, 0.0}, *cost};
    }
  }
  return standings;
}

Portfolio make_portfolio(const JournalContents& contents, const Standings& standings,
                         int max_kernels, const std::optional<Profile>& joined) {
  const Profile fitted = fitted_profile(contents, standings, joined);
  return choose_portfolio(over_distribution(standings, contents, fitted), max_kernels);
}

}  // namespace tilewright
