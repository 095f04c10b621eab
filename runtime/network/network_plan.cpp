#include "runtime/network/network_plan.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

namespace tilewright {
namespace {

// The size of a storage in floats, rounded up to whole vectors.
std::size_t whole_floats(const Storage& storage) {
  return whole_vectors(quotient_up(storage.bytes(), sizeof(float)));
}

// The steps during which each value is needed.
struct ValueLives {
  struct Life {
    std::size_t first = 0;  // the step that computes it
    std::size_t last = 0;   // the last step that reads it
  };
  std::vector<Life> lives;             // by value
  std::vector<NetworkValue> computed;  // in order

  bool overlap(NetworkValue a, NetworkValue b) const {
    const Life& one = lives[value_index(a)];
    const Life& other = lives[value_index(b)];
    return other.first <= one.last && one.first <= other.last;
  }
};

ValueLives value_lives(const NetworkSteps& steps) {
  ValueLives found;
  found.lives.resize(steps.widths.size());
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    const auto write = [&](NetworkValue value) {
      found.lives[value_index(value)].last = i;
      // Perhaps the step computes another part of the same value.
      if (!found.computed.empty() && found.computed.back() == value) return;
      found.lives[value_index(value)].first = i;
      found.computed.push_back(value);
    };
    if (const auto* chain = std::get_if<ChainStep>(&steps.steps[i])) {
      write(chain->to);
      found.lives[value_index(chain->from)].last = i;
      continue;
    }
    const auto& kernel = std::get<KernelStep>(steps.steps[i]);
    write(kernel.to);
    for (const KernelStep::Source& source : kernel.from) {
      found.lives[value_index(source.value)].last = i;
    }
  }
  return found;
}

// Part of a row of the workspace, in floats.
struct Interval {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

// Returns the start of the first gap of this size between the others.
std::uint64_t first_gap(std::vector<Interval> others, std::uint64_t size) {
  std::sort(others.begin(), others.end(),
            [](const Interval& a, const Interval& b) { return a.first < b.first; });
  std::uint64_t first = 0;
  for (const Interval& other : others) {
    if (first + size <= other.first) break;
    first = std::max(first, other.end);
  }
  return first;
}

}  // namespace

NetworkWorkspace lay_out(const std::vector<ChainPart>& parts,
                         const std::vector<PlannedPart>& planned) {
  std::size_t even = 0;
  std::size_t odd = 0;
  std::size_t packed = 0;
  std::size_t between = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t result = whole_floats(planned[i].made);
    if (parts[i].to == NetworkPlace::kEven) even = std::max(even, result);
    if (parts[i].to == NetworkPlace::kOdd) odd = std::max(odd, result);
    if (!planned[i].product) continue;
    const Route& route = planned[i].product->route;
    if (route.kernels[CallStep::kPackA] != nullptr && !route.storage.a.image) {
      packed = std::max(packed, whole_floats(route.storage.a));
    }
    if (route.storage.between) {
      between = std::max(between, whole_floats(*route.storage.between));
    }
  }
  // If size_t has 32 bits the sum may overflow. It is then limited to a size that cannot be
  // allocated.
  const std::uint64_t all = std::uint64_t{even} + odd + packed + between;
  const auto elements = static_cast<std::size_t>(std::min<std::uint64_t>(all, kMaxElements));
  const auto columns = static_cast<std::int64_t>(elements);
  return {0,          even,
          even + odd, even + odd + packed,
          elements,   Storage{Layout::R(), false, 1, columns, elements, elements}};
}

void add_values(NetworkWorkspace& workspace, std::size_t floats) {
  Storage& whole = workspace.whole;
  workspace.values = whole.elements;
  whole.elements = static_cast<std::size_t>(
      std::min<std::uint64_t>(std::uint64_t{whole.elements} + floats, kMaxElements));
  whole.ld = whole.elements;
  whole.columns = static_cast<std::int64_t>(whole.elements);
}

std::size_t place_values(const NetworkSteps& steps, const std::vector<bool>& values,
                         std::int64_t batch, Precision precision, std::vector<ValuePlace>& places) {
  const ValueLives lives = value_lives(steps);
  places.assign(steps.widths.size(), {});
  // Offsets and sizes for one row, in floats. Rows of all values take whole vectors, so the same
  // places are right for any number of rows.
  std::vector<Interval> intervals(places.size());
  std::uint64_t all = 0;
  std::vector<NetworkValue> placed;
  for (const NetworkValue value : lives.computed) {
    if (!values[value_index(value)]) continue;
    const auto width = static_cast<std::size_t>(steps.widths[value_index(value)]);
    places[value_index(value)].ld = width < kWidestVector ? width : whole_vectors(width);
    const std::uint64_t bytes = std::uint64_t{places[value_index(value)].ld} *
                                bytes_per_element(steps.precision(value, precision));
    const std::uint64_t size =
        round_up(quotient_up(bytes, sizeof(float)), std::uint64_t{kWidestVector});
    std::vector<Interval> others;
    for (const NetworkValue other : placed) {
      if (lives.overlap(value, other)) others.push_back(intervals[value_index(other)]);
    }
    const std::uint64_t first = first_gap(std::move(others), size);
    intervals[value_index(value)] = {first, first + size};
    all = std::max(all, first + size);
    placed.push_back(value);
  }
  const auto for_all_rows = [&](std::uint64_t floats) {
    const auto rows = static_cast<std::uint64_t>(batch);
    return floats > kMaxElements / rows ? kMaxElements : static_cast<std::size_t>(floats * rows);
  };
  for (const NetworkValue value : placed) {
    places[value_index(value)].offset = for_all_rows(intervals[value_index(value)].first);
  }
  return for_all_rows(all);
}

std::shared_ptr<NetworkPlan> NetworkPlans::find(const NetworkKey& key) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(plans_.begin(), plans_.end(),
                                  [&](const auto& plan) { return plan->key == key; });
  if (known == plans_.end()) return nullptr;
  std::rotate(known, known + 1, plans_.end());
  return plans_.back();
}

std::shared_ptr<NetworkPlan> NetworkPlans::take(const NetworkKey& key) {
  std::shared_ptr<NetworkPlan> known = find(key);
  const std::lock_guard lock(mutex_);
  std::erase(plans_, known);
  return known;
}

void NetworkPlans::insert(std::shared_ptr<NetworkPlan> plan) {
  std::shared_ptr<NetworkPlan> leaves;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  if (plans_.size() == kMaxPlans) {
    leaves = std::move(plans_.front());
    plans_.erase(plans_.begin());
  }
  plans_.push_back(std::move(plan));
}

}  // namespace tilewright
