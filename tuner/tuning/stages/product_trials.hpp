// Measures random products as whole calls, with the profile that a tuning would write.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/plan/plan.hpp"
#include "runtime/plan/plan_times.hpp"
#include "tuner/bench/bench_report.hpp"
#include "tuner/select/validation.hpp"
#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

// Plans of each product that are measured, the best predicted ones.
inline constexpr std::size_t kMeasuredPlans = 5;

struct ProductForecast {
  // Of the calls that are measured whatever their prediction: with the profile of the tuning and
  // without it.
  double longest_call_ns = 0.0;
  // True if the other profile is measured, too: the product is held out, and a call with that
  // profile is not predicted to take longer than a launch may.
  bool compares_other = false;
  double seconds = 0.0;  // to measure the product
};

// Predicted times. The object refers to the profiles, which must outlive it.
class ProductForecasts {
 public:
  // `tuned`: the profile of the tuning; `other`: null if the device uses the built-in kernels.
  // Plans that are predicted to take longer than `max_dispatch_ns` are not measured.
  ProductForecasts(const Profile& tuned, const Profile& built_in, const Profile* other,
                   const DeviceInfo& device, Precision precision, double max_dispatch_ns);

  // Predicts one product.
  ProductForecast forecast(const RandomProduct& product, bool held_out) const;

 private:
  // Profiles from which a call takes its kernels, the first one first.
  struct Ranking {
    explicit Ranking(std::vector<const Profile*> from) : profiles(std::move(from)) {}
    std::vector<const Profile*> profiles;
    MeasuredTimes times{profiles};
  };

  Ranking tuned_;
  Ranking built_in_;
  std::optional<Ranking> other_;
  const DeviceInfo& device_;
  Precision precision_;
  double max_dispatch_ns_;
};

// Converts a result of `bench` for a product. Returns nullopt if the call with the profile was not
// measured. The kernels of its plans are looked up by name in the profiles.
std::optional<ValidatedProduct> validated_product(const BenchResult& result,
                                                  const std::vector<const Profile*>& profiles);

// Measures random products with one profile in one worker process. The journal records each plan
// before it runs, so that after a crash of the board the next session knows the kernel.
class ProductTrials {
 public:
  // Why run() ended: all products have a line in the journal; there is no time for the
  // remaining ones; a kernel has failed, so that others must be chosen; a stop was requested.
  enum class End { kDone, kTime, kChooseAgain, kStopped };

  // The context must outlive the object.
  ProductTrials(TuneContext& context, Profile profile);
  ProductTrials(const ProductTrials&) = delete;
  ProductTrials& operator=(const ProductTrials&) = delete;
  ~ProductTrials();

  // Measures the products in `left` and removes each one that has a line in the journal, until
  // `until_s` of its clock. Products that would take longer are skipped. A kernel that computes a
  // wrong result, crashes or hangs gets an outcome in task kValidating.
  End run(std::vector<RandomProduct>& left, bool held_out, double until_s);

 private:
  // Returns kDone if the product has a line in the journal.
  End measure_one(const RandomProduct& product, bool held_out, bool compares_other);
  // Records the outcomes of kernels that failed. True: other kernels must be chosen.
  bool record_failures(std::vector<Outcome> failures);
  void record_unmeasured(const RandomProduct& product, bool held_out, const std::string& why);

  TuneContext& context_;
  Profile profile_;
  Profile built_in_;
  std::vector<const Profile*> profiles_{&profile_, &built_in_};
  std::optional<Profile> other_;  // that the device uses without this one
  ProductForecasts forecasts_;
  std::string profile_text_;
};

}  // namespace tilewright
