#include "tuner/records/outcome.hpp"

#include <algorithm>

#include "tuner/records/statistics.hpp"

namespace tilewright {
namespace {

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

// What the reference took beside the candidate: one time for all samples, since paces change in
// seconds and samples take milliseconds, and a single sample of the reference may be an outlier.
// The median, but no further above its best sample than the candidate's median is above his: a slow
// moment that met the reference alone must not make the candidate seem fast.
double paced_ns(const ShapeSamples& samples) {
  const double met = quantile(samples.ns, 0.5) / least(samples.ns);
  return std::min(quantile(samples.reference_ns, 0.5), met * least(samples.reference_ns));
}

}  // namespace

std::string_view to_text(OutcomeClass result) {
  switch (result) {
    case OutcomeClass::kOk:
      return "ok";
    case OutcomeClass::kSlow:
      return "slow";
    case OutcomeClass::kLimits:
      return "limits";
    case OutcomeClass::kBuild:
      return "build";
    case OutcomeClass::kBuildCrash:
      return "build_crash";
    case OutcomeClass::kLaunch:
      return "launch";
    case OutcomeClass::kHang:
      return "hang";
    case OutcomeClass::kWrong:
      return "wrong";
  }
  return {};  // not an enumerator: no word, which no parser accepts
}

std::optional<OutcomeClass> parse_outcome_class(std::string_view text) {
  for (const OutcomeClass result : kOutcomeClasses) {
    if (to_text(result) == text) return result;
  }
  return std::nullopt;
}

std::vector<double> corrected_ns(const ShapeSamples& samples) {
  std::vector<double> corrected = samples.ns;
  if (samples.reference_known_ns <= 0.0 || samples.reference_ns.empty()) return corrected;
  const double pace = paced_ns(samples) / samples.reference_known_ns;
  for (double& ns : corrected) ns /= pace;
  return corrected;
}

double median_ns(const ShapeSamples& samples) {
  return quantile(corrected_ns(samples), 0.5);
}

double least_ns(const ShapeSamples& samples) {
  return least(corrected_ns(samples));
}

const ShapeSamples* samples_on(const Outcome& outcome, const GemmShape& shape) {
  for (const ShapeSamples& samples : outcome.shapes) {
    if (samples.shape == shape) return &samples;
  }
  return nullptr;
}

}  // namespace tilewright
