#include "tuner/networks/net_bench.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "profiles/profile_text.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/device/profile_search.hpp"
#include "tuner/measure/turns.hpp"
#include "tuner/networks/net_check.hpp"
#include "tuner/networks/net_competitors.hpp"
#include "tuner/networks/net_steps.hpp"
#include "tuner/rates/launch_floor.hpp"
#include "tuner/records/shares.hpp"

namespace tilewright {
namespace {

// Uniform in [-1, 1].
std::vector<float> random_input(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> input(count);
  for (float& value : input) value = uniform(random);
  return input;
}

void write(const NetArena& arena, const Matrix& to, const std::vector<float>& from) {
  check_opencl(write_as(arena.on.queue, to.buffer, arena.precision, from),
               "filling a buffer (inputs)");
}

Summary in_ns(std::vector<double> seconds) {
  for (double& sample : seconds) sample *= 1e9;
  return summarize(seconds);
}

// What all batches of a run have in common.
struct NetBenchRun {
  const DeviceQueue& on;
  const MlpModel& model;
  const NetBenchOptions& options;
  std::vector<std::string> rivals;  // that this build has
  Mlp net;
  NetRivals known;
  LaunchFloor floor;
  std::mt19937_64 random;
};

// Also the warm-up: compiles kernels, packs weights, touches memory.
void check_outputs(const std::vector<std::unique_ptr<NetCompetitor>>& competitors,
                   const NetArena& arena) {
  NetCheck check(arena.model, arena.input, arena.batch, arena.precision);
  const std::vector<float> nan(arena.batch * arena.y.ld, std::numeric_limits<float>::quiet_NaN());
  for (const auto& competitor : competitors) {
    // So that one which writes nothing is not taken for right on what the one before it wrote.
    write(arena, arena.y, nan);
    competitor->forward();
    const std::string wrong = check.wrong(competitor->name(), competitor->output());
    if (!wrong.empty()) throw Error(TW_INTERNAL, wrong + ": nothing is measured");
  }
}

// What takes turns: the competitors, forwards with timestamps, launches of nothing.
std::vector<Calls> calls_of(const std::vector<std::unique_ptr<NetCompetitor>>& competitors,
                            NetSteps& steps, LaunchFloor& floor) {
  std::vector<Calls> all;
  for (const auto& competitor : competitors) {
    all.emplace_back([&competitor](int calls) { return competitor->seconds_of(calls); });
  }
  all.emplace_back([&steps](int calls) { return steps.seconds_of(calls); });
  all.emplace_back([&floor](int calls) { return floor.seconds_of(calls); });
  return all;
}

NetResult bench_batch(NetBenchRun& run, std::size_t batch) {
  const std::vector<float> input = random_input(batch * run.net.inputs(), run.options.seed);
  const NetArena arena{run.on,
                       run.model,
                       batch,
                       input,
                       {run.on.floats(input.size()), 0, run.net.inputs()},
                       {run.on.floats(batch * run.net.outputs()), 0, run.net.outputs()},
                       run.options.precision};
  write(arena, arena.x, input);
  std::vector<std::unique_ptr<NetCompetitor>> competitors;
  competitors.push_back(library_net("tilewright", run.net, arena));
  for (const std::string& rival : run.rivals) competitors.push_back(run.known.make(rival, arena));
  check_outputs(competitors, arena);
  NetSteps steps(run.net, arena);
  const auto samples = take_turns(calls_of(competitors, steps, run.floor),
                                  run.options.seconds_per_batch, run.random);
  NetResult result;
  result.batch = batch;
  result.forward_ns = in_ns(samples[0]);
  for (std::size_t i = 0; i < run.rivals.size(); ++i) {
    result.rivals[run.rivals[i]] = in_ns(samples[1 + i]);
  }
  result.launch_floor_ns = in_ns(samples.back());
  result.workspace_bytes = run.net.workspace_bytes(batch);
  const std::vector<std::optional<Summary>> times = steps.device_ns();
  for (const MlpStep& step : run.net.describe(batch)) {
    result.flops += step.flops;
    result.steps.push_back({step, times[result.steps.size()]});
  }
  return result;
}

// Asks each rival what it is, with a batch of one; those that this machine lacks are named missing.
void ask_rivals(NetBenchRun& run, NetBenchReport& report) {
  const std::vector<float> input(run.net.inputs(), 0.0f);
  const NetArena probe{run.on,
                       run.model,
                       1,
                       input,
                       {run.on.floats(input.size()), 0, run.net.inputs()},
                       {run.on.floats(run.net.outputs()), 0, run.net.outputs()},
                       run.options.precision};
  for (const std::string& rival : run.options.rivals) {
    const auto competitor = run.known.make(rival, probe);
    (competitor ? run.rivals : report.missing_rivals).push_back(rival);
    if (competitor && !competitor->details().empty()) {
      report.rival_details[rival] = competitor->details();
    }
  }
}

}  // namespace

double NetStepResult::gflops() const {
  return device_ns && device_ns->median > 0.0 ? step.flops / device_ns->median : 0.0;
}

double NetResult::gflops() const {
  return flops / forward_ns.median;
}

double NetResult::launch_share() const {
  return tilewright::launch_share(launch_floor_ns.median, forward_ns.median);
}

double NetResult::ratio(const std::string& rival) const {
  return speed_ratio(forward_ns.median, rivals.at(rival).median);
}

NetBenchReport run_net_benchmark(const ListedDevice& device, const MlpModel& model,
                                 const NetBenchOptions& options,
                                 const std::function<void(const NetBenchReport&)>& begin,
                                 const std::function<void(const NetResult&)>& done) {
  const DeviceQueue on(device.device);
  const Library library = Library::open(on.context, device.device, options.profile);
  const Profile profile =
      find_profile(options.profile, default_search_path(), device.identity).profile;
  NetBenchRun run{on,
                  model,
                  options,
                  {},
                  {library, model, type_of(options.precision)},
                  {},
                  {on.context, on.queue},
                  std::mt19937_64(options.seed)};
  NetBenchReport report;
  report.conditions = conditions_of(device.identity, options.command);
  report.model_name = options.model_name;
  report.precision = options.precision;
  report.facts = facts_of(model);
  report.profile = library.profile_origin();
  report.profile_digest = digest_of(profile);
  report.rates = profile.rates;
  ask_rivals(run, report);
  begin(report);
  for (const std::int64_t batch : options.batches) {
    report.results.push_back(bench_batch(run, static_cast<std::size_t>(batch)));
    done(report.results.back());
  }
  return report;
}

}  // namespace tilewright
