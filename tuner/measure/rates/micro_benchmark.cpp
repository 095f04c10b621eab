#include "tuner/measure/rates/micro_benchmark.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {
namespace {

constexpr int kFirstIterations = 4;   // iterations of the loop in a kernel
constexpr int kIterationsGrowth = 4;  // factor for the number of iterations from step to step
constexpr int kMaxFormIterations = 1 << 28;
// The shortest run of each step counts, so that a brief interruption has no effect.
constexpr int kWarmRuns = 3;
constexpr double kLongRunNs = 1e6;  // the number of iterations grows until a run takes this long
// Runs below this time are harmless, and too short to compare.
constexpr double kShortNs = 1e5;
constexpr double kClearlySlower = 3.0;  // times the fastest form
// minimum growth of the time when the number of iterations grows by kIterationsGrowth
constexpr double kClearlyLonger = 2.0;
constexpr int kMinRounds = 15;  // minimum number of rounds
// On a machine that other programs slow down, rounds continue until the uncertainty of each form is
// a quarter of the difference that separates two forms (forms.cpp).
constexpr double kSteady = 0.005;
constexpr int kMaxRounds = 151;
// Limit for the time of all rounds together, because a whole tuning may have only seconds.
constexpr double kMaxRoundsNs = 1.5e8;

// A form while it is being measured.
struct FormRun {
  MultiplyAdd form;
  double ns = 0.0;       // time of the latest step
  double slow_ns = 0.0;  // time of the step before if the form was clearly slower there, else 0
  bool running = true;   // false once the form was dropped or failed
  FormTimes times;
};

// Returns the shortest time of a few runs. Afterwards runner.running is false if a run failed.
double shortest_ns(FormRun& runner, const TimeForm& time, int iterations) {
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; runner.running && i < kWarmRuns; ++i) {
    const std::optional<double> ns = time(runner.form, iterations);
    runner.running = ns.has_value();
    shortest = std::min(shortest, ns.value_or(shortest));
    if (shortest > kLongRunNs) break;
  }
  return shortest;
}

// Runs all remaining forms with the same number of iterations. Returns the shortest time.
double run_step(std::vector<FormRun>& runners, const TimeForm& time, int iterations, bool first) {
  double best = std::numeric_limits<double>::infinity();
  for (FormRun& runner : runners) {
    if (!runner.running) continue;
    // On some drivers the first launch compiles the kernel.
    if (first) runner.running = time(runner.form, iterations).has_value();
    runner.ns = shortest_ns(runner, time, iterations);
    if (runner.running) best = std::min(best, runner.ns);
  }
  return best;
}

bool is_hopeless(const FormRun& runner, double best_ns) {
  return runner.ns >= kShortNs && runner.ns >= kClearlySlower * best_ns;
}

// Drops forms that are clearly slower than the fastest. Such a form is run again after the others,
// because another program may have slowed the machine. It is dropped only if its time grew with the
// number of iterations: then the time is due neither to the launch nor to other programs.
void drop_hopeless_forms(std::vector<FormRun>& runners, const TimeForm& time, int iterations,
                         double best_ns, double flops) {
  for (FormRun& runner : runners) {
    if (runner.running && is_hopeless(runner, best_ns)) {
      runner.ns = std::min(runner.ns, shortest_ns(runner, time, iterations));
    }
    if (!runner.running) continue;
    const double before =
        std::exchange(runner.slow_ns, is_hopeless(runner, best_ns) ? runner.ns : 0.0);
    if (runner.slow_ns == 0.0 || before == 0.0 || runner.ns < kClearlyLonger * before) continue;
    runner.running = false;
    runner.times.ns_per_flop = {runner.ns / flops};
  }
}

// Divides the times of the forms that ran in all rounds by the slow-down of each round. Forms that
// were dropped earlier did not take part in the rounds and stay unchanged.
std::vector<FormTimes> without_slow_downs(std::vector<FormTimes> times) {
  std::size_t rounds = 0;
  for (const FormTimes& one : times) rounds = std::max(rounds, one.ns_per_flop.size());
  std::vector<std::vector<double>> moments(rounds);
  for (const FormTimes& one : times) {
    if (one.ns_per_flop.size() != rounds) continue;
    for (std::size_t i = 0; i < rounds; ++i) moments[i].push_back(one.ns_per_flop[i]);
  }
  const std::vector<double> slow = slow_downs(moments);
  for (FormTimes& one : times) {
    if (one.ns_per_flop.size() != rounds) continue;
    if (rounds == 0) continue;
    const double fastest = *std::min_element(one.ns_per_flop.begin(), one.ns_per_flop.end());
    for (std::size_t i = 0; i < rounds; ++i) {
      one.ns_per_flop[i] = without_slow_down(one.ns_per_flop[i], slow[i], fastest);
    }
  }
  return times;
}

// Returns true if the median of each form is known to within kSteady.
bool all_known(const std::vector<FormRun>& runners) {
  std::vector<FormTimes> times;
  for (const FormRun& runner : runners) {
    if (runner.running) times.push_back(runner.times);
  }
  const std::vector<FormTimes> even = without_slow_downs(std::move(times));
  return std::all_of(even.begin(), even.end(), [](const FormTimes& one) {
    return median_uncertainty(one.ns_per_flop) <= kSteady * quantile(one.ns_per_flop, 0.5);
  });
}

void run_rounds(std::vector<FormRun>& runners, const TimeForm& time, int iterations, double flops) {
  double spent_ns = 0.0;
  std::mt19937_64 random(1);
  Rounds rounds{.min = kMinRounds, .max = kMaxRounds};
  rounds.enough = [&] { return spent_ns > kMaxRoundsNs || all_known(runners); };
  take_turns(runners.size(), rounds, random, [&](std::size_t i) {
    FormRun& runner = runners[i];
    if (!runner.running) return false;
    const std::optional<double> ns = time(runner.form, iterations);
    runner.running = ns.has_value();
    spent_ns += ns.value_or(0.0);
    if (ns) runner.times.ns_per_flop.push_back(*ns / flops);
    if (!ns) runner.times.ns_per_flop.clear();  // A form that fails now and then cannot be used.
    return runner.running;
  });
}

}  // namespace

std::vector<FormTimes> time_forms(const TimeForm& time, double flops_per_iteration) {
  std::vector<FormRun> runners;
  for (const MultiplyAdd form : kMultiplyAdds) {
    runners.push_back({.form = form, .times = {form, {}}});
  }
  int iterations = kFirstIterations;
  double best_ns = run_step(runners, time, iterations, true);
  drop_hopeless_forms(runners, time, iterations, best_ns, iterations * flops_per_iteration);
  while (best_ns < kLongRunNs && iterations < kMaxFormIterations) {
    iterations *= kIterationsGrowth;
    best_ns = run_step(runners, time, iterations, false);
    drop_hopeless_forms(runners, time, iterations, best_ns, iterations * flops_per_iteration);
  }
  run_rounds(runners, time, iterations, iterations * flops_per_iteration);
  std::vector<FormTimes> result;
  for (FormRun& runner : runners) {
    if (!runner.times.ns_per_flop.empty()) result.push_back(std::move(runner.times));
  }
  return result;
}

std::vector<MultiplyAddRate> median_rates(int vector_width, const std::vector<FormTimes>& times) {
  std::vector<MultiplyAddRate> rates;
  for (const FormTimes& one : without_slow_downs(times)) {
    rates.push_back({vector_width, to_text(one.form), 1.0 / quantile(one.ns_per_flop, 0.5)});
  }
  return rates;
}

std::vector<MultiplyAddRate> faster_rates(const std::vector<MultiplyAddRate>& one,
                                          const std::vector<MultiplyAddRate>& other) {
  const auto best = [](const std::vector<MultiplyAddRate>& rates) {
    double gflops = 0.0;
    for (const MultiplyAddRate& rate : rates) gflops = std::max(gflops, rate.gflops);
    return gflops;
  };
  const bool one_is_faster = best(one) >= best(other);
  const std::vector<MultiplyAddRate>& slower = one_is_faster ? other : one;
  std::vector<MultiplyAddRate> rates = one_is_faster ? one : other;
  std::erase_if(rates, [&](const MultiplyAddRate& rate) {
    return std::none_of(slower.begin(), slower.end(),
                        [&](const MultiplyAddRate& also) { return also.form == rate.form; });
  });
  return rates;
}

}  // namespace tilewright
