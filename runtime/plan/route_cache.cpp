#include "runtime/plan/route_cache.hpp"

#include <utility>

namespace tilewright {

RouteKey route_key(const GemmProblem& problem, bool any_beta, std::size_t max_alignment) {
  return {problem.op,
          problem.shape,
          problem.beta != 0.0,
          any_beta,
          common_alignment(problem.a, max_alignment),
          common_alignment(problem.b, max_alignment),
          common_alignment(problem.c, max_alignment),
          problem.epilogue,
          !problem.epilogue.empty() && std::cmp_not_equal(problem.c.ld, problem.shape.n),
          problem.b_prepacked,
          problem.batch.count,
          problem.precision,
          problem.float_sums};
}

std::size_t RouteCache::Hash::operator()(const RouteKey& key) const {
  std::uint64_t hash = 0;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(key.shape.m), static_cast<std::uint64_t>(key.shape.n),
        static_cast<std::uint64_t>(key.shape.k), std::uint64_t{key.alignment_a},
        std::uint64_t{key.alignment_b}, std::uint64_t{key.alignment_c}, std::uint64_t{key.count},
        (static_cast<std::uint64_t>(key.op) * std::size(kPrecisions) +
         static_cast<std::uint64_t>(key.precision)) *
                8 +
            key.float_sums * 4u + key.reads_c * 2u + key.any_beta,
        static_cast<std::uint64_t>(key.epilogue.activation) * 8 + key.epilogue.bias * 4u +
            key.gaps * 2u + key.b_prepacked}) {
    // The multiplier of Fibonacci hashing: 2^64 divided by the golden ratio.
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return static_cast<std::size_t>(hash);
}

std::shared_ptr<const PlannedRoute> RouteCache::find(const RouteKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto known = routes_.find(key);
  return known == routes_.end() ? nullptr : known->second;
}

bool RouteCache::insert(const RouteKey& key, std::shared_ptr<const PlannedRoute> route) {
  const std::lock_guard lock(mutex_);
  if (routes_.size() >= kMaxRoutes) routes_.clear();
  return routes_.emplace(key, std::move(route)).second;
}

}  // namespace tilewright
