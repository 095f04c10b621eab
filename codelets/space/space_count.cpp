// Counts the points of a space.
//
// Two partial points that differ only in parameters that no pending rule reads have the same
// completions. So the count proceeds through the parameters once. Instead of points it stores
// states: the values of the parameters that pending rules still read (the frontier), with the
// number of partial points that share them. States are merged only where points can become equal,
// and only some ten thousand states are in memory at a time.
#include "codelets/space/space_count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace tilewright {

class Counting {
 public:
  Counting(const Space& space, const CountProgress& progress)
      : space_(space), order_(space.order_), progress_(progress) {
    const std::size_t axes = order_.axes.size();
    // The first parameters have the largest strides. Sorted states then differ mostly in the last
    // parameters, so that few values change from one state to the next.
    strides_.resize(axes);
    product_ = 1;
    for (std::size_t level = axes; level-- > 0;) {
      const auto size = static_cast<std::int64_t>(choices_at(level).size());
      if (product_ > std::numeric_limits<std::int64_t>::max() / size) {
        throw std::overflow_error("the space has more than 2^63 - 1 points and cannot be counted");
      }
      strides_[level] = static_cast<std::uint64_t>(product_);
      product_ *= size;
    }
    current_.assign(axes, 0);
    point_ = space.start_;
    count_ = {product_, 0, std::vector<std::int64_t>(space.rules_->size(), 0)};
    find_segments();
  }

  SpaceCount run() {
    if (const Rule* broken = broken_at(0)) {
      count_.excluded[rule_index(broken)] = product_;
    } else {
      count_from(0, {{0, 1}}, {0.0, 1.0});
    }
    return count_;
  }

 private:
  struct State {
    std::uint64_t key;  // sum over the frontier: index of the value, times its stride
    std::int64_t ways;
  };

  const std::vector<std::size_t>& choices_at(std::size_t level) const {
    return space_.axes_[order_.axes[level]].choices;
  }
  std::size_t rule_index(const Rule* rule) const {
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

  // The parameters, among the first `levels`, that a rule reads that is evaluated later.
  std::vector<bool> frontier(std::size_t levels) const {
    Space::Mask read_later = 0;
    for (std::size_t later = levels + 1; later < order_.decided.size(); ++later) {
      for (const Rule* rule : order_.decided[later]) read_later |= space_.drawn_axes_read(*rule);
    }
    std::vector<bool> result(order_.axes.size(), false);
    for (std::size_t level = 0; level < levels; ++level) {
      result[level] = (read_later >> order_.axes[level] & 1) != 0;
    }
    return result;
  }

  // A range of parameters that get values without storing states in between. It ends where a
  // parameter leaves the frontier, because states may become equal there.
  struct Segment {
    std::size_t end = 0;
    std::vector<bool>
        kept;  // indexed by level: true if the parameter is in the frontier at the end
  };

  void find_segments() {
    const std::size_t axes = order_.axes.size();
    for (std::size_t levels = 0; levels <= axes; ++levels) frontiers_.push_back(frontier(levels));
    segments_.resize(axes);
    for (std::size_t level = axes; level-- > 0;) {
      const std::vector<bool>& before = frontiers_[level];
      const std::vector<bool>& after = frontiers_[level + 1];
      bool leaves = !after[level] && !order_.decided[level + 1].empty();
      for (std::size_t l = 0; l < level; ++l) leaves = leaves || (before[l] && !after[l]);
      segments_[level] =
          leaves || level + 1 == axes ? Segment{level + 1, after} : segments_[level + 1];
    }
  }

  // A range of the whole count, as fractions from 0 to 1.
  struct Part {
    double begin;
    double end;
  };

  // Adds up the counts of all completions of the states. Parameters before `level` have values. If
  // there are many states, each slice of them is processed to the end before the next, so that
  // memory holds only slices.
  void count_from(std::size_t level, std::vector<State> states, Part part) {
    while (level < order_.axes.size()) {
      if (states.size() > kSlice) {
        for (std::size_t begin = 0; begin < states.size(); begin += kSlice) {
          const auto from = states.begin() + static_cast<std::ptrdiff_t>(begin);
          const std::size_t size = std::min(kSlice, states.size() - begin);
          const auto share = [&](std::size_t done) {
            const double of_part = static_cast<double>(done) / static_cast<double>(states.size());
            return part.begin + of_part * (part.end - part.begin);
          };
          count_from(level, {from, from + static_cast<std::ptrdiff_t>(size)},
                     {share(begin), share(begin + size)});
        }
        return;
      }
      states = after_segment(level, states);
      level = segments_[level].end;
    }
    for (const State& state : states) count_.valid += state.ways;
    if (progress_) progress_(part.end);
  }

  std::vector<State> after_segment(std::size_t begin, const std::vector<State>& states) {
    const Segment& segment = segments_[begin];
    const std::vector<bool>& before = frontiers_[begin];
    std::vector<State> next;
    std::size_t capacity = 4 * kSlice;
    for (const State& state : states) {
      std::uint64_t key = 0;
      for (std::size_t level = 0; level < begin; ++level) {
        if (!before[level]) continue;
        const std::uint64_t place = place_in(state.key, level);
        set(level, place);
        if (segment.kept[level]) key += place * strides_[level];
      }
      walk(begin, segment, {key, state.ways}, next);
      if (next.size() > capacity) {
        merge(next);
        capacity = std::max(capacity, 2 * next.size());
      }
    }
    merge(next);
    return next;
  }

  void walk(std::size_t level, const Segment& segment, const State& state,
            std::vector<State>& next) {
    if (level == segment.end) {
      next.push_back(state);
      return;
    }
    const std::size_t choices = choices_at(level).size();
    const bool is_read = !order_.decided[level + 1].empty() || frontiers_[level + 1][level];
    if (!is_read) {
      walk(level + 1, segment, {state.key, state.ways * static_cast<std::int64_t>(choices)}, next);
      return;
    }
    for (std::size_t place = 0; place < choices; ++place) {
      set(level, place);
      if (const Rule* broken = broken_at(level + 1)) {
        count_.excluded[rule_index(broken)] +=
            state.ways * static_cast<std::int64_t>(strides_[level]);
      } else {
        const std::uint64_t own = segment.kept[level] ? place * strides_[level] : 0;
        walk(level + 1, segment, {state.key + own, state.ways}, next);
      }
    }
  }

  // Merges states with equal keys.
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

  // States per slice, chosen so that a slice and the states that follow from it fit into caches.
  static constexpr std::size_t kSlice = 1 << 16;

  const Space& space_;
  const Space::Order& order_;
  const CountProgress& progress_;
  std::vector<std::vector<bool>>
      frontiers_;                  // indexed by the number of parameters that have values
  std::vector<Segment> segments_;  // indexed by the level at which they start
  SpaceCount count_;
  std::vector<std::uint64_t> strides_;  // indexed by level
  std::vector<std::size_t> current_;    // indexed by level: index of the value that point_ has
  ParameterPoint point_;
  std::int64_t product_ = 1;
};

SpaceCount Space::count() const {
  return Counting(*this, {}).run();
}

SpaceCount count_points(const Space& space, const CountProgress& progress) {
  return Counting(space, progress).run();
}

std::vector<std::string> Space::counting_order() const {
  std::vector<std::string> names;
  for (const std::size_t axis : order_.axes) names.emplace_back(axes_[axis].field->name);
  return names;
}

// Upper bound of the number of states that a count in this order visits: the sum of the sizes of
// the frontiers.
double Space::counting_cost(const std::vector<std::size_t>& axes,
                            const std::vector<Mask>& reads) const {
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

// Moves single parameters to other positions in the order as long as this reduces the cost.
Space::Order Space::cheap_order() const {
  std::vector<Mask> reads;
  for (const Rule& rule : *rules_) reads.push_back(drawn_axes_read(rule));
  const auto late =
      std::find_if(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.late; });
  std::vector<std::size_t> best(static_cast<std::size_t>(late - axes_.begin()));
  std::iota(best.begin(), best.end(), std::size_t{0});
  double best_cost = counting_cost(best, reads);
  for (bool improved = true; improved;) {
    improved = false;
    const std::vector<std::size_t> base = best;
    for (std::size_t from = 0; from < base.size(); ++from) {
      for (std::size_t to = 0; to < base.size(); ++to) {
        std::vector<std::size_t> moved = base;
        moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(from));
        moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), base[from]);
        const double cost = counting_cost(moved, reads);
        if (cost < 0.999 * best_cost) {
          best = std::move(moved);
          best_cost = cost;
          improved = true;
        }
      }
    }
  }
  return make_order(std::move(best));
}

}  // namespace tilewright
