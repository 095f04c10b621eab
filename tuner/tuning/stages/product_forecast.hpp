// Predicts the times of measuring a product with the profile of a tuning, the built-in kernels and
// the profile that the device uses otherwise.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/plan/plan.hpp"
#include "runtime/plan/plan_times.hpp"
#include "tuner/select/validation.hpp"

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

}  // namespace tilewright
