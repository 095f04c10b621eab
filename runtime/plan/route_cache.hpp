// How is a problem planned once and not again?
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "runtime/plan/operands.hpp"

namespace tilewright {

// No bound.
inline constexpr std::uint64_t kAnyBytes = std::numeric_limits<std::uint64_t>::max();

// All that a route depends on. Of the scalars: whether C is read; alpha = 0 is k = 0 in a
// GemmProblem. Of each matrix: how it is aligned, which is all that plans ask of offsets and
// leading dimensions (of a layer's C also whether it has gaps). Row-major and column-major calls
// that are the same product share a route.
struct RouteKey {
  Op op = Op::kNN;
  GemmShape shape;
  bool reads_c = false;
  bool any_beta = false;  // for a Plan: the route must also serve with another beta
  std::size_t alignment_a = 1;
  std::size_t alignment_b = 1;
  std::size_t alignment_c = 1;
  LayerEpilogue epilogue{};
  bool gaps = false;  // in a C with an epilogue
  bool b_prepacked = false;
  std::size_t count = 1;  // of products: 1, 2, 4 ...
  Precision precision = Precision::kSingle;
  bool float_sums = false;
  std::uint64_t temporaries_below = kAnyBytes;  // that the plan may need, see temporary_bytes()
  bool operator==(const RouteKey&) const = default;
};

// `most_alignment`: the largest that a kernel asks for, elements.
RouteKey route_key(const GemmProblem& problem, bool any_beta, std::size_t most_alignment);

struct PlannedRoute {
  Route route;
  std::string kernel;  // that of the product
  std::string reason;  // for a Plan
};

// Thread-safe.
class RouteCache {
 public:
  // Routes that are remembered; an application with more of them plans again.
  static constexpr std::size_t kMostRoutes = 4096;

  // Null: not planned yet.
  std::shared_ptr<const PlannedRoute> find(const RouteKey& key) const;
  // False: another thread was faster, whose route stays.
  bool insert(const RouteKey& key, std::shared_ptr<const PlannedRoute> route);

 private:
  struct Hash {
    std::size_t operator()(const RouteKey& key) const;
  };
  mutable std::mutex mutex_;
  std::unordered_map<RouteKey, std::shared_ptr<const PlannedRoute>, Hash> routes_;
};

}  // namespace tilewright
