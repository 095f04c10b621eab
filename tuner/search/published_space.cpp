#include "tuner/search/published_space.hpp"

#include <algorithm>
#include <cstdlib>

namespace tilewright {

PublishedSpace::PublishedSpace(std::vector<Parameter> parameters,
                               std::vector<PublishedPoint> points,
                               std::vector<PublishedOutcome> outcomes)
    : parameters_(std::move(parameters)),
      points_(std::move(points)),
      outcomes_(std::move(outcomes)) {
  for (std::size_t i = 0; i < points_.size(); ++i) numbers_.emplace(points_[i], i);
}

std::optional<PublishedPoint> PublishedSpace::draw(std::mt19937_64& random) const {
  if (points_.empty()) return std::nullopt;
  // A later row of a point would make it likelier than others.
  std::size_t number = 0;
  do {
    number = static_cast<std::size_t>(random() % points_.size());
  } while (number_of(points_[number]) != number);
  return points_[number];
}

std::vector<PublishedPoint> PublishedSpace::neighbours(const PublishedPoint& point) const {
  std::vector<PublishedPoint> found;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const std::size_t here = point[i];
    PublishedPoint neighbour = point;
    for (std::size_t value = 0; value < parameters_[i].values.size(); ++value) {
      const bool next = value + 1 == here || value == here + 1;
      if (value == here || (parameters_[i].scale && !next)) continue;
      neighbour[i] = value;
      if (contains(neighbour)) found.push_back(neighbour);
    }
  }
  return found;
}

void PublishedSpace::for_each(const std::function<bool(const PublishedPoint&)>& visit) const {
  for (const auto& [point, number] : numbers_) {
    if (!visit(point)) return;
  }
}

Places places_in(const PublishedSpace& space, const PublishedPoint& point) {
  Places places(point.size());
  for (std::size_t i = 0; i < point.size(); ++i) {
    const PublishedSpace::Parameter& parameter = space.parameters()[i];
    places[i] = place_of(point[i], parameter.values.size(), parameter.scale);
  }
  return places;
}

}  // namespace tilewright
