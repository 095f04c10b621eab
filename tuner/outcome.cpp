#include "tuner/outcome.hpp"

#include <algorithm>

#include "tuner/statistics.hpp"

namespace tilewright {

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
  // One pace for all: paces change in seconds, samples take milliseconds, and a single sample of
  // the reference may be an outlier.
  const double pace = paced_ns(samples.reference_ns) / samples.reference_known_ns;
  for (double& ns : corrected) ns /= pace;
  return corrected;
}

double paced_ns(const std::vector<double>& reference_ns) {
  return *std::min_element(reference_ns.begin(), reference_ns.end());
}

double median_ns(const ShapeSamples& samples) {
  return quantile(corrected_ns(samples), 0.5);
}

double least_ns(const ShapeSamples& samples) {
  const std::vector<double> corrected = corrected_ns(samples);
  return *std::min_element(corrected.begin(), corrected.end());
}

const ShapeSamples* samples_on(const Outcome& outcome, const GemmShape& shape) {
  for (const ShapeSamples& samples : outcome.shapes) {
    if (samples.shape == shape) return &samples;
  }
  return nullptr;
}

}  // namespace tilewright
