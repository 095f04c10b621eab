#include "tuner/team/team_tuning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iterator>
#include <numeric>
#include <random>
#include <thread>
#include <utility>

#include "runtime/call/gemm_problem.hpp"
#include "runtime/team/split.hpp"
#include "runtime/team/team.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {
namespace {

using Members = std::vector<std::shared_ptr<const TeamMember>>;

// Fills memory with real numbers in [-1, 1): zeros need less power, so devices that are limited by
// power would seem to be faster.
template <class Real>
void fill_with_numbers(std::byte* memory, std::size_t bytes) {
  std::minstd_rand random(1);
  for (std::size_t at = 0; at + sizeof(Real) <= bytes; at += sizeof(Real)) {
    const auto number = static_cast<Real>(static_cast<double>(random()) / 1073741823.5 - 1.0);
    std::memcpy(memory + at, &number, sizeof number);
  }
}

// The same in half precision: the sign, an exponent for [0.5, 1), and 10 random bits.
void fill_with_halfs(std::byte* memory, std::size_t bytes) {
  std::minstd_rand random(1);
  for (std::size_t at = 0; at + 2 <= bytes; at += 2) {
    const auto bits = static_cast<std::uint32_t>(random());
    const auto half =
        static_cast<std::uint16_t>((bits >> 8 & 0x8000u) | 14u << 10 | (bits >> 10 & 0x3ffu));
    std::memcpy(memory + at, &half, sizeof half);
  }
}

void fill(std::byte* memory, std::size_t bytes, Precision precision) {
  if (precision == Precision::kDouble) return fill_with_numbers<double>(memory, bytes);
  if (precision == Precision::kSingle) return fill_with_numbers<float>(memory, bytes);
  fill_with_halfs(memory, bytes);
}

// Page-aligned matrices of numbers of at most 1, which drivers can map.
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
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      auto* const begin = static_cast<std::byte*>(start(i));
      const auto skipped = static_cast<std::size_t>(begin - memory_[i].data());
      fill(begin, memory_[i].size() - skipped, element_precision(type));
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

// Calls `multiply` for the given time. Returns GFLOPS.
Summary measure_rate(const std::function<void()>& multiply, const GemmCall& call, double seconds) {
  std::mt19937_64 random;
  std::vector<double> rates;
  take_turns(1, {.min = 1, .seconds = seconds}, random, [&](std::size_t) {
    const double start_s = steady_now_s();
    multiply();
    rates.push_back(num_gflop(call) / (steady_now_s() - start_s));
    return true;
  });
  return summarize(rates);
}

// Multiplies for the given time, after one product that does not count. Returns GFLOPS.
Summary rate_of(const std::function<void()>& multiply, const GemmCall& call, double seconds) {
  multiply();
  return measure_rate(multiply, call, seconds);
}

// The rate of one member while the others multiply: its time starts when all are warm, and it goes
// on until the last one has its rate.
Summary measure_among_others(const std::function<void()>& multiply, const GemmCall& call,
                             double seconds, std::barrier<>& all_warm,
                             std::atomic<std::size_t>& num_busy) {
  bool is_warm = false;
  bool is_measured = false;
  try {
    multiply();
    is_warm = true;
    all_warm.arrive_and_wait();
    const Summary rate = measure_rate(multiply, call, seconds);
    is_measured = true;
    --num_busy;
    while (num_busy > 0) multiply();
    return rate;
  } catch (...) {
    if (!is_warm) all_warm.arrive_and_drop();
    if (!is_measured) --num_busy;
    throw;
  }
}

std::vector<double> medians(const TeamRates& rates) {
  std::vector<double> values;
  for (const Summary& rate : rates) values.push_back(rate.median);
  return values;
}

// The rates of all members, which multiply at the same time.
TeamRates rates_together(const Members& members, const HostGemm& product, const TeamRates& alone,
                         double seconds) {
  const SplitAxis axis = line_axis(product.call);
  const std::vector<std::int64_t> parts =
      split_by_shares(medians(alone), static_cast<std::int64_t>(axis_extent(product.call, axis)));
  TeamRates rates = alone;  // of members whose part is empty
  std::vector<std::exception_ptr> errors(members.size());
  const auto active = static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [](std::int64_t part) { return part > 0; }));
  std::barrier<> all_warm(static_cast<std::ptrdiff_t>(active));
  std::atomic<std::size_t> num_busy = active;
  std::vector<std::thread> threads;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto size = static_cast<std::size_t>(parts[i]);
    if (size == 0) continue;
    const HostGemm part = part_product(product, {axis, begin, size});
    begin += size;
    threads.emplace_back([&, i, part] {
      try {
        rates[i] = measure_among_others([&] { members[i]->multiply(part); }, part.call, seconds,
                                        all_warm, num_busy);
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

double seconds_per_measurement(double budget_s, std::size_t num_shapes, std::size_t num_members) {
  constexpr double kMaxSeconds = 2.0;
  constexpr double kMeasuredPart = 0.9;
  const auto measurements = static_cast<double>(num_shapes * (num_members + 2));
  return std::min(kMaxSeconds, kMeasuredPart * budget_s / measurements);
}

TeamProfile tune_team(const TeamTuning& tuning,
                      const std::function<void(const TeamMeasurement&, const TeamProfile&)>& done) {
  TeamProfile profile;
  for (const auto& member : tuning.members) {
    profile.members.push_back({printable_name(member->profile_name()), member->profile_digest()});
  }
  const double start_s = steady_now_s();
  for (const GemmShape& shape : tuning.shapes) {
    if (!profile.results.empty() && steady_now_s() - start_s >= tuning.budget_s) break;
    HostMatrices matrices(shape, tuning.type);
    const HostGemm product = matrices.product();
    TeamMeasurement measured{.shape = shape};
    for (const auto& member : tuning.members) {
      measured.alone.push_back(
          rate_of([&] { member->multiply(product); }, product.call, tuning.seconds));
    }
    measured.together = rates_together(tuning.members, product, measured.alone, tuning.seconds);
    TeamResult result;
    result.type = tuning.type;
    result.shape = shape;
    result.alone_gflops = medians(measured.alone);
    result.together_gflops = medians(measured.together);
    TeamOptions options;
    options.adapt = false;
    options.profile = TeamProfile{profile.members, {result}};
    Team team(tuning.members, options);
    measured.team = rate_of([&] { team.gemm(product); }, product.call, tuning.seconds);
    result.team_gflops = measured.team.median;
    for (std::size_t i = 0; i < tuning.members.size(); ++i) {
      if (*team.drop_reason(i) == 0) continue;
      throw Error(TW_OPENCL_ERROR,
                  fmt::format("member {} failed in the team: {}", i, team.drop_reason(i)));
    }
    profile.results.push_back(result);
    done(measured, profile);
  }
  return profile;
}

std::string to_text(const TeamMeasurement& measurement) {
  const auto text = [](const Summary& rate) {
    return fmt::format("{:.4g} ({:.4g}-{:.4g})", rate.median, rate.low, rate.high);
  };
  const auto sum_text = [&](const TeamRates& rates) {
    std::vector<std::string> texts;
    std::transform(rates.begin(), rates.end(), std::back_inserter(texts), text);
    return fmt::format("{}", fmt::join(texts, " + "));
  };
  const std::vector<double> alone = medians(measurement.alone);
  const double sum = std::accumulate(alone.begin(), alone.end(), 0.0);
  const double best = *std::max_element(alone.begin(), alone.end());
  return fmt::format(
      "{}: alone {}, together {}, team {} GFLOPS: {:.2f} times the best member, {:.0f} % of the "
      "sum",
      to_text(measurement.shape), sum_text(measurement.alone), sum_text(measurement.together),
      text(measurement.team), measurement.team.median / best,
      100.0 * measurement.team.median / sum);
}

}  // namespace tilewright
