// Measures the rates of a team's members.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "runtime/team/team.hpp"
#include "runtime/team/team_run.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::int64_t, 5> kCubes = {128, 256, 512, 1024, 2048};
constexpr SampleLimits kAloneLimits{1, 0.01};
constexpr int kAlonePasses = 3;
// Together, members need all cores at the same time, so another program disturbs most products.
constexpr SampleLimits kTogetherLimits{2, 0.01};
constexpr int kTogetherPasses = 6;
constexpr double kMaxSecondsPerProduct = 0.1;
// Threads of a CBLAS may spin for so long after a product.
constexpr std::chrono::milliseconds kSpinTime{30};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Page-aligned matrices, which drivers can map.
class HostMatrices {
 public:
  HostMatrices(const GemmShape& shape, ElementType type)
      : call_{.m = static_cast<std::size_t>(shape.m),
              .n = static_cast<std::size_t>(shape.n),
              .k = static_cast<std::size_t>(shape.k),
              .type = type} {
    const std::size_t elements[] = {call_.m * call_.k, call_.k * call_.n, call_.m * call_.n};
    for (const std::size_t count : elements) {
      memory_.emplace_back(count * bytes_per_element(type) + kPage);
      fill(memory_.back());
    }
  }

  HostGemm product() {
    return {call_, {start(0), call_.k}, {start(1), call_.n}, {start(2), call_.n}};
  }

 private:
  static constexpr std::size_t kPage = 4096;

  void* start(std::size_t index) {
    std::byte* const begin = memory_[index].data();
    return begin + (kPage - reinterpret_cast<std::uintptr_t>(begin) % kPage) % kPage;
  }

  // Random signs and mantissas with the exponent of numbers from 0.5 to 1. Zeros need less power,
  // so devices that are limited by power would seem to be faster.
  void fill(std::vector<std::byte>& memory) const {
    const auto number = [](std::uint64_t bits, std::uint64_t exponents, std::uint64_t exponent) {
      return (bits & ~exponents) | exponent;
    };
    const Precision precision = element_precision(call_.type);
    const std::size_t real_bytes = bytes_per_element(precision);
    std::mt19937_64 random;
    for (std::size_t at = 0; at + real_bytes <= memory.size(); at += real_bytes) {
      const std::uint64_t real =
          precision == Precision::kDouble   ? number(random(), 0x7ffull << 52, 1022ull << 52)
          : precision == Precision::kSingle ? number(random(), 0xffull << 23, 126ull << 23)
                                            : number(random(), 0x1full << 10, 14ull << 10);
      std::memcpy(memory.data() + at, &real, real_bytes);  // its low bytes
    }
  }

  GemmCall call_;
  std::vector<std::vector<std::byte>> memory_;
};

double fastest_of(const std::vector<double>& gflops) {
  return gflops.empty() ? 0.0 : *std::max_element(gflops.begin(), gflops.end());
}

std::vector<double> fastest_of_each(const std::vector<std::vector<double>>& gflops) {
  std::vector<double> fastest;
  std::transform(gflops.begin(), gflops.end(), std::back_inserter(fastest), fastest_of);
  return fastest;
}

bool takes_long_at_twice_the_extent(const TeamSamples& samples, std::size_t member) {
  const auto twice = static_cast<std::size_t>(2 * samples.shape.m);
  const double gflop = num_gflop({.m = twice, .n = twice, .k = twice, .type = samples.type});
  return gflop / fastest_of(samples.alone[member]) > kMaxSecondsPerProduct;
}

}  // namespace

TeamResult TeamSamples::fastest() const {
  TeamResult result{type, shape, fastest_of_each(alone), fastest_of_each(together),
                    fastest_of(team)};
  for (std::size_t i = 0; i < alone.size(); ++i) {
    // A member that is so slow that its part is empty.
    if (together[i].empty()) result.together_gflops[i] = result.alone_gflops[i];
  }
  return result;
}

std::optional<Error> Team::sample(const TeamSamples& samples, const Indices& members,
                                  const std::vector<std::int64_t>& parts,
                                  const SampleLimits& limits,
                                  std::vector<std::vector<double>>& member_gflops,
                                  std::vector<double>& team_gflops) {
  std::optional<HostMatrices> matrices;
  try {
    matrices.emplace(samples.shape, samples.type);
  } catch (const std::bad_alloc&) {
    return Error(TW_OUT_OF_MEMORY, "out of host memory for the matrices of a measurement");
  }
  const HostGemm product = matrices->product();
  TeamPlan plan{line_axis(product.call), {}};
  for (const std::size_t i : members) plan.parts.push_back({parts[i]});
  auto start = std::chrono::steady_clock::now();
  for (int count = -1; count < limits.min_products || seconds_since(start) < limits.seconds;
       ++count) {
    std::vector<Run> runs = divide(product, plan);
    const auto product_start = std::chrono::steady_clock::now();
    execute(runs, members);
    const double seconds = seconds_since(product_start);
    for (const Run& run : runs) {
      if (!run.error) continue;
      note_failure(members[run.member], *run.error);
      return run.error;
    }
    if (count < 0) {  // it may have compiled kernels
      start = std::chrono::steady_clock::now();
      continue;
    }
    for (const Run& run : runs) {
      member_gflops[members[run.member]].push_back(num_gflop(run.product.call) / run.seconds);
    }
    team_gflops.push_back(num_gflop(product.call) / seconds);
  }
  return std::nullopt;
}

std::optional<Error> Team::sample_alone(std::size_t member, TeamSamples& samples,
                                        const SampleLimits& limits) {
  std::vector<std::int64_t> parts(members_.size(), 0);
  parts[member] = samples.shape.m;
  std::vector<double> same_rates;
  samples.alone.resize(members_.size());
  return sample(samples, {member}, parts, limits, samples.alone, same_rates);
}

std::optional<Error> Team::sample_together(TeamSamples& samples, const SampleLimits& limits) {
  samples.together.resize(members_.size());
  return sample(samples, usable_members(samples.type, nullptr, {}),
                measured_parts(samples.shape, fastest_of_each(samples.alone)), limits,
                samples.together, samples.team);
}

// The passes are some time apart, so that a short load of the machine does not meet all of them. A
// cube that fails, for example because memory is lacking, ends the list.
// If a member fails for good, all is measured again without it.
std::optional<Error> Team::measure_cubes(ElementType type) {
  std::optional<Error> last;
  const Indices members = usable_members(type, nullptr, {});
  std::vector<TeamSamples> cubes;
  for (const std::int64_t extent : kCubes) cubes.push_back({{extent, extent, extent}, type});
  for (int pass = 0; pass < kAlonePasses; ++pass) {
    for (const std::size_t member : members) {
      for (std::size_t i = 0; i < cubes.size(); ++i) {
        if (auto error = sample_alone(member, cubes[i], kAloneLimits)) {
          last = std::move(error);
          cubes.resize(i);
        } else if (takes_long_at_twice_the_extent(cubes[i], member)) {
          cubes.resize(i + 1);
        }
      }
      if (members_[member]->device() == nullptr) std::this_thread::sleep_for(kSpinTime);
    }
    if (usable_members(type, nullptr, {}) != members) return measure_cubes(type);
  }
  for (int pass = 0; pass < kTogetherPasses; ++pass) {
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      if (auto error = sample_together(cubes[i], kTogetherLimits)) {
        last = std::move(error);
        cubes.resize(i);
      }
    }
    if (usable_members(type, nullptr, {}) != members) return measure_cubes(type);
  }
  if (cubes.empty()) return last;
  const std::lock_guard lock(mutex_);
  std::erase_if(results_, [&](const TeamResult& result) { return result.type == type; });
  for (const TeamSamples& samples : cubes) results_.push_back(samples.fastest());
  plans_.clear();
  return std::nullopt;
}

void Team::measure(ElementType type) {
  if (usable_members(type, nullptr, {}).size() < 2 || !options_.shares.empty()) return;
  const std::lock_guard measuring(measuring_);
  if (const auto error = measure_cubes(type)) throw *error;
}

void Team::measure_once(const GemmCall& call) {
  const std::lock_guard measuring(measuring_);
  {
    const std::lock_guard lock(mutex_);
    if (measured(call) != nullptr) return;
  }
  measure_cubes(call.type);
}

}  // namespace tilewright
