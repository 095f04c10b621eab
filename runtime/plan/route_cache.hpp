// Remembers routes, so that each problem is planned only once.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "runtime/plan/operands.hpp"

namespace tilewright {

// No limit.
inline constexpr std::uint64_t kAnyBytes = std::numeric_limits<std::uint64_t>::max();

// Everything that a route depends on. Of the scalars: whether C is read (alpha = 0 is represented
// by k = 0 in a GemmProblem). Of the matrices: their alignment, which is all that plans depend on
// (for the C of a layer also whether it has gaps). Row-major and column-major calls of the same
// product share a route.
struct RouteKey {
  Op op = Op::kNN;
  GemmShape shape;
  bool reads_c = false;
  bool any_beta = false;  // for a Plan: the route must also support another beta
  std::size_t alignment_a = 1;
  std::size_t alignment_b = 1;
  std::size_t alignment_c = 1;
  LayerEpilogue epilogue{};
  bool gaps = false;  // C has gaps and an epilogue
  bool b_prepacked = false;
  std::size_t count = 1;  // number of products, a power of two
  Precision precision = Precision::kSingle;
  bool float_sums = false;
  // Limit of the plan's temporaries; see temporary_bytes().
  std::uint64_t temporaries_below = kAnyBytes;
  bool operator==(const RouteKey&) const = default;
};

// `max_alignment`: the largest alignment, in elements, that any kernel requires.
RouteKey route_key(const GemmProblem& problem, bool any_beta, std::size_t max_alignment);

// A route that was planned.
struct PlannedRoute {
  Route route;
  std::string kernel;  // name of the product's kernel
  std::string reason;  // explanation, if the route is for a Plan
};

// Thread-safe.
class RouteCache {
 public:
  // Maximum number of routes. An application with more of them plans them again.
  static constexpr std::size_t kMaxRoutes = 4096;

  // Returns null if the key is not in the cache.
  std::shared_ptr<const PlannedRoute> find(const RouteKey& key) const;
  // Returns false if another thread has already inserted a route, which is kept.
  bool insert(const RouteKey& key, std::shared_ptr<const PlannedRoute> route);

 private:
  struct Hash {
    std::size_t operator()(const RouteKey& key) const;
  };
  mutable std::mutex mutex_;
  std::unordered_map<RouteKey, std::shared_ptr<const PlannedRoute>, Hash> routes_;
};

}  // namespace tilewright
