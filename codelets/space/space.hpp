// The space: all points that satisfy a requirement on a device, and ways to count, draw and list
// them.
//
// The product of all values of a codelet's parameters has 10^12 points and more, so the space is
// never stored as a list. A rule is evaluated as soon as the parameters that it reads have values;
// if it is violated, all completions of this partial point are skipped at once.
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

// Options of a space.
struct SpaceOptions {
  // Operands may be packed: copied to other layouts, to images or to padded extents.
  bool packed = false;
  // Names of parameters that keep the values of the requirement and are not searched.
  std::vector<std::string> fixed;
  // Restrictions: parameter name, and the only values (as text) that are searched. ParameterError
  // is thrown for unknown names, for values that the parameter does not have, for parameters that
  // are not searched, and if a parameter is left without a value in this space.
  std::map<std::string, std::vector<std::string>> only = {};
};

// Parses restrictions such as "tile_m=4,8" for SpaceOptions::only. The values of repeated
// parameters are combined. Throws ParameterError for malformed text.
std::map<std::string, std::vector<std::string>> parse_restrictions(
    const std::vector<std::string>& texts);

// Number of points in a space. Parameters get values one after the other, in counting_order(). An
// invalid point is attributed to the first rule that can be evaluated and is violated; among rules
// that can be evaluated at the same time, to the first in the order of rules(). The sum of
// `excluded` and `valid` is `product`. A rule with a high count may hide that other rules would
// have excluded the same points.
struct SpaceCount {
  std::int64_t product = 0;
  std::int64_t valid = 0;
  std::vector<std::int64_t> excluded;  // points excluded by each rule; same indices as rules()
};

// Thread-safe as long as no thread modifies the object.
class Space {
 public:
  // The points that have the values of the requirement for all required parameters
  // (Field::required) and for those in SpaceOptions::fixed. Without `packed`, the layouts of the
  // operands are also those of the requirement. Throws ParameterError for invalid options.
  Space(const ParameterPoint& requirement, const SpaceLimits& limits,
        const SpaceOptions& options = {});

  // Exact count, without visiting every point. Throws std::overflow_error if the product has more
  // than 2^63 - 1 points.
  SpaceCount count() const;
  // Names of the parameters in the order in which counts and draws assign values. The order keeps
  // the number of values small that must be remembered until the last rule that reads them is
  // evaluated.
  std::vector<std::string> counting_order() const;

  // Draws a random valid point. Returns nullopt if there is none, or if a million values did not
  // lead to one. Parameters get values in counting_order(), each drawn uniformly from the values
  // from which a valid point can still be reached. Every valid point can be drawn, but not with
  // equal probability: a point is more likely if fewer alternatives existed along the way. This
  // suits a search better than equal probability, with which nearly all draws would have the values
  // that leave most freedom to other parameters. No table of counts is needed: the draw backtracks
  // where no value fits, and restarts if this takes too long.
  std::optional<ParameterPoint> draw(std::mt19937_64& random) const;

  // True if the point belongs to the space: valid, and consistent with requirement and options.
  bool contains(const ParameterPoint& point) const;

  // Valid points that differ by one step: one parameter moves by one position in its list of values
  // (for words, layouts, and numbers that may be 0: to any position). If the step violates a
  // structural rule, other parameters that the rule reads are changed as well: the first one whose
  // simplest value repairs the point; otherwise all of them to their simplest values; otherwise the
  // first one for which any value repairs it. Without this, a search could not leave local memory
  // once its buffers are doubled, or shrink a work-group below its lanes. This is the only function
  // that changes late parameters (Field::late) that no restriction names; points that are drawn,
  // listed or counted have their first values.
  std::vector<ParameterPoint> neighbours(const ParameterPoint& point) const;

  // Calls `visit` for the valid points until it returns false. The order depends only on the space:
  // parameters vary in counting_order(), the first one slowest, and values in order from the
  // simplest.
  void for_each(const std::function<bool(const ParameterPoint&)>& visit) const;

  // Digest of everything that defines the space: requirement, options, parameters and their values,
  // names of rules, and limits. Spaces with equal digests are equal, provided that rules with equal
  // names are equal. Late parameters and their rules are not included, because they do not affect
  // what can be drawn.
  std::string digest() const;

 private:
  // A parameter that is searched, and the indices of its allowed values.
  struct Axis {
    const Field* field;
    std::vector<std::size_t> choices;
    bool late = false;  // keeps its first choice, except in neighbours()
  };
  // The order in which axes (without late ones) get values. decided[i] are the rules that can be
  // evaluated once the first i axes have values.
  struct Order {
    std::vector<std::size_t> axes;
    std::vector<std::vector<const Rule*>> decided;
  };
  using Mask = std::uint64_t;  // a set of axes, one bit each

  void restrict_axes(const SpaceOptions& options);
  // The axes that a rule depends on.
  Mask axes_read(const Rule& rule) const;
  // The axes that a rule depends on in points that are drawn. Empty for rules on late parameters.
  Mask drawn_axes_read(const Rule& rule) const;
  Order make_order(std::vector<std::size_t> axes) const;
  Order cheap_order() const;
  double counting_cost(const std::vector<std::size_t>& axes, const std::vector<Mask>& reads) const;
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
  ParameterPoint start_;  // the requirement, with the first choice for every axis
  bool packed_;
  std::vector<Axis> axes_;  // late axes are last
  Order order_;             // order for draws, lists and counts
};

}  // namespace tilewright
