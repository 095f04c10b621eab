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
  std::vector<bool> in_kernel_steps;   // by value: a kernel step writes or reads it

  bool overlap(NetworkValue a, NetworkValue b) const {
    const Life& one = lives[value_index(a)];
    const Life& other = lives[value_index(b)];
    return other.first <= one.last && one.first <= other.last;
  }
};

ValueLives value_lives(const NetworkSteps& steps) {
  ValueLives found;
  found.lives.resize(steps.widths.size());
  found.in_kernel_steps.resize(steps.widths.size());
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    const auto write = [&](NetworkValue value) {
      found.lives[value_index(value)].last = i;
      // Perhaps the step computes another part of the same value, or works in place.
      if (!found.computed.empty() && found.computed.back() == value) return;
      found.lives[value_index(value)].first = i;
      found.computed.push_back(value);
    };
    if (const auto* layer = std::get_if<LayerStep>(&steps.steps[i])) {
      write(layer->to);
      found.lives[value_index(layer->from)].last = i;
      continue;
    }
    const auto& kernel = std::get<KernelStep>(steps.steps[i]);
    write(kernel.to);
    found.in_kernel_steps[value_index(kernel.to)] = true;
    for (const KernelStep::Source& source : kernel.from) {
      found.lives[value_index(source.value)].last = i;
      found.in_kernel_steps[value_index(source.value)] = true;
    }
  }
  return found;
}

// Part of a row of the workspace, in floats.
struct Interval {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

// Returns the start of the first gap of this size between the others, a multiple of `alignment`.
std::uint64_t first_gap(std::vector<Interval> others, std::uint64_t size, std::uint64_t alignment) {
  std::sort(others.begin(), others.end(),
            [](const Interval& a, const Interval& b) { return a.first < b.first; });
  std::uint64_t first = 0;
  for (const Interval& other : others) {
    if (first + size <= other.first) break;
    first = std::max(first, round_up(other.end, alignment));
  }
  return first;
}

}  // namespace

NetworkWorkspace lay_out(std::size_t values, const std::vector<PlannedStep>& steps) {
  std::size_t packed = 0;
  std::size_t between = 0;
  for (const PlannedStep& step : steps) {
    if (!step.product) continue;
    const Route& route = step.product->route;
    if (route.kernels[CallStep::kPackA] != nullptr && !route.storage.a.image) {
      packed = std::max(packed, whole_floats(route.storage.a));
    }
    if (route.storage.between) {
      between = std::max(between, whole_floats(*route.storage.between));
    }
  }
  // If size_t has 32 bits the sum may overflow. It is then limited to a size that cannot be
  // allocated.
  const std::uint64_t all = std::uint64_t{values} + packed + between;
  const auto elements = static_cast<std::size_t>(std::min<std::uint64_t>(all, kMaxElements));
  const auto columns = static_cast<std::int64_t>(elements);
  return {values, values + packed, Storage{Layout::R(), false, 1, columns, elements, elements}};
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
    // Kernel steps read narrow values faster without gaps; layers need whole vectors.
    const bool dense = lives.in_kernel_steps[value_index(value)] && width < kWidestVector;
    places[value_index(value)].ld = dense ? width : whole_vectors(width);
    const std::uint64_t element_bytes = bytes_per_element(steps.precision(value, precision));
    const std::uint64_t vector_floats = kWidestVector * element_bytes / sizeof(float);
    const std::uint64_t size = round_up(
        quotient_up(places[value_index(value)].ld * element_bytes, sizeof(float)), vector_floats);
    std::vector<Interval> others;
    for (const NetworkValue other : placed) {
      if (lives.overlap(value, other)) others.push_back(intervals[value_index(other)]);
    }
    const std::uint64_t first = first_gap(std::move(others), size, vector_floats);
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
                                  [&](const auto& plan) { return plan.first == key; });
  if (known == plans_.end()) return nullptr;
  std::rotate(known, known + 1, plans_.end());
  return plans_.back().second;
}

void NetworkPlans::insert(const NetworkKey& key, std::shared_ptr<NetworkPlan> plan) {
  std::shared_ptr<NetworkPlan> leaves;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  auto old = std::find_if(plans_.begin(), plans_.end(),
                          [&](const auto& known) { return known.first == key; });
  if (old == plans_.end() && plans_.size() == kMaxPlans) {
    old = std::find_if(plans_.begin(), plans_.end(),
                       [](const auto& known) { return !known.second->has_weights; });
    if (old == plans_.end() && !plan->has_weights) return;
    if (old == plans_.end()) old = plans_.begin();
  }
  if (old != plans_.end()) {
    leaves = std::move(old->second);
    plans_.erase(old);
  }
  plans_.emplace_back(key, std::move(plan));
}

}  // namespace tilewright
