#include "tuner/finals.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <random>
#include <stdexcept>

#include "tuner/statistics.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kBestByCost = 6;
constexpr std::size_t kBestPerShape = 3;
constexpr int kLeastRounds = 2;
constexpr int kMostRounds = 99;
constexpr double kClearlyBehind = 1.3;
constexpr double kFarBehind = 3.0;  // beyond what a first launch may cost more than later ones

void add_best(std::vector<Screened>& chosen, std::vector<Screened> from, std::size_t count,
              double (*key)(const Screened&, std::size_t), std::size_t shape) {
  std::stable_sort(from.begin(), from.end(), [&](const Screened& a, const Screened& b) {
    return key(a, shape) < key(b, shape);
  });
  for (std::size_t i = 0; i < std::min(count, from.size()); ++i) {
    const auto same = [&](const Screened& other) { return other.point == from[i].point; };
    if (std::none_of(chosen.begin(), chosen.end(), same)) chosen.push_back(from[i]);
  }
}

// The finalists that have a share in a shape's rounds: those not behind the best so far.
std::vector<Finalist*> contenders(std::vector<Finalist>& finalists, std::size_t shape, int round) {
  double best = std::numeric_limits<double>::infinity();
  for (const Finalist& finalist : finalists) {
    if (!finalist.samples[shape].empty())
      best = std::min(best, quantile(finalist.samples[shape], 0.5));
  }
  std::vector<Finalist*> result;
  for (Finalist& finalist : finalists) {
    const std::vector<double>& samples = finalist.samples[shape];
    const bool in_race = !samples.empty() && quantile(samples, 0.5) <= kClearlyBehind * best;
    if (finalist.kernel != nullptr && (round == 0 || in_race)) result.push_back(&finalist);
  }
  return result;
}

// One sample of a finalist. The first time a launch comes before it, which compiles on some
// drivers; where that one is already far behind `best_ns` it is the sample.
Timed sample(const Executor& executor, const cl::CommandQueue& queue, Finalist& finalist,
             const Workload& workload, std::size_t shape, double best_ns) {
  const std::vector<double>& samples = finalist.samples[shape];
  double expected_ns = samples.empty() ? 0.0 : samples.back();
  if (samples.empty()) {
    const Timed first =
        time_kernel(executor, queue, *finalist.kernel, workload.problem(), 1.0, 0.0);
    const double* ns = std::get_if<double>(&first);
    if (ns == nullptr || *ns > kFarBehind * best_ns) return first;
    expected_ns = *ns;
  }
  return time_kernel(executor, queue, *finalist.kernel, workload.problem(), kMinSampleNs,
                     expected_ns);
}

void run_round(const Executor& executor, const cl::CommandQueue& queue, const Workload& workload,
               std::vector<Finalist*> order, std::size_t shape, std::mt19937_64& random) {
  std::shuffle(order.begin(), order.end(), random);
  double best_ns = std::numeric_limits<double>::infinity();
  for (Finalist* finalist : order) {
    const Timed timed = sample(executor, queue, *finalist, workload, shape, best_ns);
    if (const double* ns = std::get_if<double>(&timed)) {
      finalist->samples[shape].push_back(*ns);
      best_ns = std::min(best_ns, *ns);
    } else if (std::get<Rejection>(timed).stage != Stage::kLimits) {
      finalist->kernel = nullptr;  // it failed where it ran before: out, with the samples it has
    }
  }
}

}  // namespace

std::vector<Screened> choose_finalists(const std::vector<Screened>& screened) {
  std::vector<Screened> chosen;
  add_best(
      chosen, screened, kBestByCost, [](const Screened& s, std::size_t) { return s.cost; }, 0);
  const std::size_t shapes = screened.empty() ? 0 : screened.front().ns.size();
  for (std::size_t shape = 0; shape < shapes; ++shape) {
    add_best(
        chosen, screened, kBestPerShape,
        [](const Screened& s, std::size_t at) {
          return s.ns[at].value_or(std::numeric_limits<double>::infinity());
        },
        shape);
  }
  std::vector<Screened> general;
  std::copy_if(screened.begin(), screened.end(), std::back_inserter(general),
               [](const Screened& s) { return is_general(s.point); });
  add_best(
      chosen, general, 1, [](const Screened& s, std::size_t) { return s.cost; }, 0);
  return chosen;
}

bool is_general(const ParameterPoint& point) {
  const auto* gemm = std::get_if<GemmPoint>(&point);
  return gemm != nullptr && gemm->access == Access::kVload && gemm->edges == Edges::kGuarded;
}

std::optional<std::size_t> best_general(const std::vector<Finalist>& finalists) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    const Screened& candidate = finalists[i].screened;
    if (!is_general(candidate.point) || finalists[i].kernel == nullptr) continue;
    if (!best || candidate.cost < finalists[*best].screened.cost) best = i;
  }
  return best;
}

void run_finals(const Executor& executor, const cl::CommandQueue& queue, Op op,
                const std::vector<GemmShape>& shapes, std::vector<Finalist>& finalists,
                double seconds, std::uint64_t seed) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  std::mt19937_64 random(seed);
  std::vector<Workload> workloads;
  for (const GemmShape& shape : shapes) {
    workloads.emplace_back(executor.context(), queue, op, shape, seed);
  }
  for (int round = 0; round < kMostRounds && (round < kLeastRounds || Clock::now() < end);
       ++round) {
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
      run_round(executor, queue, workloads[shape], contenders(finalists, shape, round), shape,
                random);
    }
  }
}

std::size_t winner(const std::vector<Finalist>& finalists, std::size_t shape) {
  const auto eligible = [&](const Finalist& f) { return f.samples[shape].size() >= 2; };
  const auto median = [&](const Finalist& f) { return quantile(f.samples[shape], 0.5); };
  std::size_t best = finalists.size();
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    if (!eligible(finalists[i])) continue;
    if (best == finalists.size() || median(finalists[i]) < median(finalists[best])) best = i;
  }
  if (best == finalists.size()) throw std::runtime_error("no candidate finished the finals");
  std::size_t simplest = best;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    if (eligible(finalists[i]) &&
        is_tie(finalists[i].samples[shape], finalists[best].samples[shape]) &&
        finalists[i].screened.point < finalists[simplest].screened.point) {
      simplest = i;
    }
  }
  return simplest;
}

}  // namespace tilewright
