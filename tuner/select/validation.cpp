#include "tuner/select/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/search/screening.hpp"
#include "tuner/search/shape_design.hpp"
#include "tuner/select/baseline.hpp"

namespace tilewright {
namespace {

// If the launch takes more than this share of a call, its time depends on the driver rather than on
// the kernel.
constexpr double kMaxLaunchShare = 0.5;
// If packing and adding up parts are predicted to take more than this share of the rest, the error
// of that prediction is too large for the time of the product kernel, which is what remains
// (docs/lessons.md, "Models and plans").
constexpr double kMaxAuxiliaryShare = 0.25;

const std::vector<double>& samples_ns(const Outcome& plan) {
  return plan.shapes.front().ns;
}

// The 10th percentile of the rounds: few short samples on a busy CPU have medians that are off by
// factors.
double plan_ns(const Outcome& plan) {
  return quantile(samples_ns(plan), 0.1);
}

// The speed of the chosen plan as a share of the best known one's. What runs without the profile is
// known, too, but only as a call, so it is compared with the call.
double share_of_best(const ValidatedProduct& product) {
  double share = 1.0;
  for (const Outcome& plan : product.plans) {
    share = std::min(share, plan_ns(plan) / plan_ns(product.plans.front()));
  }
  if (product.built_in_ns > 0.0) share = std::min(share, product.built_in_ns / product.call_ns);
  return share;
}

// The same, but of the plans that are faster than the chosen one beyond noise. Of several equal
// plans one always seems to be faster.
double clear_share_of_best(const ValidatedProduct& product) {
  ValidatedProduct clear = product;
  const std::vector<double>& first = samples_ns(product.plans.front());
  std::erase_if(clear.plans,
                [&](const Outcome& plan) { return max_ratio(samples_ns(plan), first) >= 1.0; });
  clear.plans.insert(clear.plans.begin(), product.plans.front());
  if (product.max_times_call >= 1.0) clear.built_in_ns = 0.0;
  return share_of_best(clear);
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
  for (const ValidatedProduct& product : products) ratios.add(share_of_best(product));
  return ratios;
}

// Returns the predicted time of a plan's auxiliary kernels; nullopt if the time of its product
// kernel does not follow from `ns`, that of the plan. `call_ns` is the same without its launch, in
// the time scale of the finals.
std::optional<double> informative_auxiliary_ns(const ValidatedProduct& product,
                                               const KernelId& kernel, double ns, double call_ns,
                                               const AuxiliaryCost& auxiliary) {
  if (product.launch_ns >= kMaxLaunchShare * ns) return std::nullopt;
  const auto cost = auxiliary.find(kernel, product.op, product.shape);
  if (!cost || cost->ns > kMaxAuxiliaryShare * call_ns) return std::nullopt;
  return cost->ns;
}

// Converts the time of a call without its launch to the time scale of the finals:
// predicted = (call + overlap) / scale.
struct TimeScale {
  double scale = 1.0;       // the wall clock and the state of the machine differ from the finals'
  double overlap_ns = 0.0;  // part of a kernel's device time that an empty launch takes, too

  double predicted_ns(double call_ns) const { return (call_ns + overlap_ns) / scale; }
};

// The median slope between all pairs of calls (Theil 1950, Sen 1968), of relative times: outliers
// count little, and small products as much as large ones.
TimeScale fit_time_scale(const std::vector<ValidatedProduct>& products,
                         const AuxiliaryCost& auxiliary) {
  struct Call {
    double inverse;  // of the predicted time
    double ratio;    // measured / predicted
  };
  std::vector<Call> calls;
  for (const ValidatedProduct& product : products) {
    for (const Outcome& plan : product.plans) {
      const double ns = plan_ns(plan);
      const double call_ns = ns - product.launch_ns;
      if (plan.predicted_ns <= 0.0) continue;
      if (!informative_auxiliary_ns(product, plan.kernel, ns, call_ns, auxiliary)) continue;
      calls.push_back({1.0 / plan.predicted_ns, call_ns / plan.predicted_ns});
    }
  }
  std::vector<double> slopes;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double run = calls[i].inverse - calls[j].inverse;
      if (run != 0.0) slopes.push_back((calls[i].ratio - calls[j].ratio) / run);
    }
  }
  TimeScale result;
  if (!slopes.empty()) result.overlap_ns = std::max(0.0, -quantile(std::move(slopes), 0.5));
  std::vector<double> scales;
  for (const Call& call : calls) scales.push_back(call.ratio + result.overlap_ns * call.inverse);
  if (!scales.empty()) result.scale = quantile(std::move(scales), 0.5);
  return result;
}

// The measured times of a product: those of the profile's plans, and what runs without the profile.
// The latter is measured only as a call, so what a call takes longer than its plan is divided out.
std::map<KernelId, double> measured_ns(const ValidatedProduct& product,
                                       const std::optional<KernelId>& built_in) {
  std::map<KernelId, double> measured;
  for (const Outcome& plan : product.plans) measured.emplace(plan.kernel, plan_ns(plan));
  if (built_in && product.built_in_ns > 0.0) {
    measured.emplace(*built_in,
                     product.built_in_ns * plan_ns(product.plans.front()) / product.call_ns);
  }
  return measured;
}

}  // namespace

std::vector<RandomProduct> random_products(const JournalHeader& header, std::size_t count,
                                           std::size_t draw) {
  const ShapeBounds bounds =
      shape_bounds(header.device, header.measure.max_dispatch_ns, header.precision);
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

std::vector<RandomProduct> large_products(const JournalContents& contents) {
  constexpr double kPartOfDispatch = 0.25;
  constexpr double kMinGrowth = 2.0;  // in work, over the shapes of the tuning
  const JournalHeader& header = contents.header;
  double gflops = 0.0;
  for (const Outcome& outcome : contents.outcomes) {
    for (const ShapeSamples& samples : outcome.shapes) {
      gflops = std::max(gflops, flops(samples.shape) / median_ns(samples));
    }
  }
  if (gflops == 0.0) return {};
  const double max_dispatch_ns = header.measure.max_dispatch_ns;
  const GemmShape square =
      square_within(kPartOfDispatch * max_dispatch_ns, gflops,
                    shape_bounds(header.device, max_dispatch_ns, header.precision));
  std::vector<RandomProduct> products;
  const bool is_tuned = std::any_of(
      header.shapes.begin(), header.shapes.end(),
      [&](const GemmShape& shape) { return kMinGrowth * flops(shape) > flops(square); });
  if (is_tuned) return products;
  for (const Op op : header.ops) products.push_back({op, square});
  return products;
}

std::vector<RandomProduct> products_of_draw(const JournalContents& contents, std::size_t count,
                                            std::size_t tried) {
  std::vector<RandomProduct> products = random_products(contents.header, count, tried);
  if (tried > 0) return products;
  std::vector<RandomProduct> large = large_products(contents);
  if (large.size() > count / 2) large.resize(count / 2);
  if (products.size() > count - large.size()) products.resize(count - large.size());
  products.insert(products.end(), large.begin(), large.end());
  return products;
}

double regret(std::span<const ValidatedProduct> products) {
  Ratios ratios;
  for (const ValidatedProduct& product : products) ratios.add(clear_share_of_best(product));
  return ratios.count == 0 ? 0.0 : 1.0 / ratios.mean() - 1.0;
}

std::vector<ShapeResult> validated_results(const JournalContents& contents) {
  const std::vector<ValidatedProduct> products = validated_products(contents);
  if (products.empty()) return {};
  const AuxiliaryCost auxiliary = make_auxiliary_cost(contents);
  const Baseline baseline(contents.header);
  const TimeScale scale = fit_time_scale(products, auxiliary);
  std::vector<ShapeResult> results;
  for (const ValidatedProduct& product : products) {
    const auto built_in = baseline.first_that_works(contents.outcomes, product.op, product.shape);
    for (const auto& [measured, ns] : measured_ns(product, built_in)) {
      const double call_ns = scale.predicted_ns(ns - product.launch_ns);
      const auto auxiliary_ns = informative_auxiliary_ns(product, measured, ns, call_ns, auxiliary);
      if (!auxiliary_ns) continue;
      const KernelRecord& kernel = measured.facts();
      ShapeResult& result = results.emplace_back();
      result.op = op_from_layouts(kernel.layout_a, kernel.layout_b.value_or(Layout::R()));
      result.m = product.shape.m;
      result.n = product.shape.n;
      result.k = product.shape.k;
      result.kernel = kernel.name;
      result.median_ns = call_ns - *auxiliary_ns;
    }
  }
  return results;
}

std::optional<Validation> summarize_validation(const JournalContents& contents) {
  const std::vector<ValidatedProduct> products = held_out_products(contents);
  const Ratios of_best = shares_of_best(products);
  Ratios times_built_in;
  Ratios times_other;
  // Products for which that profile is too slow are not compared.
  const auto last =
      std::find_if(products.rbegin(), products.rend(),
                   [](const ValidatedProduct& product) { return !product.other_profile.empty(); });
  const std::string other = last == products.rend() ? "" : last->other_profile;
  for (const ValidatedProduct& product : products) {
    if (product.built_in_ns > 0.0) times_built_in.add(product.built_in_ns / product.call_ns);
    if (product.other_ns > 0.0 && product.other_profile == other) {
      times_other.add(product.other_ns / product.call_ns);
    }
  }
  if (static_cast<std::size_t>(times_built_in.count) < kMinHeldOut) return std::nullopt;
  Validation validation{of_best.count,         of_best.mean(),       of_best.least,
                        times_built_in.mean(), times_built_in.least, contents.header.precision};
  if (static_cast<std::size_t>(times_other.count) >= kMinHeldOut) {
    validation.other_profile = std::filesystem::path(other).filename().string();
    validation.times_other = times_other.mean();
    validation.worst_times_other = times_other.least;
  }
  return validation;
}

std::string held_out_line(const JournalContents& contents) {
  Ratios narrow;
  Ratios others;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (const ValidatedProduct& product : held_out_products(contents)) {
    if (product.built_in_ns <= 0.0) continue;
    const GemmShape& shape = product.shape;
    least = std::min({least, shape.m, shape.n, shape.k});
    most = std::max({most, shape.m, shape.n, shape.k});
    Ratios& kind = narrow_side(shape) == Dimension::kNone ? others : narrow;
    kind.add(product.built_in_ns / product.call_ns);
  }
  if (static_cast<std::size_t>(narrow.count + others.count) < kMinHeldOut) return "";
  std::string line = fmt::format("with m, n and k from {} to {}", least, most);
  const auto add = [&](const Ratios& kind, const char* name) {
    if (kind.count > 0) line += fmt::format("; {} {}: {:.2f} x", kind.count, name, kind.mean());
  };
  add(narrow, "narrow (m or n up to 16)");
  add(others, "not narrow");
  return line;
}

std::vector<std::string> validation_lines(const Validation& validation) {
  const char* plural = validation.products == 1 ? "" : "s";
  const std::string type = validation.precision == Precision::kSingle
                               ? ""
                               : fmt::format(" of {}", elements_text(validation.precision));
  std::vector<std::string> lines = {
      fmt::format("{} new product{}{} run at {:.2f} x the built-in speed (slowest: {:.2f} x)",
                  validation.products, plural, type, validation.times_built_in,
                  validation.worst_times_built_in)};
  if (!validation.other_profile.empty()) {
    lines.push_back(fmt::format(
        "without this profile the device uses {}: calls are {:.2f} x as fast as with "
        "that (slowest: {:.2f} x)",
        validation.other_profile, validation.times_other, validation.worst_times_other));
  }
  lines.push_back(fmt::format(
      "the chosen plan reaches {:.1f} % of the speed of the best known plan (worst: {:.0f} %)",
      100.0 * validation.of_best, 100.0 * validation.worst_of_best));
  return lines;
}

}  // namespace tilewright
