#include "tuner/rates/micro_benchmark.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "tuner/measure/turns.hpp"
#include "tuner/records/slow_down.hpp"
#include "tuner/records/statistics.hpp"

namespace tilewright {
namespace {

constexpr int kFirstTurns = 4;
constexpr int kGrowth = 4;  // of the turns, from step to step
constexpr int kMostTurns = 1 << 28;
constexpr int kWarmRuns = 3;  // at each step, of which the shortest counts: a hiccup says nothing
constexpr double kLongEnoughNs = 1e6;
// Runs so short can do no harm, and say little.
constexpr double kShortNs = 1e5;
constexpr double kClearlySlower = 3.0;  // times the fastest
constexpr double kClearlyLonger = 2.0;  // after kGrowth times the turns
constexpr int kRounds = 15;
// On a machine that others slow down: until each form is known to a quarter of what tells two
// apart (forms.cpp).
constexpr double kSteady = 0.005;
constexpr int kMostRounds = 151;
constexpr double kMostRoundsNs = 1.5e8;  // of all runs: tunings may have but seconds

// A form on its way.
struct Runner {
  MultiplyAdd form;
  double ns = 0.0;       // of the latest step
  double slow_ns = 0.0;  // of the step before, if it was clearly slower there
  bool running = true;   // neither left behind nor failed
  FormTimes times;
};

// The least time of some runs, after which the runner may have failed.
double shortest_ns(Runner& runner, const TimeForm& time, int turns) {
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; runner.running && i < kWarmRuns; ++i) {
    const std::optional<double> ns = time(runner.form, turns);
    runner.running = ns.has_value();
    shortest = std::min(shortest, ns.value_or(shortest));
    if (shortest > kLongEnoughNs) break;
  }
  return shortest;
}

// One step: all that are running run for so many turns. Returns the least time.
double run_step(std::vector<Runner>& runners, const TimeForm& time, int turns, bool first) {
  double best = std::numeric_limits<double>::infinity();
  for (Runner& runner : runners) {
    if (!runner.running) continue;
    // The first launch compiles on some drivers.
    if (first) runner.running = time(runner.form, turns).has_value();
    runner.ns = shortest_ns(runner, time, turns);
    if (runner.running) best = std::min(best, runner.ns);
  }
  return best;
}

bool is_hopeless(const Runner& runner, double best_ns) {
  return runner.ns >= kShortNs && runner.ns >= kClearlySlower * best_ns;
}

// What is clearly slower runs once more, when the others have run: the machine may have been busy
// with something else. It is left behind when its turns are seen to make its time: after more of
// them it takes longer, as neither a launch nor other programs would have it.
void leave_behind(std::vector<Runner>& runners, const TimeForm& time, int turns, double best_ns,
                  double flops) {
  for (Runner& runner : runners) {
    if (runner.running && is_hopeless(runner, best_ns)) {
      runner.ns = std::min(runner.ns, shortest_ns(runner, time, turns));
    }
    if (!runner.running) continue;
    const double before =
        std::exchange(runner.slow_ns, is_hopeless(runner, best_ns) ? runner.ns : 0.0);
    if (runner.slow_ns == 0.0 || before == 0.0 || runner.ns < kClearlyLonger * before) continue;
    runner.running = false;
    runner.times.ns_per_flop = {runner.ns / flops};
  }
}

// The forms that ran in all rounds, their times divided by the slow-down of each round. Forms that
// were left behind were in no round, and stay as they are.
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

// How each form does beside the others is known well enough.
bool all_known(const std::vector<Runner>& runners) {
  std::vector<FormTimes> times;
  for (const Runner& runner : runners) {
    if (runner.running) times.push_back(runner.times);
  }
  const std::vector<FormTimes> even = without_slow_downs(std::move(times));
  return std::all_of(even.begin(), even.end(), [](const FormTimes& one) {
    return median_uncertainty(one.ns_per_flop) <= kSteady * quantile(one.ns_per_flop, 0.5);
  });
}

void run_rounds(std::vector<Runner>& runners, const TimeForm& time, int turns, double flops) {
  double spent_ns = 0.0;
  std::mt19937_64 random(1);
  Rounds rounds{.least = kRounds, .most = kMostRounds};
  rounds.enough = [&] { return spent_ns > kMostRoundsNs || all_known(runners); };
  Turns order(runners.size(), rounds, random);
  while (const std::optional<std::size_t> i = order.next()) {
    Runner& runner = runners[*i];
    if (runner.running) {
      const std::optional<double> ns = time(runner.form, turns);
      runner.running = ns.has_value();
      spent_ns += ns.value_or(0.0);
      if (ns) runner.times.ns_per_flop.push_back(*ns / flops);
      if (!ns) runner.times.ns_per_flop.clear();  // what fails now and then cannot be used
    }
    if (!runner.running) order.leave();
  }
}

}  // namespace

std::vector<FormTimes> time_forms(const TimeForm& time, double flops_per_turn) {
  std::vector<Runner> runners;
  for (const MultiplyAdd form : kMultiplyAdds) {
    runners.push_back({.form = form, .times = {form, {}}});
  }
  int turns = kFirstTurns;
  double best_ns = run_step(runners, time, turns, true);
  leave_behind(runners, time, turns, best_ns, turns * flops_per_turn);
  while (best_ns < kLongEnoughNs && turns < kMostTurns) {
    turns *= kGrowth;
    best_ns = run_step(runners, time, turns, false);
    leave_behind(runners, time, turns, best_ns, turns * flops_per_turn);
  }
  run_rounds(runners, time, turns, turns * flops_per_turn);
  std::vector<FormTimes> result;
  for (Runner& runner : runners) {
    if (!runner.times.ns_per_flop.empty()) result.push_back(std::move(runner.times));
  }
  return result;
}

std::vector<MultiplyAddRate> rates_of(int vector_width, const std::vector<FormTimes>& times) {
  std::vector<MultiplyAddRate> rates;
  for (const FormTimes& one : without_slow_downs(times)) {
    rates.push_back({vector_width, to_text(one.form), 1.0 / quantile(one.ns_per_flop, 0.5)});
  }
  return rates;
}

std::vector<MultiplyAddRate> faster_of(const std::vector<MultiplyAddRate>& one,
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
