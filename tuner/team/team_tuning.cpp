#include "tuner/team/team_tuning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <numeric>
#include <thread>
#include <utility>

#include "runtime/call/gemm_problem.hpp"
#include "runtime/team/split.hpp"
#include "runtime/team/team.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;
using Members = std::vector<std::shared_ptr<const TeamMember>>;

// Page-aligned matrices of small numbers, which drivers can map.
class HostMatrices {
 public:
  HostMatrices(const GemmShape& shape, ElementType type)
      : call_{.m = static_cast<std::size_t>(shape.m),
              .n = static_cast<std::size_t>(shape.n),
              .k = static_cast<std::size_t>(shape.k),
              .type = type} {
    const std::size_t bytes = bytes_per_element(type);
    for (const std::size_t elements : {call_.m * call_.k, call_.k * call_.n, call_.m * call_.n}) {
      memory_.emplace_back(elements * bytes + kPage);
    }
  }

  HostGemm product() {
    return {call_, {start(0), call_.k}, {start(1), call_.n}, {start(2), call_.n}};
  }

 private:
  static constexpr std::size_t kPage = 4096;

  // The first page boundary.
  void* start(std::size_t index) {
    std::byte* const begin = memory_[index].data();
    const std::size_t past = reinterpret_cast<std::uintptr_t>(begin) % kPage;
    return begin + (kPage - past) % kPage;
  }

  GemmCall call_;
  std::vector<std::vector<std::byte>> memory_;
};

double gflop(const GemmCall& call) {
  return 2e-9 * static_cast<double>(call.m) * static_cast<double>(call.n) *
         static_cast<double>(call.k);
}

// Multiplies for the given time, after one product that does not count. Returns GFLOPS.
double rate_of(const std::function<void()>& multiply, const GemmCall& call, double seconds) {
  multiply();
  const Clock::time_point start = Clock::now();
  double elapsed = 0.0;
  int products = 0;
  do {
    multiply();
    ++products;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  } while (elapsed < seconds);
  return gflop(call) * products / elapsed;
}

// The rates of all members, which multiply at the same time.
std::vector<double> rates_together(const Members& members, const HostGemm& product,
                                   const std::vector<double>& alone, double seconds) {
  const SplitAxis axis = line_axis(product.call);
  const std::vector<std::int64_t> parts =
      split_by_shares(alone, static_cast<std::int64_t>(axis_extent(product.call, axis)));
  std::vector<double> rates = alone;  // of members whose part is empty
  std::vector<std::exception_ptr> errors(members.size());
  std::vector<std::thread> threads;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto size = static_cast<std::size_t>(parts[i]);
    if (size == 0) continue;
    const HostGemm part = part_product(product, {axis, begin, size});
    begin += size;
    threads.emplace_back([&, i, part] {
      try {
        rates[i] = rate_of([&] { members[i]->multiply(part); }, part.call, seconds);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
  return rates;
}

}  // namespace

TeamProfile tune_team(const TeamTuning& tuning,
                      const std::function<void(const TeamResult&)>& done) {
  TeamProfile profile;
  for (const auto& member : tuning.members) {
    profile.members.push_back({printable_name(member->profile_name()), member->profile_digest()});
  }
  for (const GemmShape& shape : tuning.shapes) {
    HostMatrices matrices(shape, tuning.type);
    const HostGemm product = matrices.product();
    TeamResult result;
    result.type = tuning.type;
    result.shape = shape;
    for (const auto& member : tuning.members) {
      result.alone_gflops.push_back(
          rate_of([&] { member->multiply(product); }, product.call, tuning.seconds));
    }
    result.together_gflops =
        rates_together(tuning.members, product, result.alone_gflops, tuning.seconds);
    TeamOptions options;
    options.adapt = false;
    options.profile = TeamProfile{profile.members, {result}};
    Team team(tuning.members, options);
    result.team_gflops = rate_of([&] { team.gemm(product); }, product.call, tuning.seconds);
    profile.results.push_back(result);
    done(result);
  }
  return profile;
}

std::string to_text(const TeamResult& result) {
  const double sum = std::accumulate(result.alone_gflops.begin(), result.alone_gflops.end(), 0.0);
  const double best = *std::max_element(result.alone_gflops.begin(), result.alone_gflops.end());
  return fmt::format(
      "{}: alone {:.1f}, together {:.1f}, team {:.1f} GFLOPS: {:.2f} times the best member, {:.0f} % "
      "of the sum",
      to_text(result.shape), fmt::join(result.alone_gflops, " + "),
      fmt::join(result.together_gflops, " + "), result.team_gflops, result.team_gflops / best,
      100.0 * result.team_gflops / sum);
}

}  // namespace tilewright
