#include "tuner/bench/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>

#include "profiles/profile_text.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/check/host_product.hpp"
#include "runtime/device/own_buffer.hpp"
#include "runtime/device/profile_search.hpp"
#include "tuner/bench/profile_plans.hpp"
#include "tuner/measure/turns.hpp"
#include "tuner/rates/launch_floor.hpp"
#include "tuner/records/shapes.hpp"

namespace tilewright {
namespace {

constexpr int kCheckedElements = 32;
// Of a machine that is slow beyond doubt: what waits for it is to be patient.
constexpr double kSlowFlopsPerSecond = 1e9;
constexpr double kSlowFloatsPerSecond = 1e7;  // made up and copied

double operand_floats(const GemmShape& shape) {
  return static_cast<double>(shape.m * shape.k + shape.k * shape.n + shape.m * shape.n);
}

// So that a contender which writes nothing is not taken for right on what the one before it wrote.
void poison(const cl::CommandQueue& queue, const Matrix& c) {
  const std::vector<float> nan(c.buffer.getInfo<CL_MEM_SIZE>() / sizeof(float),
                               std::numeric_limits<float>::quiet_NaN());
  check_opencl(write_floats(queue, c.buffer, 0, nan), "filling a buffer (C)");
}

// Random elements of C with their right values.
struct Checks {
  std::vector<std::pair<std::int64_t, std::int64_t>> at;
  std::vector<ProductElement> expected;
};

Checks make_checks(const cl::CommandQueue& queue, const Workload& workload,
                   std::mt19937_64& random) {
  const HostMatrix a{download(queue, workload.a().buffer), 0, workload.a().ld};
  const HostMatrix b{download(queue, workload.b().buffer), 0, workload.b().ld};
  Checks checks;
  for (int i = 0; i < kCheckedElements; ++i) {
    const auto row =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(workload.shape().m));
    const auto column =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(workload.shape().n));
    checks.at.emplace_back(row, column);
    checks.expected.push_back(
        host_product(workload.problem().op, workload.shape(), 1.0f, a, b, 0.0f, {}, row, column));
  }
  return checks;
}

void check_result(Contender& contender, const Checks& checks) {
  const std::vector<float> got = contender.result_at(checks.at);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!(std::abs(got[i] - checks.expected[i].value) <= checks.expected[i].bound)) {
      throw Error(TW_INTERNAL,
                  fmt::format("{} computes C({}, {}) = {} instead of {} +- {}: nothing is measured",
                              contender.name(), checks.at[i].first, checks.at[i].second, got[i],
                              checks.expected[i].value, checks.expected[i].bound));
    }
  }
}

// Says before each launch what is launched, for the process may die of it.
Calls announced(Calls calls, const std::string& what, double first_s, const Announce& announce) {
  return [calls = std::move(calls), what, call_s = first_s, announce](int count) mutable {
    announce({PhaseKind::kLaunch, what, count * call_s});
    const double seconds = calls(count);
    call_s = seconds / count;
    return seconds;
  };
}

// Who takes part: a contender, and what to call it where its process dies of it.
struct Entrant {
  std::unique_ptr<Contender> contender;
  std::string what;
  PhaseKind first = PhaseKind::kLaunch;  // kBuild: rivals compile at their first call
  double call_s = 0.0;                   // of its first call
};

// What takes turns: the entrants and, last, launches of nothing.
std::vector<Calls> calls_of(const std::vector<Entrant>& entrants, LaunchFloor& floor,
                            const Announce& announce) {
  std::vector<Calls> all;
  for (const Entrant& entrant : entrants) {
    all.push_back(announced([&entrant](int calls) { return entrant.contender->seconds_of(calls); },
                            entrant.what, entrant.call_s, announce));
  }
  all.push_back(announced([&floor](int calls) { return floor.seconds_of(calls); },
                          "the empty kernel", 0.0, announce));
  if (std::any_of(entrants.begin(), entrants.end(),
                  [](const Entrant& entrant) { return entrant.contender->is_foreign(); })) {
    for (Calls& calls : all) calls = after_one_call(std::move(calls));
  }
  return all;
}

Summary gflops_of(const GemmShape& shape, std::vector<double> seconds) {
  for (double& sample : seconds) sample = flops(shape) / sample / 1e9;
  return summarize(seconds);
}

Summary in_ns(std::vector<double> seconds) {
  for (double& sample : seconds) sample *= 1e9;
  return summarize(seconds);
}

// What all products of a run have in common.
struct BenchRun {
  Library library;
  Rivals rivals;
  LaunchFloor floor;
  ProfilePlans plans;
  std::mt19937_64 random;
  Announce announce;
};

std::string text_of(const GemmProblem& problem) {
  return fmt::format("{} {}", to_text(problem.op), to_text(problem.shape));
}

// What serves, and the rivals: built, but for what a rival builds at its first call.
std::vector<Entrant> entrants_of(BenchRun& run, const Arena& arena, const BenchOptions& options) {
  const GemmProblem& problem = arena.workload.problem();
  const std::string product = text_of(problem);
  run.announce({PhaseKind::kBuild, fmt::format("the kernels that serve {}, first of all {}",
                                               product, run.plans.first_kernel(problem))});
  const std::vector<std::string> kernels = run.library.kernels_for(call_of(problem));
  std::vector<Entrant> entrants;
  entrants.push_back({library_contender("tilewright", run.library, arena),
                      fmt::format("{} on {}", fmt::join(kernels, "+"), product)});
  for (const std::string& rival : options.rivals) {
    run.announce({PhaseKind::kBuild, rival});
    entrants.push_back(
        {run.rivals.make(rival, arena), rival + " on " + product, PhaseKind::kBuild});
  }
  return entrants;
}

// Its first call, which is also the warm-up: compiles kernels, touches memory.
void call_first(BenchRun& run, const Arena& arena, Entrant& entrant, const Checks& checks) {
  run.announce({entrant.first, entrant.what, flops(arena.workload.shape()) / kSlowFlopsPerSecond});
  poison(arena.queue, arena.workload.c());
  const auto begin = std::chrono::steady_clock::now();
  entrant.contender->multiply();
  entrant.call_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  check_result(*entrant.contender, checks);
}

BenchResult bench_product(BenchRun& run, const Arena& arena, const BenchOptions& options) {
  const GemmProblem& problem = arena.workload.problem();
  std::vector<Entrant> entrants = entrants_of(run, arena, options);
  std::vector<BenchPlan> plans;
  if (options.all_plans) {
    for (ServingPlan& plan : run.plans.of(arena, run.announce)) {
      const std::string name = plan.contender->name();
      plans.push_back({name, plan.predicted_ns, {}});
      entrants.push_back({std::move(plan.contender), name + " on " + text_of(problem)});
    }
  }
  const Checks checks = make_checks(arena.queue, arena.workload, run.random);
  for (Entrant& entrant : entrants) call_first(run, arena, entrant, checks);
  const auto samples = take_turns(calls_of(entrants, run.floor, run.announce),
                                  options.seconds_per_product, run.random);

  const GemmShape& shape = problem.shape;
  const std::vector<std::string> kernels = run.library.kernels_for(call_of(problem));
  BenchResult result{problem.op,
                     shape,
                     fmt::format("{}", fmt::join(kernels, "+")),
                     gflops_of(shape, samples[0]),
                     {}};
  std::size_t at = 1;
  for (; at <= options.rivals.size(); ++at) {
    result.rivals[entrants[at].contender->name()] = gflops_of(shape, samples[at]);
  }
  for (BenchPlan& plan : plans) plan.gflops = gflops_of(shape, samples[at++]);
  result.plans = std::move(plans);
  result.launch_floor_ns = in_ns(samples.back());
  return result;
}

// Rivals that this machine has; what there is to say of them and which are missing goes to the
// report.
std::vector<std::string> present_rivals(Rivals& rivals, const std::vector<std::string>& asked,
                                        const Arena& arena, BenchReport& report) {
  std::vector<std::string> present;
  for (const std::string& rival : asked) {
    const auto contender = rivals.make(rival, arena);
    (contender ? present : report.missing_rivals).push_back(rival);
    if (contender && !contender->details().empty())
      report.rival_details[rival] = contender->details();
  }
  return present;
}

}  // namespace

double BenchResult::launch_share() const {
  const double call_ns = flops(shape) / gflops.median;
  return launch_floor_ns.median / call_ns;
}

BenchReport run_benchmark(const ListedDevice& device, const BenchOptions& asked,
                          const Announce& announce,
                          const std::function<void(const BenchReport&)>& done) {
  cl_int code = CL_SUCCESS;
  const cl::Context context(device.device, nullptr, nullptr, nullptr, &code);
  check_opencl(code, "clCreateContext");
  const cl::CommandQueue queue(context, device.device, 0, &code);
  check_opencl(code, "clCreateCommandQueue");
  const Profile profile =
      find_profile(asked.profile, default_search_path(), device.identity).profile;
  BenchRun run{Library::open(context, device.device, asked.profile),
               {},
               {context, queue},
               {context, device, asked.profile},
               std::mt19937_64(asked.seed),
               announce};
  BenchReport report;
  report.conditions = conditions_of(device.identity, asked.command);
  report.profile = run.library.profile_origin();
  report.profile_digest = digest_of(profile);
  report.rates = profile.rates;
  BenchOptions options = asked;
  const Workload probe(context, queue, Op::kNN, {1, 1, 1}, asked.seed);
  options.rivals = present_rivals(run.rivals, asked.rivals, {context, queue, probe}, report);
  for (const Op op : options.ops) {
    for (const GemmShape& shape : options.shapes) {
      announce({PhaseKind::kStart, fmt::format("operands of {} {}", to_text(op), to_text(shape)),
                operand_floats(shape) / kSlowFloatsPerSecond});
      const Workload workload(context, queue, op, shape, options.seed);
      report.results.push_back(bench_product(run, {context, queue, workload}, options));
      done(report);
    }
  }
  return report;
}

}  // namespace tilewright
