#include "runtime/network/mlp_plan.hpp"

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

}  // namespace

MlpWorkspace lay_out(const std::vector<ChainPart>& parts, const std::vector<PlannedPart>& planned) {
  std::size_t even = 0;
  std::size_t odd = 0;
  std::size_t packed = 0;
  std::size_t between = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t result = whole_floats(planned[i].made);
    if (parts[i].to == MlpPlace::kEven) even = std::max(even, result);
    if (parts[i].to == MlpPlace::kOdd) odd = std::max(odd, result);
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

void add_values(MlpWorkspace& workspace, std::size_t floats) {
  Storage& whole = workspace.whole;
  workspace.values = whole.elements;
  whole.elements = static_cast<std::size_t>(
      std::min<std::uint64_t>(std::uint64_t{whole.elements} + floats, kMaxElements));
  whole.ld = whole.elements;
  whole.columns = static_cast<std::int64_t>(whole.elements);
}

std::size_t place_values(const NetworkSteps& steps, const std::vector<bool>& values,
                         std::int64_t batch, Precision precision, std::vector<ValuePlace>& places) {
  struct Life {
    std::size_t first = 0;  // the step that computes it
    std::size_t last = 0;   // the last step that reads it
  };
  std::vector<Life> lives(steps.widths.size());
  std::vector<MlpValue> computed;  // in order
  const auto index = [](MlpValue value) { return static_cast<std::size_t>(value); };
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    const auto write = [&](MlpValue value) {
      lives[index(value)].last = i;
      if (!computed.empty() && computed.back() == value) return;  // another part of the same value
      lives[index(value)].first = i;
      computed.push_back(value);
    };
    if (const auto* chain = std::get_if<ChainStep>(&steps.steps[i])) {
      write(chain->to);
      lives[index(chain->from)].last = i;
      continue;
    }
    const auto& kernel = std::get<KernelStep>(steps.steps[i]);
    write(kernel.to);
    for (const KernelStep::Source& source : kernel.from) lives[index(source.value)].last = i;
  }
  places.assign(steps.widths.size(), {});
  // Offsets and sizes for one row, in floats. Rows of all values take whole vectors, so the same
  // places are right for any number of rows.
  std::vector<std::uint64_t> offsets(places.size(), 0);
  std::vector<std::uint64_t> sizes(places.size(), 0);
  std::uint64_t all = 0;
  std::vector<MlpValue> placed;
  for (const MlpValue value : computed) {
    if (!values[index(value)]) continue;
    const auto width = static_cast<std::size_t>(steps.widths[index(value)]);
    places[index(value)].ld = width < kWidestVector ? width : whole_vectors(width);
    const std::uint64_t bytes = std::uint64_t{places[index(value)].ld} *
                                bytes_per_element(steps.precision(value, precision));
    sizes[index(value)] = round_up(quotient_up(bytes, sizeof(float)), std::uint64_t{kWidestVector});
    const Life& life = lives[index(value)];
    // Use the first gap that is large enough between the values that are needed at the same time.
    std::vector<MlpValue> others;
    for (const MlpValue other : placed) {
      const Life& of = lives[index(other)];
      if (of.first <= life.last && life.first <= of.last) others.push_back(other);
    }
    std::sort(others.begin(), others.end(),
              [&](MlpValue a, MlpValue b) { return offsets[index(a)] < offsets[index(b)]; });
    std::uint64_t offset = 0;
    for (const MlpValue other : others) {
      if (offset + sizes[index(value)] <= offsets[index(other)]) break;
      offset = std::max(offset, offsets[index(other)] + sizes[index(other)]);
    }
    offsets[index(value)] = offset;
    all = std::max(all, offset + sizes[index(value)]);
    placed.push_back(value);
  }
  const auto for_all_rows = [&](std::uint64_t floats) {
    const auto rows = static_cast<std::uint64_t>(batch);
    return floats > kMaxElements / rows ? kMaxElements : static_cast<std::size_t>(floats * rows);
  };
  for (const MlpValue value : placed) {
    places[index(value)].offset = for_all_rows(offsets[index(value)]);
  }
  return for_all_rows(all);
}

std::shared_ptr<MlpPlan> MlpPlans::find(const MlpKey& key) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(plans_.begin(), plans_.end(),
                                  [&](const auto& plan) { return plan->key == key; });
  if (known == plans_.end()) return nullptr;
  std::rotate(known, known + 1, plans_.end());
  return plans_.back();
}

std::shared_ptr<MlpPlan> MlpPlans::take(const MlpKey& key) {
  std::shared_ptr<MlpPlan> known = find(key);
  const std::lock_guard lock(mutex_);
  std::erase(plans_, known);
  return known;
}

void MlpPlans::insert(std::shared_ptr<MlpPlan> plan) {
  std::shared_ptr<MlpPlan> leaves;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  if (plans_.size() == kMaxPlans) {
    leaves = std::move(plans_.front());
    plans_.erase(plans_.begin());
  }
  plans_.push_back(std::move(plan));
}

}  // namespace tilewright
