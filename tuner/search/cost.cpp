#include "tuner/search/cost.hpp"

#include <algorithm>
#include <cmath>

#include "codelets/space/emit.hpp"
#include "runtime/call/storage.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/search/ways.hpp"

namespace tilewright {
namespace {

constexpr double kMisfit = 2.0;  // times the best: what a shape costs that a kernel cannot serve
// Pack kernels reach this share of a buffer copy's rate, about: 0.5 to 1 was measured on CPU and
// GPU.
constexpr double kPackEfficiency = 0.7;
constexpr double kUsualNsPerElement = 1.0;  // on a device whose rates are not known

double move_ns(const Storage& storage, const DeviceRates& rates) {
  const auto elements = static_cast<double>(storage.elements);
  if (rates.copy_gbytes_per_s <= 0.0) return kUsualNsPerElement * elements;
  constexpr double kBytesMoved = 2 * sizeof(float);  // read and written
  return rates.launch_ns + kBytesMoved * elements / (kPackEfficiency * rates.copy_gbytes_per_s);
}

}  // namespace

const KernelRecord& CostModel::kernel(const std::string& point) const {
  const auto found = kernels_->find(point);
  if (found != kernels_->end()) return found->second;
  KernelRecord record = emit(parse_point(point));
  record.source = {};  // thousands of them would be a hundred megabytes
  return kernels_->emplace(point, std::move(record)).first->second;
}

double CostModel::beside_ns(const KernelRecord& record, Op op, const GemmShape& shape) const {
  double ns = 0.0;
  if (!reads_a_in_place(record, op, shape)) ns += move_ns(storage_a(record, shape), rates_);
  if (!keeps_b_ && !reads_b_in_place(record, op, shape))
    ns += move_ns(storage_b(record, shape), rates_);
  if (record.split_k > 1) ns += move_ns(storage_parts(record, shape), rates_);
  return ns;
}

std::optional<double> CostModel::cost(const Outcome& outcome) const {
  if (outcome.shapes.empty()) return std::nullopt;
  const KernelRecord& record = kernel(outcome.point);
  double times_the_best = kMisfit;
  double sum = 0.0;
  int counted = 0;
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    // A shape that nothing has served yet says nothing of this candidate either.
    if (std::isinf(best_ns_[s])) continue;
    const ShapeSamples* samples = samples_on(outcome, shapes_[s]);
    if (samples != nullptr && !samples->ns.empty()) {
      times_the_best = median_ns(*samples) / best_ns_[s];
    }
    for (const Op op : ops_) {
      const double ns = can_serve(record, op, shapes_[s])
                            ? times_the_best * best_ns_[s] + beside_ns(record, op, shapes_[s])
                            : kMisfit * best_ns_[s];
      sum += std::log(ns / flops(shapes_[s]));
      ++counted;
    }
  }
  return counted == 0 ? std::nullopt : std::optional(sum / counted);
}

std::vector<double> CostModel::parts(const Outcome& outcome) const {
  std::vector<double> parts(shapes_.size(), kNone);
  if (outcome.shapes.empty()) return parts;
  const KernelRecord& record = kernel(outcome.point);
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const ShapeSamples* samples = samples_on(outcome, shapes_[s]);
    if (samples == nullptr || samples->ns.empty()) continue;
    double sum = 0.0;
    for (const Op op : ops_) {
      if (!can_serve(record, op, shapes_[s])) sum = kNone;
      sum +=
          std::log((median_ns(*samples) + beside_ns(record, op, shapes_[s])) / flops(shapes_[s]));
    }
    parts[s] = sum / static_cast<double>(ops_.size());
  }
  return parts;
}

void CostModel::learn(const Outcome& outcome) {
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const ShapeSamples* samples = samples_on(outcome, shapes_[s]);
    if (samples == nullptr || samples->ns.empty()) continue;
    best_ns_[s] = std::min(best_ns_[s], median_ns(*samples));
  }
}

}  // namespace tilewright
