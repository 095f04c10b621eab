// How long will a plan take?
//
// Predictions from what a profile has measured, without a device: of the kernel from its results,
// of what is done beside it from the results of pack kernels and the rates of the device.
#pragma once

#include <array>
#include <compare>
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

// Predicted times of one call. 0 for what is not done.
struct PlanTimes {
  PerStep<double> ns;
  bool measured = false;     // the kernel was, for this op, or it is guessed; else its ns is 0
  bool guessed = false;      // a built-in kernel, by facts of the device (built_in.hpp)
  bool untuned = false;      // others were measured on this very shape, and this kernel was not
  bool exact = false;        // the kernel was measured on this very shape
  bool compared = true;      // MeasuredTimes::is_compared()
  double launches_ns = 0.0;  // of the commands beside the kernel

  bool operator==(const PlanTimes&) const = default;
  // nullopt: it is the kernel's, and never was measured.
  std::optional<double> of(CallStep step) const {
    return step == CallStep::kGemm && !measured ? std::nullopt : std::optional(ns[step]);
  }
  // End to end; of a kernel that was never measured: what is done beside it.
  double total_ns() const { return ns[CallStep::kGemm] + beside_ns(); }
  double beside_ns() const;
  // A plan of a lesser rank goes first, whatever it takes: measured ones, guessed ones, then those
  // that are neither, then those of which nobody knows whether the built-in kernels are faster.
  int rank() const { return !compared ? 3 : guessed ? 1 : measured ? 0 : 2; }
};

// What each command of a call costs beside the product's own. They wait for one another: one before
// the product costs a round trip, if that was measured. One behind it is enqueued while the product
// runs, and so costs what one of many launches in a row does.
struct CommandCosts {
  double before_ns = 0.0;
  double behind_ns = 0.0;

  // From what was measured; of one alone both follow, of none nothing.
  void learn(const DeviceRates& rates);
  double of(std::size_t before, std::size_t behind) const;
};

// What is known of a kernel that runs beside products, for a matrix of some size. Those that were
// measured nearer to it go first: caches decide which kernel is the fastest.
struct MovedRate {
  double distance = 0.0;  // of the matrix that was measured: of the logarithms of elements
  double ns_per_element = 0.0;
  auto operator<=>(const MovedRate&) const = default;
};

// What the profiles of one device say about times, looked up once for any number of plans.
// Thread-safe.
class MeasuredTimes {
 public:
  // The profiles must outlive this.
  explicit MeasuredTimes(const std::vector<const Profile*>& profiles);

  // What a kernel of the profiles takes on a shape. nullopt: it was never measured. On a shape that
  // was measured: that result. Else as its model says (kernel_model.hpp); without a model, by one
  // rate for the kernel. Where the work is more than four times that of
  // all its results, no model is believed more than 1.5 times the best rate among them (without the
  // launch, but for at most half of a time): small products say nothing of what many work-groups
  // take. A kernel that adds a bias or applies an activation takes as long as the kernel of the
  // same profile that is the same but for these, and as many times longer as where it was measured
  // itself (the mean of logarithms).
  std::optional<double> kernel_ns(const KernelRecord& kernel, const GemmShape& shape) const;
  // Was it measured there, or the one that is the same but for bias and activation?
  bool is_measured_on(const KernelRecord& kernel, const GemmShape& shape) const;
  // Has any kernel of the precision a result for the op on this very shape?
  bool is_tuned(Precision precision, Op op, const GemmShape& shape) const;
  // Was a kernel that is also built in measured beside those of the profile, on the shape of the
  // op's results in the precision that is nearest to this one? If not, the tuned kernels may be
  // many times slower. True where the op has no results.
  bool is_compared(const Profile& profile, Precision precision, Op op,
                   const GemmShape& shape) const;
  // The result of a pack kernel, or of an activation or softmax kernel, on the matrix nearest to so
  // many elements; nullopt: never measured.
  std::optional<MovedRate> moved_rate(const KernelRecord& pack, double elements) const;
  // The same on the usual matrix.
  std::optional<double> ns_per_element(const KernelRecord& pack) const;
  // By the result of the pack kernel, or by the bytes that it reads and writes.
  double pack_ns(const KernelRecord& pack, const PackProblem& problem) const;
  // The same of an activation kernel on an m x n matrix.
  double layer_ns(const KernelRecord& kernel, std::int64_t m, std::int64_t n) const;
  // Adding up the parts of a split k.
  double reduce_ns(const Storage& parts, const GemmProblem& problem) const;
  const CommandCosts& commands() const { return commands_; }

 private:
  struct Measured {
    GemmShape shape;
    double median_ns = 0.0;
  };
  struct OfKernel {
    const Profile* profile;
    KernelWork work;
    std::optional<KernelModel> model;
    std::vector<Measured> results = {};  // of the op that its layouts make
    double most_work = 0.0;              // even_work() of a result
    double best_rate = 0.0;              // likewise, over its time in ns without the launch
  };
  void look_up(const Profile& profile);
  void look_up_models(const Profile& profile);
  static KernelModel one_rate(const OfKernel& kernel);
  // 0: anything is believed.
  static double least_believed_ns(const OfKernel& kernel, const GemmShape& shape);
  void look_up_comparisons(const Profile& profile);
  void look_up_twins(const Profile& profile);
  const double* result_on(const KernelRecord& kernel, const GemmShape& shape) const;
  using ByName = std::unordered_map<std::string_view, const KernelRecord*>;
  OfKernel& known(const Profile& profile, const KernelRecord& kernel);

  // One place for each op and precision.
  static constexpr std::size_t kPlaces = 4 * std::size(kPrecisions);
  static std::size_t place_of(Precision precision, Op op) {
    return 4 * static_cast<std::size_t>(precision) + static_cast<std::size_t>(op);
  }
  std::unordered_map<const KernelRecord*, OfKernel> kernels_;
  std::set<std::string_view> built_in_;  // names of kernels
  std::set<std::tuple<Precision, Op, std::int64_t, std::int64_t, std::int64_t>> tuned_;
  struct Comparison {
    std::array<double, 3> at{};  // a tuned shape: logarithms of m, n and k
    bool compared = false;
  };
  // Of profiles that must be asked.
  std::unordered_map<const Profile*, std::array<std::vector<Comparison>, kPlaces>> comparisons_;
  std::unordered_map<const KernelRecord*, std::vector<PackResult>> moved_;  // of pack kernels
  // Of a kernel with a bias or activation: the one without that is else the same, and how many
  // times longer it takes itself.
  struct Twin {
    const KernelRecord* plain;
    double times_longer;
  };
  double times_longer(const OfKernel& kernel, const KernelRecord& plain) const;
  std::unordered_map<const KernelRecord*, Twin> twins_;
  double ns_per_byte_;
  CommandCosts commands_;
};

}  // namespace tilewright
