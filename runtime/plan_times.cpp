#include "runtime/plan_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/executor.hpp"

namespace tilewright {
namespace {

// Without any measurement: reading and writing a float takes a nanosecond. What matters is that
// moving less is less.
constexpr double kUnmeasuredNsPerByte = 1.0 / (2 * sizeof(float));

using Logarithms = std::array<double, 3>;

Logarithms logarithms(std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto log = [](std::int64_t extent) {
    return std::log2(static_cast<double>(std::max<std::int64_t>(extent, 1)));
  };
  return {log(m), log(n), log(k)};
}

Logarithms operator-(const Logarithms& a, const Logarithms& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

double operator*(const Logarithms& a, const Logarithms& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Multiply-adds that the launch does, those of the tiles past the edge included.
double launched_work(const KernelRecord& record, std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto global = global_size(record, m, n);
  return static_cast<double>(global[0]) * static_cast<double>(global[1]) * record.tile.m *
         record.tile.n * static_cast<double>(std::max<std::int64_t>(k, 1));
}

struct Near {
  const ShapeResult* result = nullptr;
  Logarithms at{};
  double distance = 0.0;  // squared
};

// The two results of the kernel that are nearest; the earlier one where they are as near.
std::array<Near, 2> nearest(const Profile& profile, const KernelRecord& kernel, Op op,
                            const Logarithms& shape) {
  std::array<Near, 2> best;
  for (const ShapeResult& result : profile.results) {
    if (result.op != op || result.kernel != kernel.name) continue;
    Near near{&result, logarithms(result.m, result.n, result.k), 0.0};
    near.distance = (near.at - shape) * (near.at - shape);
    for (Near& place : best) {
      if (place.result == nullptr || near.distance < place.distance) std::swap(place, near);
      if (near.result == nullptr) break;
    }
  }
  return best;
}

double positive_or(double value, double otherwise) {
  return value > 0.0 ? value : otherwise;
}

}  // namespace

double PlanTimes::beside_ns() const {
  return pack_a_ns + pack_b_ns + pack_c_ns + unpack_c_ns + reduce_ns + launches_ns;
}

std::optional<double> predict_ns(const Profile& profile, const KernelRecord& kernel, Op op,
                                 const GemmShape& shape) {
  const Logarithms at = logarithms(shape.m, shape.n, shape.k);
  const auto [first, second] = nearest(profile, kernel, op, at);
  if (first.result == nullptr) return std::nullopt;
  const auto ns_per_work = [&](const ShapeResult& result) {
    return result.median_ns / launched_work(kernel, result.m, result.n, result.k);
  };
  double predicted = ns_per_work(*first.result);
  if (second.result != nullptr) {
    // How far the shape is from the first towards the second.
    const Logarithms way = second.at - first.at;
    const double part = way * way > 0.0 ? (at - first.at) * way / (way * way) : 0.0;
    if (part > 0.0) predicted *= std::pow(ns_per_work(*second.result) / predicted, part);
  }
  return predicted * launched_work(kernel, shape.m, shape.n, shape.k);
}

MoveTimes::MoveTimes(const std::vector<const Profile*>& profiles)
    : ns_per_byte_(kUnmeasuredNsPerByte) {
  // Backwards, so that the first profile that says something has the last word.
  for (auto profile = profiles.rbegin(); profile != profiles.rend(); ++profile) {
    const DeviceRates& rates = (*profile)->rates;
    // 1 GB/s is a byte in a nanosecond.
    if (rates.copy_gbytes_per_s > 0.0) ns_per_byte_ = 1.0 / rates.copy_gbytes_per_s;
    launch_ns_ = positive_or(rates.launch_ns, launch_ns_);
    for (const PackResult& result : (*profile)->pack_results) {
      const KernelRecord* record = find_kernel(**profile, result.kernel);
      if (record != nullptr && result.ns_per_element > 0.0) {
        ns_per_element_[record] = result.ns_per_element;
      }
    }
  }
}

double MoveTimes::pack_ns(const KernelRecord& pack, const PackProblem& problem) const {
  const double elements =
      static_cast<double>(problem.padded_rows) * static_cast<double>(problem.padded_columns);
  const auto measured = ns_per_element_.find(&pack);
  const double ns_per_element =
      measured != ns_per_element_.end() ? measured->second : 2.0 * sizeof(float) * ns_per_byte_;
  return elements * ns_per_element;
}

double MoveTimes::reduce_ns(const Storage& parts, const GemmProblem& problem) const {
  const double c = static_cast<double>(problem.shape.m) * static_cast<double>(problem.shape.n);
  const double moved = static_cast<double>(parts.elements) + (problem.beta == 0.0f ? c : 2.0 * c);
  return moved * sizeof(float) * ns_per_byte_;
}

}  // namespace tilewright
