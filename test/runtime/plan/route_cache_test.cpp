// Tests what a route depends on: calls with equal keys get the same plans, and the key contains
// everything that planning uses. Needs no device.
#include "runtime/plan/route_cache.hpp"

#include <algorithm>
#include <iterator>
#include <random>

#include "catch.hpp"
#include "plan_records.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMaxAlignment = 16;

RouteKey make_route_key(const GemmCall& call, std::size_t ld = 64, std::size_t offset = 0) {
  const Matrix matrix{{}, offset, ld};
  return route_key(resolve(call, matrix, matrix, matrix), false, kMaxAlignment);
}

constexpr GemmCall kCall{.m = 12, .n = 20, .k = 28};

TEST_CASE("routes depend on op, layout, m, n, k and whether C is read") {
  const RouteKey key = make_route_key(kCall);
  CHECK(key == make_route_key(kCall));
  const auto differs = [&](auto change) {
    GemmCall call = kCall;
    change(call);
    return !(make_route_key(call) == key);
  };
  CHECK(differs([](GemmCall& call) { call.m = 13; }));
  CHECK(differs([](GemmCall& call) { call.n = 21; }));
  CHECK(differs([](GemmCall& call) { call.k = 29; }));
  CHECK(differs([](GemmCall& call) { call.trans_a = Transpose::kYes; }));
  CHECK(differs([](GemmCall& call) { call.trans_b = Transpose::kYes; }));
  CHECK(differs([](GemmCall& call) { call.order = Order::kColumnMajor; }));
  CHECK(differs([](GemmCall& call) { call.beta = 1.0f; }));
  CHECK(differs([](GemmCall& call) { call.alpha = 0.0f; }));
  // The values of scalars do not matter.
  CHECK_FALSE(differs([](GemmCall& call) { call.alpha = -2.5f; }));
  GemmCall update = kCall;
  update.beta = 1.0f;
  const RouteKey updating = make_route_key(update);
  update.beta = -0.5f;
  CHECK(updating == make_route_key(update));
  // The same product in column-major order.
  const GemmCall by_columns{.m = 20, .n = 12, .k = 28, .order = Order::kColumnMajor};
  CHECK(make_route_key(by_columns) == key);
}

TEST_CASE("of offsets and leading dimensions only the alignment matters") {
  const RouteKey key = make_route_key(kCall, 64, 0);
  CHECK(key == make_route_key(kCall, 128, 32));
  CHECK_FALSE(key == make_route_key(kCall, 64, 1));
  CHECK_FALSE(key == make_route_key(kCall, 68, 0));
  CHECK(make_route_key(kCall, 68, 0) == make_route_key(kCall, 64, 4));
  // Each matrix separately.
  const Matrix even{{}, 0, 64};
  const Matrix odd{{}, 0, 65};
  const auto keyed = [](const Matrix& a, const Matrix& b, const Matrix& c) {
    return route_key(resolve(kCall, a, b, c), false, kMaxAlignment);
  };
  CHECK_FALSE(keyed(odd, even, even) == keyed(even, odd, even));
  CHECK_FALSE(keyed(even, odd, even) == keyed(even, even, odd));
}

// Kernels with all alignments, some of which need packing.
Profile kernels_of_all_alignments() {
  std::vector<KernelRecord> kernels;
  std::vector<ShapeResult> results;
  double ns = 1000.0;
  for (const int alignment : {16, 8, 4, 2, 1}) {
    KernelRecord record = gemm("gemm_" + std::to_string(alignment), Op::kNN);
    record.alignment = alignment;
    kernels.push_back(record);
    results.push_back(result(Op::kNN, 64, record.name, ns));
    ns += 100.0;
    KernelRecord copy = pack("copy_" + std::to_string(alignment), "R", "R");
    copy.alignment = alignment;
    kernels.push_back(copy);
  }
  return tuned(kernels, results);
}

TEST_CASE("the start of a buffer counts like an offset") {
  GemmProblem problem = resolve(kCall, {{}, 0, 64}, {{}, 0, 64}, {{}, 0, 64});
  const auto key = [&] { return route_key(problem, false, kMaxAlignment); };
  const RouteKey aligned = key();
  problem.b.start_alignment = 16;
  CHECK(key() == aligned);
  problem.b.start_alignment = 4;
  CHECK_FALSE(key() == aligned);
  const RouteKey started = key();
  problem.b.start_alignment = 0;
  problem.b.offset = 4;
  CHECK(key() == started);
}

TEST_CASE("problems with the same key have the same plans") {
  const Profile profile = kernels_of_all_alignments();
  std::mt19937 random(1);
  const auto draw = [&] {
    constexpr std::size_t kSteps[] = {1, 2, 4, 6, 8, 16, 48};
    const std::size_t step = kSteps[random() % std::size(kSteps)];
    return Matrix{{}, step * (random() % 5), step * (64 + random() % 5)};
  };
  const GemmCall call{.m = 64, .n = 64, .k = 64};
  std::vector<std::pair<RouteKey, Names>> known;
  std::size_t met_again = 0;
  std::size_t served_otherwise = 0;
  for (int i = 0; i < 2000; ++i) {
    GemmProblem problem = resolve(call, draw(), draw(), draw());
    for (MatrixArgument* matrix : {&problem.a, &problem.b, &problem.c}) {
      constexpr std::size_t kStarts[] = {0, 0, 1, 2, 4, 8, 16};  // start alignments of buffers
      matrix->start_alignment = kStarts[random() % std::size(kStarts)];
    }
    const RouteKey key = route_key(problem, false, kMaxAlignment);
    Names plans;
    for (const GemmPlan& plan : rank_plans({&profile}, kOffered, problem)) {
      plans.push_back(reason_text(plan) + " " + plan.kernel().name);
      for (const auto* choices :
           {&plan.choices[CallStep::kPackA], &plan.choices[CallStep::kPackB]}) {
        for (const std::string& name : names(*choices)) plans.back() += " " + name;
      }
    }
    const auto same = std::find_if(known.begin(), known.end(),
                                   [&](const auto& other) { return other.first == key; });
    if (same == known.end()) {
      known.emplace_back(key, plans);
      continue;
    }
    ++met_again;
    if (same->second != plans) ++served_otherwise;
  }
  CHECK(served_otherwise == 0);
  CHECK(known.size() > 50);
  CHECK(met_again > 500);
}

TEST_CASE("the cache returns what was inserted for a key, and has a limited size") {
  RouteCache cache;
  RouteKey key = make_route_key(kCall);
  const auto route = std::make_shared<const PlannedRoute>(PlannedRoute{{}, "kernel", ""});
  CHECK(cache.find(key) == nullptr);
  cache.insert(key, route);
  CHECK(cache.find(key) == route);
  RouteKey other = key;
  other.any_beta = true;
  CHECK(cache.find(other) == nullptr);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < 2 * RouteCache::kMaxRoutes; ++i) {
    other.shape.m = static_cast<std::int64_t>(100 + i);
    cache.insert(other, route);
  }
  for (std::size_t i = 0; i < 2 * RouteCache::kMaxRoutes; ++i) {
    other.shape.m = static_cast<std::int64_t>(100 + i);
    if (cache.find(other) != nullptr) ++kept;
  }
  CHECK(kept >= 1);
  CHECK(kept <= RouteCache::kMaxRoutes);
}

}  // namespace
}  // namespace tilewright
