#include "tuner/select/model_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "runtime/call/epilogue.hpp"
#include "runtime/plan/kernel_work.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kTerms = std::tuple_size_v<ModelTerms>;
// Weight of the prior relative to the rows. Of the weights from 0.05 to 0.4, those
// from 0.13 to 0.2 led to the best choices on an H200
// (docs/lessons.md, "Models and plans").
constexpr double kPriorWeight = 0.15;
// For fitting the prior itself, whose own prior has only zeros.
constexpr double kPooledWeight = 0.01;
constexpr double kUsualError = 0.15;  // the weight of a row decreases beyond this error
constexpr int kReweighted = 3;        // number of fits after the first, with new weights
constexpr int kParts = 5;             // of the rows, each of which is left out once
constexpr std::size_t kMany = 8;      // results that determine a model of their own

using Weights = std::vector<double>;

double share(const ModelRow& row, std::size_t term) {
  return row.terms[term] / row.ns;
}

// Least squares of 1 - sum_j x_j share_j, and of x - target weighted by the share of each term.
class LeastSquares {
 public:
  LeastSquares(const std::vector<ModelRow>& rows, const Weights& weights, double prior_weight)
      : prior_weight_(prior_weight) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t i = 0; i < kTerms; ++i) {
        const double weighted = weights[r] * share(rows[r], i);
        right_[i] += weighted;
        for (std::size_t j = 0; j < kTerms; ++j) normal_[i][j] += weighted * share(rows[r], j);
      }
    }
  }

  ModelTerms solve(const ModelTerms& target) const {
    constexpr int kMaxSweeps = 2000;
    constexpr double kSame = 1e-7;  // the iteration ends when all weighted changes are smaller
    ModelTerms x = target;
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
      double change = 0.0;
      for (std::size_t i = 0; i < kTerms; ++i) {
        if (normal_[i][i] <= 0.0) continue;  // no row determines it
        const double before = x[i];
        x[i] = best(i, x, target);
        change = std::max(change, std::abs(x[i] - before) * std::sqrt(normal_[i][i]));
      }
      if (change < kSame) break;
    }
    return x;
  }

 private:
  double best(std::size_t i, const ModelTerms& x, const ModelTerms& target) const {
    const double ridge = prior_weight_ * prior_weight_ * normal_[i][i];
    double right = right_[i] + ridge * target[i];
    for (std::size_t j = 0; j < kTerms; ++j) {
      if (j != i) right -= normal_[i][j] * x[j];
    }
    return std::max(0.0, right / (normal_[i][i] + ridge));
  }

  double prior_weight_;
  std::array<ModelTerms, kTerms> normal_{};
  ModelTerms right_{};
};

ModelTerms model_parameters(const KernelModel& model) {
  ModelTerms x{};
  for (std::size_t i = 0; i < kTerms; ++i) x[i] = model.*kModelParameters[i];
  return x;
}

double or_zero(double value) {
  constexpr double kMinParameter = 1e-9;  // the smallest value that a profile can store
  return value < kMinParameter ? 0.0 : value;
}

void set_parameters(KernelModel& model, const ModelTerms& x) {
  for (std::size_t i = 0; i < kTerms; ++i) model.*kModelParameters[i] = or_zero(x[i]);
}

// Returns the ratio of the measured times to the predictions of the model, by least squares.
double times_longer(const std::vector<ModelRow>& rows, const KernelModel& model) {
  double sum = 0.0;
  double squares = 0.0;
  for (const ModelRow& row : rows) {
    const double predicted = predicted_ns(model, row.terms) / row.ns;
    sum += predicted;
    squares += predicted * predicted;
  }
  return squares > 0.0 ? sum / squares : 1.0;
}

double error_on(const ModelRow& row, const KernelModel& model) {
  constexpr double kMinTime_ns = 1e-3;
  return std::abs(std::log(std::max(predicted_ns(model, row.terms), kMinTime_ns) / row.ns));
}

KernelModel fitted_by(const std::vector<ModelRow>& rows, const KernelModel& prior,
                      double prior_weight) {
  KernelModel model = prior;
  ModelTerms target = model_parameters(prior);
  const double longer = times_longer(rows, prior);
  for (double& parameter : target) parameter *= longer;
  set_parameters(model, target);
  if (rows.empty()) return model;
  Weights weights(rows.size(), 1.0);
  for (int round = 0; round <= kReweighted; ++round) {
    set_parameters(model, LeastSquares(rows, weights, prior_weight).solve(target));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double error = error_on(rows[r], model) / kUsualError;
      weights[r] = 1.0 / std::sqrt(1.0 + error * error);
    }
  }
  return model;
}

// Returns the median error on left-out rows; 0 if there are too few rows.
double left_out_error(const std::vector<ModelRow>& rows, const KernelModel& prior) {
  if (rows.size() < kParts) return 0.0;
  std::vector<double> errors;
  for (std::size_t part = 0; part < kParts; ++part) {
    std::vector<ModelRow> kept;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r % kParts != part) kept.push_back(rows[r]);
    }
    const KernelModel model = fitted(kept, prior);
    for (std::size_t r = part; r < rows.size(); r += kParts) {
      errors.push_back(error_on(rows[r], model));
    }
  }
  return or_zero(quantile(errors, 0.5));
}

// Returns the multiply-adds of the busiest unit, the maximum over the rows.
double max_work(const std::vector<ModelRow>& rows) {
  KernelModel counts;
  counts.even_ps = 1.0;
  double work = 0.0;
  for (const ModelRow& row : rows) work = std::max(work, 1e3 * predicted_ns(counts, row.terms));
  return work;
}

// On narrow shapes, a kernel works without vectors, so a multiply-add takes longer. If no kernel
// was measured on such shapes, this parameter is estimated.
void guess_narrow(KernelModel& prior, const KernelWork& work) {
  if (prior.narrow_ps == 0.0) {
    prior.narrow_ps = work.slower_when_narrow() * (prior.even_ps + prior.whole_ps);
  }
}

bool has_model(const KernelRecord& kernel) {
  return is_product(kernel.role) && kernel.layout_b && implements_epilogue(kernel, {});
}

// Returns true if two kernels have the same tile, layouts, work-group and division of k.
bool work_alike(const KernelRecord& a, const KernelRecord& b) {
  const auto facts = [](const KernelRecord& kernel) {
    return std::tie(kernel.role, kernel.precision, kernel.layout_a, kernel.layout_b, kernel.tile,
                    kernel.narrow, kernel.work_group, kernel.work_group_k, kernel.split_k,
                    kernel.stream_k, kernel.vector_width, kernel.accumulate_k, kernel.iteration_k,
                    kernel.local_bytes, kernel.images, kernel.edges);
  };
  return facts(a) == facts(b);
}

// Kernels of one kind inform each other's models.
using Kind = std::pair<Precision, Role>;
Kind kernel_kind(const KernelRecord& kernel) {
  return {kernel.precision, kernel.role};
}

// The measured times of one kernel.
struct MeasuredKernel {
  KernelWork work;
  std::vector<ShapeResult> results;

  std::vector<ModelRow> rows() const {
    std::vector<ModelRow> rows;
    for (const ShapeResult& result : results) {
      rows.push_back({work.terms(result.m, result.n, result.k), result.median_ns});
    }
    return rows;
  }
};
using MeasuredKernels = std::map<std::string_view, MeasuredKernel>;

// Returns a model for each kind, fitted to all its kernels. Kernels for narrow shapes are few and
// have few results, so the results of all kernels with the same precision determine what their own
// do not.
std::map<Kind, KernelModel> pooled_models(const std::map<Kind, std::vector<ModelRow>>& by_kind) {
  std::map<Precision, std::vector<ModelRow>> all;
  for (const auto& [kind, rows] : by_kind) {
    all[kind.first].insert(all[kind.first].end(), rows.begin(), rows.end());
  }
  std::map<Kind, KernelModel> models;
  for (const auto& [kind, rows] : by_kind) {
    models[kind] = fitted(rows, fitted_by(all[kind.first], {}, kPooledWeight));
  }
  return models;
}

bool has_many(const MeasuredKernels& measured, const KernelRecord& kernel) {
  const auto found = measured.find(kernel.name);
  return found != measured.end() && found->second.results.size() >= kMany;
}

// Returns the geometric mean of the ratio of the kernel's time to that of `other`, over the shapes
// on which both were measured; nullopt if there are none.
std::optional<double> times_as_long(const Profile& profile, const KernelRecord& kernel,
                                    const KernelRecord& other) {
  double sum = 0.0;
  int shapes = 0;
  for (const ShapeResult& result : profile.results) {
    if (result.kernel != kernel.name) continue;
    for (const ShapeResult& other_result : profile.results) {
      const bool same = other_result.kernel == other.name && other_result.op == result.op &&
                        other_result.m == result.m && other_result.n == result.n &&
                        other_result.k == result.k;
      if (!same) continue;
      sum += std::log(result.median_ns / other_result.median_ns);
      ++shapes;
    }
  }
  if (shapes == 0) return std::nullopt;
  return std::exp(sum / shapes);
}

// Returns the model of a kernel that does the same work and has many results, scaled to this
// kernel; nullopt if there is none or this kernel has many results itself. A fit of its own would
// follow few results more closely than the other fit follows many, and would promise better times
// on all other shapes.
std::optional<KernelModel> similar_kernel_model(const Profile& profile, const KernelRecord& kernel,
                                                const MeasuredKernels& measured,
                                                const KernelModel& prior) {
  if (has_many(measured, kernel)) return std::nullopt;
  for (const KernelRecord& other : profile.kernels) {
    if (!has_many(measured, other) || !work_alike(kernel, other)) continue;
    const auto longer = times_as_long(profile, kernel, other);
    if (!longer) continue;
    KernelModel model = fitted(measured.find(other.name)->second.rows(), prior);
    for (const auto parameter : kModelParameters) model.*parameter *= *longer;
    return model;
  }
  return std::nullopt;
}

}  // namespace

KernelModel fitted(const std::vector<ModelRow>& rows, const KernelModel& prior) {
  return fitted_by(rows, prior, kPriorWeight);
}

void fit_models(Profile& profile, const std::vector<ShapeResult>& more) {
  profile.models.clear();
  MeasuredKernels measured;
  std::map<Kind, std::vector<ModelRow>> by_kind;
  const auto add = [&](const ShapeResult& result) {
    const KernelRecord* kernel = find_kernel(profile, result.kernel);
    if (kernel == nullptr || !has_model(*kernel)) return;
    if (result.op != op_from_layouts(kernel->layout_a, *kernel->layout_b)) return;
    const KernelWork work(*kernel, profile.device);
    const auto place = measured.try_emplace(kernel->name, MeasuredKernel{work, {}}).first;
    place->second.results.push_back(result);
    by_kind[kernel_kind(*kernel)].push_back(
        {work.terms(result.m, result.n, result.k), result.median_ns});
  };
  for (const ShapeResult& result : profile.results) add(result);
  for (const ShapeResult& result : more) {
    if (measured.contains(result.kernel)) add(result);
  }
  const std::map<Kind, KernelModel> pooled = pooled_models(by_kind);
  for (const KernelRecord& kernel : profile.kernels) {
    const auto found = measured.find(kernel.name);
    if (found == measured.end()) continue;
    KernelModel prior = pooled.at(kernel_kind(kernel));
    guess_narrow(prior, KernelWork(kernel, profile.device));
    const auto alike = similar_kernel_model(profile, kernel, measured, prior);
    const std::vector<ModelRow> rows = found->second.rows();
    KernelModel model = alike ? *alike : fitted(rows, prior);
    model.kernel = kernel.name;
    model.max_work = max_work(rows);
    // A scaled model has no left-out rows.
    if (!alike) model.error = left_out_error(rows, prior);
    profile.models.push_back(model);
  }
}

double typical_error(const std::vector<KernelModel>& models) {
  std::vector<double> errors;
  for (const KernelModel& model : models) {
    if (model.error > 0.0) errors.push_back(model.error);
  }
  return errors.empty() ? 0.0 : quantile(errors, 0.5);
}

}  // namespace tilewright
