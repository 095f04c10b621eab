// Which points answer a demand on a device, and how many are there?
//
// The product of all values of a codelet's parameters has 10^12 points and more, so nothing here
// lists them. A rule is decided as soon as the parameters that it reads have values: what falls to
// it falls with all that could follow.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "codelets/point/validity.hpp"

namespace tilewright {

struct SpaceOptions {
  // Operands may be brought into other layouts, into images or to padded extents beforehand.
  bool packed = false;
  // Names of parameters that keep the demand's values instead of being searched.
  std::vector<std::string> fixed;
  // Parameters that are searched over these values only (a subset of the table's, as text).
  // ParameterError refuses names that the codelet does not have, values that the parameter does
  // not, parameters that are not searched, and what leaves a parameter without a value in this
  // space.
  std::map<std::string, std::vector<std::string>> only = {};
};

// Reads restrictions such as "tile_m=4,8" for SpaceOptions::only; a parameter that is named twice
// has the values of both. Throws ParameterError where a text has no such form.
std::map<std::string, std::vector<std::string>> parse_restrictions(
    const std::vector<std::string>& texts);

// How many points there are. Parameters get values one after the other, in counting_order(). A
// point falls to the first rule that can be decided and is broken on that way; of rules that can be
// decided at once, to the first in the order of rules(). So `fallen` adds up with `valid` to
// `product`, and a rule of many victims may hide that another would have taken them, too.
struct SpaceCount {
  std::int64_t product = 0;
  std::int64_t valid = 0;
  std::vector<std::int64_t> fallen;  // to each rule; indices are those of rules()
};

class Space {
 public:
  // The points that have the demand's values where the caller decides: the demanded parameters and
  // those that the options fix; without `packed`, also how operands lie.
  Space(const ParameterPoint& demand, const SpaceLimits& limits, const SpaceOptions& options = {});

  // Exact, without visiting every point. Throws std::overflow_error if the product has more than
  // 2^63 - 1 points.
  SpaceCount count() const;
  // Names of the parameters in the order in which counts and draws give them values: one in which
  // few values have to be remembered until the last rule that reads them is decided.
  std::vector<std::string> counting_order() const;

  // A random valid point; nullopt if there is none, or a million values did not lead to one.
  // Parameters get values in counting_order(), each uniformly among those from which a valid point
  // can still be reached. So every valid point can be drawn, but they are not equally likely: one
  // is the likelier, the fewer alternatives it had on the way. That suits a search better than
  // equal chances, under which nearly all draws would have the values that leave most freedom to
  // other parameters. It needs no table of counts: it tries values and goes back where none fits,
  // and begins afresh where that takes long.
  std::optional<ParameterPoint> draw(std::mt19937_64& random) const;

  // Is it one of the space's points: valid, within the demand and the options?
  bool contains(const ParameterPoint& point) const;

  // Valid points one step away: one parameter moves by one place in its list of values (words,
  // layouts and numbers that may be 0: to any place). Where the step breaks a structural rule, it
  // takes along what the rule reads: the first parameter whose simplest value mends it; else all of
  // them with their simplest values; else the first that has any value which does. Without that,
  // local memory could not be left once its buffers are doubled, nor a work-group shrink below its
  // lanes. Only here late parameters (Field::late) move that no restriction names: what is drawn,
  // listed and counted has their first values.
  std::vector<ParameterPoint> neighbours(const ParameterPoint& point) const;

  // Visits the valid points until the visitor answers false, in an order that follows from the
  // space alone: parameters vary in counting_order(), the first slowest, values from the simplest
  // on.
  void for_each(const std::function<bool(const ParameterPoint&)>& visit) const;

  // Digest of all that makes the space: demand, options, parameters with their values, rules and
  // limits. Equal digests are equal spaces, as far as rules keep their names' promise. Late
  // parameters do not count, nor their rules: what can be drawn is the same without them.
  std::string digest() const;

 private:
  // A parameter that is searched, with the places of its values that are.
  struct Axis {
    const Field* field;
    std::vector<std::size_t> choices;
    bool late = false;  // it has its first choice, but in neighbours
  };
  // Axes that are not late in the order in which they get values; decided[i] are the rules that can
  // be decided once the first i have one.
  struct Order {
    std::vector<std::size_t> axes;
    std::vector<std::vector<const Rule*>> decided;
  };
  using Mask = std::uint64_t;  // a set of axes

  void restrict_axes(const SpaceOptions& options);
  Mask axes_read(const Rule& rule) const;
  // What it waits for in points that are drawn: nothing, if it is one on a late parameter.
  Mask drawn_axes_read(const Rule& rule) const;
  Order order_of(std::vector<std::size_t> axes) const;
  Order cheap_order() const;
  double cost_of(const std::vector<std::size_t>& axes, const std::vector<Mask>& reads) const;
  bool holds(const std::vector<const Rule*>& decided, const ParameterPoint& point) const;
  const Rule* broken(const ParameterPoint& point) const;
  bool repair(ParameterPoint& point, const Axis& moved) const;
  bool draw_from(std::size_t level, ParameterPoint& point, std::mt19937_64& random,
                 int& steps_left) const;
  bool visit_from(std::size_t level, ParameterPoint& point,
                  const std::function<bool(const ParameterPoint&)>& visit) const;

  friend class Counting;

  SpaceLimits limits_;
  const std::vector<Rule>* rules_;
  ParameterPoint start_;  // the demand; every axis has its first choice
  bool packed_;
  std::vector<Axis> axes_;  // late ones come last
  Order order_;  // of draws, lists and counts; few values wait for a rule that reads them
};

}  // namespace tilewright
