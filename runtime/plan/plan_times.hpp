// Predicts how long a plan takes.
//
// Predictions need no device. The time of the product's kernel follows from its measured results
// and models, that of the other steps from the results of pack kernels and the rates of the device.
#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "runtime/call/storage.hpp"
#include "runtime/plan/kernel_work.hpp"
#include "runtime/plan/steps.hpp"

namespace tilewright {

// What the predicted time of a plan's kernel is based on, the best basis first.
enum class TimeEvidence {
  kMeasuredHere,       // it was measured on this shape
  kPredicted,          // it was measured on other shapes
  kUntuned,            // like kPredicted, and other kernels were measured on this shape
  kLargerOnly,         // it was measured on larger shapes only
  kGuessed,            // a built-in kernel: derived from facts about the device (built_in.hpp)
  kUnmeasuredBuiltIn,  // a built-in kernel on a device without such facts; its time is 0
  kUnmeasured,         // it has no measured result for this op; its time is 0
};

// Whether a plan comes first because it would run without a tuned profile.
enum class FirstBecause {
  kTime,       // no: its place follows from its time
  kUncovered,  // yes: the profile has no results of its kernel for such a shape
  kUnbeaten,   // yes: no plan of the profile is clearly faster
};

// Predicted times of one call, in ns; 0 for steps that do not run.
struct PlanTimes {
  PerStep<double> ns;
  TimeEvidence evidence = TimeEvidence::kUnmeasured;
  FirstBecause first_because = FirstBecause::kTime;
  // A kernel that packs or unpacks in each call was not measured, or MeasuredTimes::is_far().
  bool doubtful = false;
  // Typical relative error of the kernel's predicted time; see MeasuredTimes::model_error().
  double model_error = 0.0;
  double launches_ns = 0.0;  // cost of launching the commands other than the kernel

  bool operator==(const PlanTimes&) const = default;
  // nullopt for a kernel that was never measured.
  std::optional<double> of(CallStep step) const {
    return step == CallStep::kGemm && !has_time() ? std::nullopt : std::optional(ns[step]);
  }
  // Total time, by which plans are ranked; without the kernel if it was never measured.
  double total_ns() const { return ns[CallStep::kGemm] + auxiliary_ns(); }
  // Time of everything except the product's kernel.
  double auxiliary_ns() const;
  // True if the kernel was measured for this op, or its time is guessed.
  bool has_time() const { return evidence <= TimeEvidence::kGuessed; }
  // True if the time is predicted from results of this kernel that cover the shape.
  bool known() const { return evidence <= TimeEvidence::kUntuned; }
  // Typical error of the total time; 0 if the kernel was measured on this shape.
  double error_ns() const {
    return evidence == TimeEvidence::kMeasuredHere ? 0.0 : model_error * ns[CallStep::kGemm];
  }
  // True if the time of this plan is predicted to be lower than the other's by more than the errors
  // of both may explain, and is not doubtful.
  bool clearly_better(const PlanTimes& other) const;
  // Plans of lower rank come first, regardless of their time: the uncovered one, known times,
  // other predictions, and last plans without a prediction.
  int rank() const {
    return first_because == FirstBecause::kUncovered ? 0 : known() ? 1 : has_time() ? 2 : 3;
  }
};

// Cost of each command of a call in addition to the product's. The commands run one after the
// other. A command before the product costs a round trip, if this was measured. A command after it
// is enqueued while the product runs, and so costs as much as one of many consecutive launches.
struct CommandCosts {
  double before_ns = 0.0;
  double after_ns = 0.0;

  // Sets the costs from measured rates. If only one of the two was measured, it is used for both;
  // if none, nothing changes.
  void learn(const DeviceRates& rates);
  // Cost, in ns, of the given numbers of commands before and after the product.
  double of(std::size_t before, std::size_t after) const;
};

// Measured time of an auxiliary kernel for a matrix of some size. Measurements of a similar size
// are preferred, because the fastest kernel depends on the caches.
struct AuxiliaryRate {
  // Distance from the size that was measured: difference of the logarithms of the elements.
  double distance = 0.0;
  double ns_per_element = 0.0;
  auto operator<=>(const AuxiliaryRate&) const = default;
};

// The measured times in the profiles of one device, prepared for any number of plans. Thread-safe.
class MeasuredTimes {
 public:
  // The profiles must outlive this object.
  explicit MeasuredTimes(const std::vector<const Profile*>& profiles);

  // Predicted time of a kernel of the profiles on a shape, in ns; nullopt if it was never measured.
  // On a shape that was measured this is the result; otherwise the prediction of its model
  // (kernel_model.hpp), or of a single rate if it has no model. If the model misses the nearest
  // measured shape by a factor of 1.35 or more, the prediction is corrected by this factor,
  // whose influence decreases with the distance. If the work is more than four times
  // that of all its results, the predicted rate is limited to 1.5 times the best measured rate
  // (without the launch), because small products do not show how fast many work-groups run. Results
  // of which at least half is the launch set no limit: they show no rate. A kernel with a bias or
  // activation takes as long as the same kernel of the profile without them, times the geometric
  // mean of the ratios at which it was measured itself.
  std::optional<double> kernel_ns(const KernelRecord& kernel, const GemmShape& shape) const;
  // True if the kernel, or the same one without bias and activation, was measured on the shape.
  bool is_measured_on(const KernelRecord& kernel, const GemmShape& shape) const;
  // True if any kernel of this precision has a result for the op on exactly this shape.
  bool is_tuned(Precision precision, Op op, const GemmShape& shape) const;
  // Median relative error of the kernel's model on shapes that took no part in its fit. A kernel
  // with a bias or activation has that of the same kernel without them.
  double model_error(const KernelRecord& kernel) const;
  // True if no extent of the shape is less than a quarter of the least one on which the kernel was
  // measured.
  bool reaches(const KernelRecord& kernel, const GemmShape& shape) const;
  // True if the work is more than 4 times the largest that was measured and the device is a CPU, or
  // more than 16 times and no measured shape has kept the whole device busy.
  bool is_far(const KernelRecord& kernel, const GemmShape& shape) const;
  // The built-in profile with its guessed times, as without the tuned profile; null if there is no
  // built-in profile, or no tuned one.
  struct BuiltIn;
  const BuiltIn* without_tuned() const { return without_tuned_.get(); }
  // Result of a pack, activation or softmax kernel on the matrix whose size is nearest; nullopt if
  // it was never measured.
  std::optional<AuxiliaryRate> auxiliary_rate(const KernelRecord& pack, double elements) const;
  // auxiliary_rate() for a square matrix of kMovedExtent rows; nullopt if it was never measured.
  std::optional<double> ns_per_element(const KernelRecord& pack) const;
  // Time of a pack kernel: from its result, or from the number of bytes that it moves.
  double pack_ns(const KernelRecord& pack, const PackProblem& problem) const;
  // Time of an activation kernel on an m x n matrix: from its result, or from the bytes it moves.
  double layer_ns(const KernelRecord& kernel, std::int64_t m, std::int64_t n) const;
  // Time to add up the parts of a product, which are stored as `stored`.
  double reduce_ns(const Storage& stored, const PartialProducts& parts,
                   const GemmProblem& problem) const;
  const CommandCosts& commands() const { return commands_; }

 private:
  struct Measured {
    GemmShape shape;
    double median_ns = 0.0;
    double miss = 0.0;  // logarithm of the time divided by the model's; 0 for small ones
  };
  // What the profiles contain about one kernel.
  struct OfKernel {
    const Profile* profile;
    KernelWork work;
    std::optional<KernelModel> model;
    std::vector<Measured> results = {};  // results for the op that its layouts imply
    bool has_misses = false;             // Measured::miss is not 0 for one of the results
    double max_work = 0.0;               // maximum of even_work() over what was measured
    // Maximum of work / time in ns without the launch, over the results that are not mostly launch;
    // 0 if there are none.
    double best_rate = 0.0;
    GemmShape least = {};  // least extents of the results; 0 if there are none
    // Not a CPU, and one of the results kept all units busy and was no mere launch.
    bool fills_device = false;
  };
  void look_up(const Profile& profile);
  void look_up_models(const Profile& profile);
  static void look_up_misses(OfKernel& kernel);
  // The factor that corrects the model on a shape; 1 if it predicts the nearest result.
  static double correction(const OfKernel& kernel, const GemmShape& shape);
  static KernelModel one_rate(const OfKernel& kernel);
  // A prediction below this time is replaced by it; 0: no limit.
  static double min_plausible_ns(const OfKernel& kernel, const GemmShape& shape);
  void look_up_twins(const Profile& profile);
  const double* result_on(const KernelRecord& kernel, const GemmShape& shape) const;
  using ByName = std::unordered_map<std::string_view, const KernelRecord*>;
  OfKernel& known(const Profile& profile, const KernelRecord& kernel);

  std::unordered_map<const KernelRecord*, OfKernel> kernels_;
  std::set<std::tuple<Precision, Op, std::int64_t, std::int64_t, std::int64_t>> tuned_;
  std::unordered_map<const KernelRecord*, std::vector<PackResult>>
      auxiliary_results_;  // results of auxiliary kernels
  // For a kernel with a bias or activation: the same kernel without them, and the ratio of the
  // times.
  struct Twin {
    const KernelRecord* plain;
    double times_longer;
  };
  // The geometric mean of the kernel's times relative to the plain kernel's predictions.
  double times_longer(const OfKernel& kernel, const KernelRecord& plain) const;
  std::unordered_map<const KernelRecord*, Twin> twins_;
  double ns_per_byte_;
  CommandCosts commands_;
  std::shared_ptr<const BuiltIn> without_tuned_;
};

struct MeasuredTimes::BuiltIn {
  std::vector<const Profile*> profiles;
  MeasuredTimes times;
};

}  // namespace tilewright
