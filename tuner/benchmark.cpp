#include "tuner/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "profiles/profile_text.hpp"
#include "runtime/host_product.hpp"
#include "runtime/opencl_error.hpp"
#include "runtime/own_buffer.hpp"
#include "runtime/profile_search.hpp"
#include "tuner/launch_floor.hpp"
#include "tuner/profile_ways.hpp"
#include "tuner/shapes.hpp"
#include "tuner/turns.hpp"

namespace tilewright {
namespace {

constexpr int kCheckedElements = 32;

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

// What takes turns: the contenders and, last, launches of nothing.
std::vector<Calls> calls_of(const std::vector<std::unique_ptr<Contender>>& contenders,
                            LaunchFloor& floor) {
  std::vector<Calls> all;
  for (const auto& contender : contenders) {
    all.emplace_back([&contender](int calls) { return contender->seconds_of(calls); });
  }
  all.emplace_back([&floor](int calls) { return floor.seconds_of(calls); });
  if (std::any_of(contenders.begin(), contenders.end(),
                  [](const auto& contender) { return contender->is_foreign(); })) {
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
  std::optional<ProfileWays> ways;  // if all plans are asked for
  std::mt19937_64 random;
};

BenchResult bench_product(BenchRun& run, const Arena& arena, const BenchOptions& options) {
  const GemmProblem& problem = arena.workload.problem();
  std::vector<std::unique_ptr<Contender>> contenders;
  contenders.push_back(library_contender("tilewright", run.library, arena));
  for (const std::string& rival : options.rivals)
    contenders.push_back(run.rivals.make(rival, arena));
  std::vector<BenchWay> plans;
  if (run.ways) {
    for (ServingWay& way : run.ways->of(arena)) {
      plans.push_back({way.contender->name(), way.predicted_ns, {}});
      contenders.push_back(std::move(way.contender));
    }
  }
  const Checks checks = make_checks(arena.queue, arena.workload, run.random);
  for (auto& contender : contenders) {
    poison(arena.queue, arena.workload.c());
    contender->multiply();  // also the warm-up: compiles kernels, touches memory
    check_result(*contender, checks);
  }
  const auto samples =
      take_turns(calls_of(contenders, run.floor), options.seconds_per_product, run.random);

  const GemmShape& shape = problem.shape;
  const std::vector<std::string> kernels = run.library.kernels_for(call_of(problem));
  BenchResult result{problem.op,
                     shape,
                     fmt::format("{}", fmt::join(kernels, "+")),
                     gflops_of(shape, samples[0]),
                     {}};
  std::size_t at = 1;
  for (; at <= options.rivals.size(); ++at) {
    result.rivals[contenders[at]->name()] = gflops_of(shape, samples[at]);
  }
  for (BenchWay& plan : plans) plan.gflops = gflops_of(shape, samples[at++]);
  result.ways = std::move(plans);
  result.launch_floor_ns = in_ns(samples.back());
  return result;
}

// Rivals that this build has; what there is to say of them and which are missing goes to the
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
                          const std::function<void(const BenchResult&)>& done) {
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
               {},
               std::mt19937_64(asked.seed)};
  BenchReport report;
  report.conditions = conditions_of(device.identity, asked.command);
  report.profile = run.library.profile_origin();
  report.profile_digest = digest_of(profile);
  report.rates = profile.rates;
  BenchOptions options = asked;
  const Workload probe(context, queue, Op::kNN, {1, 1, 1}, asked.seed);
  options.rivals = present_rivals(run.rivals, asked.rivals, {context, queue, probe}, report);
  if (options.all_plans) run.ways.emplace(context, device, options.profile);
  for (const Op op : options.ops) {
    for (const GemmShape& shape : options.shapes) {
      const Workload workload(context, queue, op, shape, options.seed);
      report.results.push_back(bench_product(run, {context, queue, workload}, options));
      done(report.results.back());
    }
  }
  return report;
}

}  // namespace tilewright
