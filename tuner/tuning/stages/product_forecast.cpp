#include "tuner/tuning/stages/product_forecast.hpp"

#include <algorithm>

#include "tuner/search/pack_requirements.hpp"

namespace tilewright {
namespace {

constexpr double kRounds = 9.0;
constexpr double kSample_ns = 2e6;    // at least, of each competitor in each round
constexpr double kElement_ns = 50.0;  // to make, copy and check an element of an operand

double num_elements(const GemmShape& shape) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  return m * k + k * n + m * n;
}

}  // namespace

ProductForecasts::ProductForecasts(const Profile& tuned, const Profile& built_in,
                                   const Profile* other, const DeviceInfo& device,
                                   Precision precision, double max_dispatch_ns)
    : tuned_({&tuned, &built_in}),
      built_in_({&built_in}),
      device_(device),
      precision_(precision),
      max_dispatch_ns_(max_dispatch_ns) {
  if (other != nullptr) other_.emplace(std::vector<const Profile*>{other, &built_in});
}

ProductForecast ProductForecasts::forecast(const RandomProduct& product, bool held_out) const {
  GemmProblem problem = dense_problem(product.op, product.shape);
  problem.precision = precision_;
  const auto rank = [&](const Ranking& ranking) {
    return rank_plans(ranking.profiles, ranking.times, device_, problem);
  };
  const std::vector<GemmPlan> plans = rank(tuned_);
  // The tuned profile knows the times of built-in kernels better.
  const auto known_ns = [&](const GemmPlan& plan) {
    const auto same = std::find_if(plans.begin(), plans.end(), [&](const GemmPlan& other) {
      return other.kernel().name == plan.kernel().name;
    });
    return (same == plans.end() ? plan : *same).times.total_ns();
  };
  ProductForecast forecast;
  double calls_ns = 0.0;
  const auto add = [&](double ns) { calls_ns += ns + std::max(ns, kSample_ns); };  // and warm-up
  const auto add_call = [&](const std::vector<GemmPlan>& ranked) {
    if (ranked.empty()) return;
    const double ns = known_ns(ranked.front());
    add(ns);
    forecast.longest_call_ns = std::max(forecast.longest_call_ns, ns);
  };
  add_call(plans);
  add_call(rank(built_in_));
  if (held_out && other_) {
    // Only the comparison is left out if the other profile is too slow.
    const std::vector<GemmPlan> others = rank(*other_);
    const double ns = others.empty() ? 0.0 : known_ns(others.front());
    forecast.compares_other = ns <= max_dispatch_ns_;
    if (forecast.compares_other) add(ns);
  }
  for (std::size_t i = 0; i < std::min(kMeasuredPlans, plans.size()); ++i) {
    const double ns = plans[i].times.total_ns();
    if (ns <= max_dispatch_ns_) add(ns);
  }
  forecast.seconds = 1e-9 * (kRounds * calls_ns + kElement_ns * num_elements(product.shape));
  return forecast;
}

}  // namespace tilewright
