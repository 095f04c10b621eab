#include "tuner/tuning/search_gains.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/journal/records/shapes.hpp"
#include "tuner/select/distribution.hpp"

namespace tilewright {
namespace {

// Distance of a search whose best kernels reach all limits, so that it still gets some time: limits
// are estimates, and other searches may find nothing.
constexpr double kMinDistance = 0.05;

struct Best {
  Standings::Problem problem;
  double ns = 0.0;
};

std::vector<Best> best_times(const JournalContents& contents) {
  Standings all = standings(contents);
  weigh_measured(all, contents.header);
  std::vector<Best> best;
  for (std::size_t p = 0; p < all.problems.size(); ++p) {
    const KernelId fastest = all.fastest(p);
    if (!fastest.empty()) best.push_back({all.problems[p], all.time(p, fastest)->total_ns()});
  }
  return best;
}

bool is_for(const SearchTask& task, const Standings::Problem& problem) {
  return std::find(task.ops.begin(), task.ops.end(), problem.op) != task.ops.end() &&
         std::find(task.shapes.begin(), task.shapes.end(), problem.shape) != task.shapes.end();
}

}  // namespace

double distance_to_limits(const GemmShape& shape, double ns, double max_gflops,
                          const DeviceRates& rates, Precision precision) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const double bytes = static_cast<double>(bytes_per_element(precision)) * (m * k + k * n + m * n);
  // 1 GB/s is one byte per nanosecond.
  const double copy_ns = rates.copy_gbytes_per_s > 0.0 ? bytes / rates.copy_gbytes_per_s : 0.0;
  const auto distance = [&](double gflops) {
    const double arithmetic_ns = gflops > 0.0 ? flops(shape) / gflops : 0.0;
    const double min_ns = rates.launch_ns + std::max(arithmetic_ns, copy_ns);
    return min_ns > 0.0 ? std::max(0.0, std::log(ns / min_ns)) : 0.0;
  };
  return 0.5 * (distance(product_peak(rates, precision)) + distance(max_gflops));
}

std::vector<double> weights_by_gain(const std::vector<SearchTask>& tasks,
                                    const JournalContents& contents) {
  std::vector<double> weights = task_weights(tasks);
  if (contents.finals.empty() || !contents.rates) return weights;
  const std::vector<Best> best = best_times(contents);
  double max_gflops = 0.0;
  for (const Best& each : best) {
    max_gflops = std::max(max_gflops, flops(each.problem.shape) / each.ns);
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    double sum = 0.0;
    double all = 0.0;
    for (const Best& each : best) {
      if (!is_for(tasks[i], each.problem)) continue;
      sum += each.problem.weight * distance_to_limits(each.problem.shape, each.ns, max_gflops,
                                                      *contents.rates, contents.header.precision);
      all += each.problem.weight;
    }
    weights[i] *= kMinDistance + (all > 0.0 ? sum / all : 0.0);
  }
  return weights;
}

}  // namespace tilewright
