// Which points of another tuner's space were tried, and how did they do?
//
// What the autotuning community publishes: a space of some kernel on some device, tried in full.
// Read from T4 results (github.com/odgaard/TuningSchema) or from Kernel Tuner's cache files.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "codelets/model/merit.hpp"
#include "tuner/search/neighbourhood.hpp"

namespace tilewright {

// The place of each parameter's value in its list of values.
using PublishedPoint = std::vector<std::size_t>;

struct PublishedOutcome {
  std::optional<double> time;  // less is better, in the file's unit; nullopt: it failed
  double took_s = 0.0;         // compiling, launches, checks and all else
};

// Offers what a strategy needs, as Space does.
class PublishedSpace {
 public:
  using Point = PublishedPoint;

  // A parameter that has more than one value. Numbers stand in order.
  struct Parameter {
    std::string name;
    std::vector<std::string> values;
    bool scale = false;  // numbers without 0: only the next ones are neighbours
  };

  PublishedSpace(std::vector<Parameter> parameters, std::vector<PublishedPoint> points,
                 std::vector<PublishedOutcome> outcomes);

  std::optional<Point> draw(std::mt19937_64& random) const;
  bool contains(const Point& point) const { return numbers_.count(point) > 0; }
  std::vector<Point> neighbours(const Point& point) const;
  void for_each(const std::function<bool(const Point&)>& visit) const;

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<PublishedOutcome>& outcomes() const { return outcomes_; }
  // From 0 in the order of the file's results; of a cache file, which is an object, in the order of
  // its keys' bytes. The point must be in the space.
  std::size_t number_of(const Point& point) const { return numbers_.at(point); }

 private:
  std::vector<Parameter> parameters_;
  std::vector<PublishedPoint> points_;
  std::vector<PublishedOutcome> outcomes_;  // of the points
  std::map<PublishedPoint, std::size_t> numbers_;
};

// What strategies ask of a space's points, beside the same of ours (search.hpp). No model knows
// these kernels: all are equally promising.
inline double merit_of(const PublishedSpace&, const PublishedPoint&, const DeviceHints&) {
  return 1.0;
}
Places places_in(const PublishedSpace& space, const PublishedPoint& point);
inline std::optional<PublishedPoint> as_searched(const PublishedSpace& space,
                                                 const PublishedPoint& point) {
  return space.contains(point) ? std::optional(point) : std::nullopt;
}
inline int shard_of(const PublishedPoint&, int) {
  return 1;
}

// Does a text begin as a file of either kind does (a journal does not)?
bool looks_published(std::string_view text);
// Throws JsonError. Of points that stand there twice the first counts.
PublishedSpace read_published_space(std::string_view text);

}  // namespace tilewright
