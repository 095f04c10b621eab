#include "tuner/screening.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "codelets/emit.hpp"
#include "tuner/shapes.hpp"
#include "tuner/statistics.hpp"

namespace tilewright {
namespace {

constexpr double kClearlyBehind = 2.0;  // times the best: such a candidate is not measured further
// Large tiles leave most of a wide device idle on a small product, and are the best on a large one:
// a rate on one shape may be this much lower than on the next.
constexpr double kMayImprove = 8.0;
constexpr int kSamples = 3;

bool is_too_slow(double ns, double best_ns) {
  return ns > kClearlyBehind * best_ns;
}

}  // namespace

std::vector<GemmShape> Screening::screening_shapes(std::vector<GemmShape> shapes,
                                                   double most_flops) {
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const GemmShape& a, const GemmShape& b) { return flops(a) < flops(b); });
  while (shapes.size() > 1 && flops(shapes.back()) > most_flops) shapes.pop_back();
  if (shapes.size() <= 3) return shapes;
  return {shapes.front(), shapes[shapes.size() / 2], shapes.back()};
}

Screening::Screening(const Executor& executor, const cl::CommandQueue& queue, Op op,
                     const std::vector<GemmShape>& shapes, double most_flops, std::uint64_t seed)
    : executor_(executor),
      queue_(queue),
      shapes_(screening_shapes(shapes, most_flops)),
      cases_(seed),
      best_ns_(shapes_.size(), std::numeric_limits<double>::infinity()) {
  for (const GemmShape& shape : shapes_) {
    workloads_.emplace_back(executor.context(), queue, op, shape, seed);
  }
}

double Screening::best_gflops() const {
  return reference_ ? flops(shapes_.back()) / *reference_result_.ns.back() : 0.0;
}

double Screening::pace(std::size_t shape) {
  if (!reference_) return 1.0;
  const double known_ns = *reference_result_.ns[shape];
  const Timed now = time_kernel(executor_, queue_, *reference_, workloads_[shape].problem(),
                                kMinSampleNs, known_ns);
  return std::holds_alternative<double>(now) ? known_ns / std::get<double>(now) : 1.0;
}

Timed Screening::measure(LoadedKernel& kernel, std::size_t shape, double expected_ns) {
  // The first launch compiles, on some drivers, and warms caches; it only tells who is hopeless.
  const Timed warm = time_kernel(executor_, queue_, kernel, workloads_[shape].problem(), 1.0, 0.0);
  if (std::holds_alternative<Rejection>(warm)) return warm;
  if (is_too_slow(std::get<double>(warm), 2 * best_ns_[shape])) return warm;
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i) {
    const Timed timed = time_kernel(executor_, queue_, kernel, workloads_[shape].problem(),
                                    kMinSampleNs, expected_ns);
    if (std::holds_alternative<Rejection>(timed)) return timed;
    samples.push_back(std::get<double>(timed) * pace(shape));
    if (is_too_slow(samples.back(), best_ns_[shape])) break;
  }
  return quantile(samples, 0.5);
}

// What cannot serve a shape counts there like one that is twice as slow as the best: it may be
// worth it on the others.
double Screening::misfit_cost(std::size_t shape) const {
  if (std::isinf(best_ns_[shape])) return 0.0;
  return std::log(2.0 * best_ns_[shape] / flops(shapes_[shape])) /
         static_cast<double>(shapes_.size());
}

void Screening::take_as_reference(std::unique_ptr<LoadedKernel> kernel, const Screened& screened) {
  const bool measured_everywhere =
      std::count(screened.ns.begin(), screened.ns.end(), std::nullopt) == 0;
  if (!measured_everywhere || (reference_ && screened.cost >= reference_result_.cost)) return;
  reference_ = std::move(kernel);
  reference_result_ = screened;
}

ScreenResult Screening::screen(const ParameterPoint& point) {
  Loaded loaded = executor_.load(emit(point));
  if (auto* rejection = std::get_if<Rejection>(&loaded)) return *rejection;
  auto kernel = std::move(std::get<std::unique_ptr<LoadedKernel>>(loaded));
  const Verified verified = verify_kernel(executor_, queue_, *kernel, cases_.of(kernel->record()));
  if (const auto* rejection = std::get_if<Rejection>(&verified)) return *rejection;

  Screened screened{point, 0.0, {}, std::get<double>(verified)};
  screened.ns.resize(shapes_.size());
  double ns_per_flop = 0.0;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    if (!can_take(kernel->record(), workloads_[s].problem())) {
      screened.cost += misfit_cost(s);
      continue;
    }
    const double expected_ns = ns_per_flop * flops(shapes_[s]);
    // Not even launched where its rate so far makes it hopeless: slow launches are what budgets die
    // of.
    if (!is_too_slow(expected_ns, kMayImprove * best_ns_[s])) {
      const Timed timed = measure(*kernel, s, expected_ns);
      if (const auto* rejection = std::get_if<Rejection>(&timed)) return *rejection;
      const double ns = std::get<double>(timed);
      screened.ns[s] = ns;
      ns_per_flop = ns / flops(shapes_[s]);
      best_ns_[s] = std::min(best_ns_[s], ns);
    }
    screened.cost += std::log(ns_per_flop) / static_cast<double>(shapes_.size());
  }
  const bool serves_none = ns_per_flop == 0.0;
  if (serves_none) {
    return Rejection{Stage::kLimits, kernel->record().name + " can take none of the shapes"};
  }
  take_as_reference(std::move(kernel), screened);
  return screened;
}

}  // namespace tilewright
