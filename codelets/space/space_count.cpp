// Counting a space.
//
// Two points whose parameters so far differ only where no undecided rule looks have the same
// future. So count() walks through the parameters once and keeps, instead of points, the values of
// those parameters that are still looked at (the frontier), with the number of ways that lead
// there.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "codelets/space/space.hpp"

namespace tilewright {

class Counting {
 public:
  explicit Counting(const Space& space) : space_(space), order_(space.order_) {
    const std::size_t axes = order_.axes.size();
    // The first parameters in the order have the largest strides: sorted states then differ mostly
    // in the last ones, and little has to be set anew from one to the next.
    strides_.resize(axes);
    product_ = 1;
    for (std::size_t level = axes; level-- > 0;) {
      const auto size = static_cast<std::int64_t>(choices_at(level).size());
      if (product_ > std::numeric_limits<std::int64_t>::max() / size) {
        throw std::overflow_error("a space of more than 2^63 - 1 points cannot be counted");
      }
      strides_[level] = static_cast<std::uint64_t>(product_);
      product_ *= size;
    }
    current_.assign(axes, 0);
    point_ = space.start_;
  }

  SpaceCount run() {
    SpaceCount count{product_, 0, std::vector<std::int64_t>(space_.rules_->size(), 0)};
    std::vector<State> states = {{0, 1}};
    std::int64_t futures = product_;  // points that have the same values so far
    if (const Rule* broken = broken_at(0)) {
      states.clear();
      count.fallen[index_of(broken)] = product_;
    }
    for (std::size_t level = 0; level < order_.axes.size(); ++level) {
      futures /= static_cast<std::int64_t>(choices_at(level).size());
      states = step(level, states, futures, count.fallen);
    }
    for (const State& state : states) count.valid += state.ways;
    return count;
  }

 private:
  struct State {
    std::uint64_t key;  // places of the frontier's values, each times its stride
    std::int64_t ways;
  };

  const std::vector<std::size_t>& choices_at(std::size_t level) const {
    return space_.axes_[order_.axes[level]].choices;
  }
  std::size_t index_of(const Rule* rule) const {
    return static_cast<std::size_t>(rule - space_.rules_->data());
  }
  std::uint64_t place_in(std::uint64_t key, std::size_t level) const {
    return key / strides_[level] % choices_at(level).size();
  }

  const Rule* broken_at(std::size_t level) const {
    for (const Rule* rule : order_.decided[level]) {
      if (!rule->holds(point_, space_.limits_)) return rule;
    }
    return nullptr;
  }

  void set(std::size_t level, std::size_t place) {
    if (current_[level] == place) return;
    current_[level] = place;
    space_.axes_[order_.axes[level]].field->set(point_, choices_at(level)[place]);
  }

  // Which of the first `levels` parameters does a rule read that is decided later?
  std::vector<std::size_t> frontier(std::size_t levels) const {
    Space::Mask read_later = 0;
    for (std::size_t later = levels + 1; later < order_.decided.size(); ++later) {
      for (const Rule* rule : order_.decided[later]) read_later |= space_.drawn_axes_read(*rule);
    }
    std::vector<std::size_t> result;
    for (std::size_t level = 0; level < levels; ++level) {
      if ((read_later >> order_.axes[level] & 1) != 0) result.push_back(level);
    }
    return result;
  }

  // The states after the parameter at `level` has a value, too.
  std::vector<State> step(std::size_t level, const std::vector<State>& states, std::int64_t futures,
                          std::vector<std::int64_t>& fallen) {
    const std::vector<std::size_t> before = frontier(level);
    const std::vector<std::size_t> after = frontier(level + 1);
    const bool is_kept = !after.empty() && after.back() == level;
    const std::size_t choices = choices_at(level).size();
    if (order_.decided[level + 1].empty() && !is_kept) return multiplied(states, choices);
    std::vector<State> next;
    std::size_t room = 1 << 22;
    for (const State& state : states) {
      for (const std::size_t l : before) set(l, place_in(state.key, l));
      std::uint64_t key = 0;
      for (const std::size_t l : after) {
        if (l != level) key += place_in(state.key, l) * strides_[l];
      }
      for (std::size_t place = 0; place < choices; ++place) {
        set(level, place);
        if (const Rule* broken = broken_at(level + 1)) {
          fallen[index_of(broken)] += state.ways * futures;
        } else {
          next.push_back({key + (is_kept ? place * strides_[level] : 0), state.ways});
        }
      }
      if (next.size() > room) {
        merge(next);
        room = std::max(room, 2 * next.size());
      }
    }
    merge(next);
    return next;
  }

  // A parameter that no rule reads.
  static std::vector<State> multiplied(std::vector<State> states, std::size_t choices) {
    for (State& state : states) state.ways *= static_cast<std::int64_t>(choices);
    return states;
  }

  // Makes one of states with the same key.
  static void merge(std::vector<State>& states) {
    std::sort(states.begin(), states.end(),
              [](const State& a, const State& b) { return a.key < b.key; });
    std::size_t last = 0;
    for (std::size_t i = 1; i < states.size(); ++i) {
      if (states[i].key == states[last].key) {
        states[last].ways += states[i].ways;
      } else {
        states[++last] = states[i];
      }
    }
    if (!states.empty()) states.resize(last + 1);
  }

  const Space& space_;
  const Space::Order& order_;
  std::vector<std::uint64_t> strides_;  // by level
  std::vector<std::size_t> current_;    // by level: the place of the value that point_ has
  ParameterPoint point_;
  std::int64_t product_ = 1;
};

SpaceCount Space::count() const {
  return Counting(*this).run();
}

std::vector<std::string> Space::counting_order() const {
  std::vector<std::string> names;
  for (const std::size_t axis : order_.axes) names.emplace_back(axes_[axis].field->name);
  return names;
}

// Bounds the states that a count in this order visits: the sizes of frontiers, summed.
double Space::cost_of(const std::vector<std::size_t>& axes, const std::vector<Mask>& reads) const {
  double cost = 0.0;
  Mask assigned = 0;
  for (const std::size_t axis : axes) {
    Mask frontier = Mask{1} << axis;
    for (const Mask read : reads) {
      if ((read & ~assigned) != 0) frontier |= read & assigned;
    }
    double states = 1.0;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      if ((frontier >> a & 1) != 0) states *= static_cast<double>(axes_[a].choices.size());
    }
    cost += states;
    assigned |= Mask{1} << axis;
  }
  return cost;
}

// Moves single parameters to other places in the order for as long as that makes it cheaper.
Space::Order Space::cheap_order() const {
  std::vector<Mask> reads;
  for (const Rule& rule : *rules_) reads.push_back(drawn_axes_read(rule));
  const auto late =
      std::find_if(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.late; });
  std::vector<std::size_t> best(static_cast<std::size_t>(late - axes_.begin()));
  std::iota(best.begin(), best.end(), std::size_t{0});
  double best_cost = cost_of(best, reads);
  for (bool improved = true; improved;) {
    improved = false;
    const std::vector<std::size_t> base = best;
    for (std::size_t from = 0; from < base.size(); ++from) {
      for (std::size_t to = 0; to < base.size(); ++to) {
        std::vector<std::size_t> moved = base;
        moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(from));
        moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), base[from]);
        const double cost = cost_of(moved, reads);
        if (cost < 0.999 * best_cost) {
          best = std::move(moved);
          best_cost = cost;
          improved = true;
        }
      }
    }
  }
  return order_of(std::move(best));
}

}  // namespace tilewright
