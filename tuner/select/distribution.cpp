#include "tuner/select/distribution.hpp"

#include <set>
#include <utility>

#include "runtime/plan/plan_times.hpp"
#include "tuner/search/shape_design.hpp"
#include "tuner/select/model_fit.hpp"
#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kRandomShapes = 400;  // per op
// Weight of all random shapes together, relative to that of all shapes of the design.
constexpr double kWeightOfRandom = 2.0;
constexpr double kWeightOfAsked = 4.0;  // of a shape that the user gave; others have weight 1

// Returns a profile with all kernels of the standings, their times and models. It is used only to
// predict times on shapes that were not measured, before kernels are chosen. The models of the
// tuning's profile are fitted once, in make_profile(), to other data: the results of the chosen
// kernels alone, with those of a joined profile.
Profile predicting_profile(const Standings& standings, const JournalContents& contents) {
  Profile profile;
  profile.device = contents.header.device.identity;
  for (const KernelId& kernel : standings.kernels) {
    profile.kernels.push_back(kernel.facts());
    profile.kernels.back().built_in = standings.built_in.contains(kernel);
  }
  std::set<std::pair<std::size_t, KernelId>> seen;  // shape and kernel, for any op
  const std::size_t shapes = contents.header.shapes.size();
  for (std::size_t problem = 0; problem < standings.problems.size(); ++problem) {
    const GemmShape& shape = standings.problems[problem].shape;
    for (const auto& [kernel, time] : standings.times[problem]) {
      const KernelRecord& record = kernel.facts();
      if (!record.layout_b || !seen.emplace(problem % shapes, kernel).second) continue;
      ShapeResult& result = profile.results.emplace_back();
      result.op = op_from_layouts(record.layout_a, *record.layout_b);
      result.m = shape.m;
      result.n = shape.n;
      result.k = shape.k;
      result.kernel = record.name;
      result.median_ns = time.kernel_ns.value;
    }
  }
  fit_models(profile, ModelErrors::kNotAsked, validated_results(contents));
  return profile;
}

}  // namespace

void weigh_measured(Standings& standings, const JournalHeader& header) {
  const std::size_t asked = header.shapes.size() - header.designed;
  for (std::size_t problem = 0; problem < standings.problems.size(); ++problem) {
    const bool is_asked = problem % header.shapes.size() < asked;
    standings.problems[problem].weight = is_asked ? kWeightOfAsked : 1.0;
  }
}

Standings over_distribution(Standings standings, const JournalContents& contents) {
  const JournalHeader& header = contents.header;
  if (header.designed == 0) return standings;
  const Profile profile = predicting_profile(standings, contents);
  const MeasuredTimes times({&profile});
  const AuxiliaryCost auxiliary = make_auxiliary_cost(contents);
  weigh_measured(standings, header);
  const ShapeBounds bounds =
      shape_bounds(header.device, header.measure.max_dispatch_ns, header.precision);
  const double weight = kWeightOfRandom * static_cast<double>(header.designed) / kRandomShapes;
  for (const Op op : header.ops) {
    for (const GemmShape& shape : random_shapes(kRandomShapes, header.seed, bounds)) {
      standings.problems.push_back({op, shape, weight, true});
      KernelTimes& row = standings.times.emplace_back();
      for (std::size_t i = 0; i < standings.kernels.size(); ++i) {
        const KernelId& kernel = standings.kernels[i];
        const auto ns = times.kernel_ns(profile.kernels[i], shape);
        const auto cost = auxiliary.find(kernel, op, shape);
        if (ns && cost) row[kernel] = PlanTime{{}, {*ns, 0.0}, *cost};
      }
    }
  }
  return standings;
}

Portfolio make_portfolio(const JournalContents& contents, const Standings& standings,
                         int max_kernels) {
  return choose_portfolio(over_distribution(standings, contents), max_kernels);
}

}  // namespace tilewright
