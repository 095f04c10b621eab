#include "tuner/report/plan_results.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "runtime/api/explanation.hpp"
#include "runtime/call/epilogue.hpp"
#include "tuner/bench/device_plans.hpp"
#include "tuner/bench/explanation.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/search/pack_requirements.hpp"

namespace tilewright {
namespace {

// True if the kernel reads both operands of its op as they are. A packed kernel has results for NN,
// whatever the op of the call.
bool reads_in_place(const KernelRecord& kernel, Op op) {
  return kernel.layout_a == op_layout_a(op) &&
         kernel.layout_b.value_or(Layout::R()) == op_layout_b(op);
}

std::string plan_text(const GemmPlan& plan) {
  std::string text;
  for (const PlanStep& step : plan_steps(plan)) {
    if (!text.empty()) text += '+';
    text += step.kernel == &plan.kernel() ? step.kernel->name : std::string(step.name);
  }
  return text;
}

PlanResult plan_result(const Profile& profile, const TunedProduct& product, const GemmPlan& plan) {
  PlanResult result{product, plan_text(plan), plan.kernel()};
  result.ns = result.low_ns = result.high_ns = plan.times.total_ns();
  const GemmShape& shape = product.shape;
  for (const ShapeResult& measured : profile.results) {
    if (measured.kernel != result.kernel.name ||
        GemmShape{measured.m, measured.n, measured.k} != shape)
      continue;
    result.low_ns = measured.low_ns + plan.times.auxiliary_ns();
    result.high_ns = measured.high_ns + plan.times.auxiliary_ns();
    result.samples = measured.samples;
  }
  return result;
}

}  // namespace

std::vector<TunedProduct> tuned_products(const Profile& profile, Precision precision) {
  std::map<std::tuple<double, std::int64_t, std::int64_t, Op>, TunedProduct> products;
  for (const ShapeResult& result : profile.results) {
    const KernelRecord* kernel = find_kernel(profile, result.kernel);
    if (kernel == nullptr || kernel->precision != precision || !implements_epilogue(*kernel, {}) ||
        !reads_in_place(*kernel, result.op)) {
      continue;
    }
    const GemmShape shape{result.m, result.n, result.k};
    products.insert({{flops(shape), result.m, result.n, result.op}, {result.op, shape}});
  }
  std::vector<TunedProduct> all;
  for (const auto& [key, product] : products) all.push_back(product);
  return all;
}

std::vector<PlanResult> plan_results(const Profile& profile, Precision precision) {
  DeviceInfo device = complete_device(described_device(profile));
  device.has_double = true;
  const ProfileStack profiles(profile, device);
  const MeasuredTimes times(profiles.all());
  std::vector<PlanResult> results;
  for (const TunedProduct& product : tuned_products(profile, precision)) {
    GemmProblem problem = dense_problem(product.op, product.shape);
    problem.precision = precision;
    const std::vector<GemmPlan> plans = rank_plans(profiles.all(), times, device, problem);
    // The time of a built-in kernel is unknown if a journal has no results of it.
    const auto is_known = [](const GemmPlan& each) { return each.times.total_ns() > 0.0; };
    const auto plan = std::find_if(plans.begin(), plans.end(), is_known);
    if (plan == plans.end()) continue;
    results.push_back(plan_result(profile, product, *plan));
    const auto next = std::find_if(plan + 1, plans.end(), is_known);
    if (next != plans.end()) results.back().runner_up_ns = next->times.total_ns();
  }
  return results;
}

}  // namespace tilewright
