#include "tuner/select/fused.hpp"

#include <algorithm>

#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMaxShapes = 4;  // on which a candidate is measured

bool splits(const FusedTask& task) {
  const auto* gemm = std::get_if<GemmPoint>(&task.plain.point());
  return gemm != nullptr && gemm->split_k > 1;
}

// Returns up to kMaxShapes indices below `count`, including the first and the last.
std::vector<std::size_t> sample_indices(std::size_t count) {
  std::vector<std::size_t> chosen;
  const std::size_t wanted = std::min(count, kMaxShapes);
  for (std::size_t i = 0; i < wanted; ++i) {
    chosen.push_back(wanted == 1 ? 0 : i * (count - 1) / (wanted - 1));
  }
  return chosen;
}

ParameterPoint with_exponential(ParameterPoint point, Exponential exp) {
  std::visit(
      [&](auto& p) {
        if constexpr (requires { p.exp; }) p.exp = exp;
      },
      point);
  return point;
}

// Returns the product of the ratios of times over the shapes on which both were measured.
double times_as_long(const Outcome& outcome, const Outcome& other) {
  double product = 1.0;
  for (const ShapeSamples& samples : outcome.shapes) {
    const ShapeSamples* other_samples = samples_on(other, samples.shape);
    if (other_samples == nullptr || samples.ns.empty() || other_samples->ns.empty()) continue;
    product *= quantile(corrected_ns(samples), 0.5) / quantile(corrected_ns(*other_samples), 0.5);
  }
  return product;
}

// Returns the fastest of the kernels on a problem; no kernel if none supports it.
KernelId fastest_of(const std::vector<KernelId>& kernels, const KernelTimes& times) {
  KernelTimes own = times;
  std::erase_if(own, [&](const auto& time) {
    return std::find(kernels.begin(), kernels.end(), time.first) == kernels.end();
  });
  for (auto& [kernel, time] : own) time.survives = true;
  return fastest_kernel(own);
}

}  // namespace

std::optional<ParameterPoint> fused_point(ParameterPoint plain, Activation activation,
                                          Exponential exp) {
  if (activation == Activation::kLogSoftmax) return std::nullopt;  // only softmax kernels apply it
  if (exp != Exponential::kExp && !has_exponential(activation)) return std::nullopt;
  const auto fuse = [&](auto& point) {
    point.bias = Dimension::kN;
    point.activation = activation;
    point.exp = exp;
    return plain;
  };
  if (auto* gemm = std::get_if<GemmPoint>(&plain);
      gemm != nullptr && gemm->split_k == 1 && gemm->stream_k == 0 && gemm->accumulate_k == 0) {
    return fuse(*gemm);
  }
  if (auto* gemv = std::get_if<GemvPoint>(&plain)) return fuse(*gemv);
  return std::nullopt;
}

bool has_better_form(const Outcome& outcome, const std::vector<Outcome>& outcomes) {
  const ParameterPoint form = with_exponential(outcome.kernel.point(), Exponential::kExp);
  bool before = true;
  return std::any_of(outcomes.begin(), outcomes.end(), [&](const Outcome& other) {
    if (&other == &outcome) {
      before = false;
      return false;
    }
    if (other.task != outcome.task || other.result != OutcomeClass::kOk ||
        with_exponential(other.kernel.point(), Exponential::kExp) != form) {
      return false;
    }
    const double times = times_as_long(other, outcome);
    return times < 1.0 || (before && times == 1.0);
  });
}

std::vector<FusedTask> fused_tasks(const Standings& standings, const Portfolio& portfolio) {
  std::vector<KernelId> kernels;
  for (const OpKernel& entry : portfolio.entries) {
    if (entry.op == Op::kNN) kernels.push_back(entry.kernel);
  }
  std::vector<FusedTask> tasks;
  for (const KernelId& plain : kernels) {
    std::vector<std::size_t> won;  // problems
    std::optional<std::size_t> fallback;
    for (std::size_t p = 0; p < standings.problems.size(); ++p) {
      if (standings.problems[p].op != Op::kNN) continue;
      if (!fallback && standings.time(p, plain) != nullptr) fallback = p;
      if (fastest_of(kernels, standings.times[p]) == plain) won.push_back(p);
    }
    if (won.empty() && fallback) won.push_back(*fallback);
    std::stable_sort(won.begin(), won.end(), [&](std::size_t a, std::size_t b) {
      return flops(standings.problems[a].shape) < flops(standings.problems[b].shape);
    });
    FusedTask task{plain, {}, {}};
    for (const std::size_t i : sample_indices(won.size())) {
      task.shapes.push_back(standings.problems[won[i]].shape);
      task.plain_ns.push_back(standings.times[won[i]].at(plain).kernel_ns.value);
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::set<ParameterPoint> layer_requirements(const std::vector<Activation>& activations,
                                            bool softmax, const std::vector<FusedTask>& tasks,
                                            Precision precision) {
  const bool split = std::any_of(tasks.begin(), tasks.end(), splits);
  std::set<ParameterPoint> requirements;
  const auto requirement = [&](const ParameterPoint& point) {
    requirements.insert(with_precision(point, precision));
  };
  for (const Activation activation : activations) {
    if (activation == Activation::kLogSoftmax) {
      SoftmaxPoint logarithm;
      logarithm.activation = activation;
      requirement(logarithm);
      continue;
    }
    ActivationPoint point;
    point.bias = Dimension::kN;
    point.activation = activation;
    requirement(point);
    point.id_order = IdOrder::kFlat;
    requirement(point);
    if (!split) continue;
    ReducePoint reduce;
    reduce.bias = Dimension::kN;
    reduce.activation = activation;
    requirement(reduce);
  }
  if (softmax) requirement(SoftmaxPoint{});
  return requirements;
}

}  // namespace tilewright
