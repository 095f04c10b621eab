#include "tuner/search/neighbourhood.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

constexpr std::size_t kNearest = 5;  // known points that determine the estimate
// A scale has length 1, but any two different values are at least this far apart.
constexpr float kMinStep = 0.5F;

float distance(const NormalizedPoint& a, const NormalizedPoint& b) {
  float sum = 0.0F;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float apart = std::abs(a[i] - b[i]);
    if (apart > 0.0F) sum += std::min(1.0F, kMinStep + (1.0F - kMinStep) * apart);
  }
  return sum;
}

}  // namespace

bool is_scale(const std::vector<std::string>& values) {
  return values.front() != "0" &&
         std::all_of(values.begin(), values.end(), [](const std::string& value) {
           return value.find_first_not_of("0123456789") == std::string::npos;
         });
}

float normalized_value(std::size_t value, std::size_t values, bool scale) {
  const auto place = static_cast<float>(value);
  return scale && values > 1 ? place / static_cast<float>(values - 1) : place;
}

NormalizedPoint normalized_point(const ParameterPoint& point) {
  NormalizedPoint places;
  for (const Field& field : fields(point_codelet(point))) {
    if (field.required) continue;
    // An unlisted value differs from all listed ones.
    const std::size_t value = field.index(point).value_or(field.values.size() + 1);
    places.push_back(normalized_value(value, field.values.size(), is_scale(field.values)));
  }
  return places;
}

void Neighbourhood::learn(NormalizedPoint places, double cost) {
  known_.push_back({std::move(places), cost});
}

double Neighbourhood::expected_cost(const NormalizedPoint& places) const {
  std::vector<std::pair<float, double>> near;  // distance, cost
  near.reserve(known_.size());
  for (const Known& known : known_) near.emplace_back(distance(places, known.places), known.cost);
  const auto last = near.begin() + static_cast<std::ptrdiff_t>(std::min(kNearest, near.size()));
  std::partial_sort(near.begin(), last, near.end());
  double sum = 0.0;
  double weights = 0.0;
  for (auto one = near.begin(); one != last; ++one) {
    const double weight = 1.0 / (1e-4 + one->first * one->first);
    sum += weight * one->second;
    weights += weight;
  }
  return weights > 0.0 ? sum / weights : 0.0;
}

}  // namespace tilewright
