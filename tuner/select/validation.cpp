#include "tuner/select/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/journal/records/statistics.hpp"
#include "tuner/search/shape_design.hpp"

namespace tilewright {
namespace {

// If the launch takes more than this share of a call, its time depends on the driver rather than on
// the kernel.
constexpr double kMaxLaunchShare = 0.5;

double best_ns(const ValidatedProduct& product) {
  double best = product.built_in_ns > 0.0 ? product.built_in_ns : product.plans.front().ns;
  for (const ValidatedPlan& plan : product.plans) best = std::min(best, plan.ns);
  return best;
}

// Computes the geometric mean and the minimum of ratios.
struct Ratios {
  double sum_of_logs = 0.0;
  double least = 0.0;
  int count = 0;

  void add(double ratio) {
    sum_of_logs += std::log(ratio);
    least = count == 0 ? ratio : std::min(least, ratio);
    ++count;
  }
  double mean() const { return count == 0 ? 0.0 : std::exp(sum_of_logs / count); }
};

Ratios shares_of_best(std::span<const ValidatedProduct> products) {
  Ratios ratios;
  for (const ValidatedProduct& product : products) {
    ratios.add(best_ns(product) / product.plans.front().ns);
  }
  return ratios;
}

bool is_informative(const ValidatedProduct& product, const ValidatedPlan& plan) {
  return plan.predicted_ns > 0.0 && product.launch_ns < kMaxLaunchShare * plan.ns;
}

// Returns the median of measured time / predicted time of the calls. It differs from 1 because wall
// times are measured, at another time than the finals.
double times_predicted(const std::vector<ValidatedProduct>& products) {
  std::vector<double> ratios;
  for (const ValidatedProduct& product : products) {
    for (const ValidatedPlan& plan : product.plans) {
      if (!is_informative(product, plan)) continue;
      ratios.push_back((plan.ns - product.launch_ns) / plan.predicted_ns);
    }
  }
  return ratios.empty() ? 1.0 : quantile(std::move(ratios), 0.5);
}

}  // namespace

std::vector<RandomProduct> random_products(const JournalHeader& header, std::size_t count,
                                           std::size_t draw) {
  const ShapeBounds bounds =
      shape_bounds(header.device, header.options.max_dispatch_ns, header.precision);
  // A different random stream from that of the shapes for which kernels are chosen
  // (distribution.cpp).
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  const std::uint64_t seed = header.seed + kStep * (draw + 1);
  std::vector<RandomProduct> products;
  for (const GemmShape& shape :
       random_shapes((count + header.ops.size() - 1) / header.ops.size(), seed, bounds)) {
    for (const Op op : header.ops) products.push_back({op, shape});
  }
  return products;
}

double regret(std::span<const ValidatedProduct> products) {
  const Ratios ratios = shares_of_best(products);
  return ratios.count == 0 ? 0.0 : 1.0 / ratios.mean() - 1.0;
}

std::vector<ShapeResult> validated_results(const JournalContents& contents) {
  const AuxiliaryCost auxiliary = make_auxiliary_cost(contents);
  const double scale = times_predicted(contents.validated);
  std::vector<ShapeResult> results;
  for (const ValidatedProduct& product : contents.validated) {
    for (const ValidatedPlan& plan : product.plans) {
      if (!is_informative(product, plan)) continue;
      const auto cost = auxiliary.find(plan.kernel, product.op, product.shape);
      if (!cost) continue;
      // Packing may have been faster than predicted.
      constexpr double kMinOfKernel = 0.2;
      const double call_ns = (plan.ns - product.launch_ns) / scale;
      const KernelRecord& kernel = plan.kernel.facts();
      ShapeResult& result = results.emplace_back();
      result.op = op_from_layouts(kernel.layout_a, kernel.layout_b.value_or(Layout::R()));
      result.m = product.shape.m;
      result.n = product.shape.n;
      result.k = product.shape.k;
      result.kernel = kernel.name;
      result.median_ns = std::max(call_ns - cost->ns, kMinOfKernel * call_ns);
    }
  }
  return results;
}

Validation summarize_validation(const JournalContents& contents) {
  const Ratios of_best = shares_of_best(contents.held_out);
  Ratios times_built_in;
  for (const ValidatedProduct& product : contents.held_out) {
    if (product.built_in_ns > 0.0) {
      times_built_in.add(product.built_in_ns / product.plans.front().ns);
    }
  }
  if (of_best.count == 0 || times_built_in.count == 0) return {};
  return {of_best.count, of_best.mean(), of_best.least, times_built_in.mean(),
          times_built_in.least};
}

std::vector<std::string> validation_lines(const Validation& validation) {
  if (validation.products == 0) return {};
  return {
      fmt::format("on {} random products that took no part in the tuning, calls are {:.2f} x as "
                  "fast as without this profile (slowest: {:.2f} x)",
                  validation.products, validation.times_built_in, validation.worst_times_built_in),
      fmt::format("the chosen plan reaches {:.1f} % of the speed of the best known plan (worst: "
                  "{:.0f} %)",
                  100.0 * validation.of_best, 100.0 * validation.worst_of_best)};
}

}  // namespace tilewright
