#include "tuner/bench/point_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>

#include "codelets/point/validity.hpp"
#include "codelets/space/emit.hpp"
#include "tuner/measure/launch_job.hpp"
#include "tuner/measure/open_device.hpp"
#include "tuner/measure/turns.hpp"
#include "tuner/measure/verification.hpp"

namespace tilewright {
namespace {

constexpr int kLeastRounds = 5;

struct PointKernel {
  std::string name;
  std::unique_ptr<LoadedKernel> kernel;  // nullptr: out, for a reason that was given
  LearnedRate rate;
};

class PointBench {
 public:
  PointBench(const ListedDevice& device, const PointBenchOptions& options, const Announce& announce)
      : device_(device),
        options_(options),
        announce_(announce),
        random_(options.seed),
        open_(device.device, "") {
    measure_.seed = options.seed;
    report_.conditions = conditions_of(device.identity, options.command);
    report_.timer = open_.timer(measure_);
  }

  PointBenchReport run(const std::function<void(const PointBenchReport&)>& done) {
    for (const ChosenPoint& chosen : options_.points) {
      report_.points.emplace_back(chosen.name);
      kernels_.push_back({chosen.name, nullptr, {}});
      if (const auto reason = enter(chosen, kernels_.back())) {
        report_.missing.push_back(fmt::format("{}: {}", chosen.name, *reason));
      }
    }
    for (const GemmShape& shape : options_.shapes) {
      report_.rows.push_back(measure(shape));
      done(report_);
    }
    return std::move(report_);
  }

 private:
  // A kernel that runs on a shape, or on as many of its rows as may be launched at once.
  struct PointRun {
    std::size_t point;  // its index
    LaunchJob job;
    Reach reached;
    std::vector<double> gflops = {};
  };

  // Emits, loads and verifies; or says why not.
  std::optional<std::string> enter(const ChosenPoint& chosen, PointKernel& entered);
  PointBenchRow measure(const GemmShape& shape);
  std::optional<PointRun> line_up(std::size_t point, const GemmShape& shape);
  // One sample; false: it failed, and has no figure on this shape.
  bool sample(PointRun& run);
  void miss(const std::string& what, const std::string& reason) {
    report_.missing.push_back(fmt::format("{}: {}", what, reason));
  }

  const ListedDevice& device_;
  const PointBenchOptions& options_;
  const Announce& announce_;
  std::mt19937_64 random_;
  MeasureOptions measure_;
  OpenDevice open_;
  std::vector<PointKernel> kernels_;
  PointBenchReport report_;
};

std::optional<std::string> PointBench::enter(const ChosenPoint& chosen, PointKernel& entered) {
  if (const Rule* rule = broken_structural_rule(chosen.point)) {
    return fmt::format("{} ({})", rule->name, rule->reason);
  }
  const KernelRecord record = emit(chosen.point);
  if (record.images != Images{} && !device_.identity.limits.image_support) {
    return "the device has no images";
  }
  announce_({PhaseKind::kBuild, chosen.name});
  Loaded loaded = open_.executor().load(record);
  if (const auto* rejection = std::get_if<Rejection>(&loaded)) return rejection->reason;
  auto& kernel = std::get<std::unique_ptr<LoadedKernel>>(loaded);
  announce_({PhaseKind::kLaunch, chosen.name});
  VerificationCases cases(options_.seed);
  const Verified verified =
      verify_kernel(open_.executor(), open_.queue(), *kernel, cases.of(record));
  if (const auto* rejection = std::get_if<Rejection>(&verified)) return rejection->reason;
  entered.kernel = std::move(kernel);
  return std::nullopt;
}

std::optional<PointBench::PointRun> PointBench::line_up(std::size_t point, const GemmShape& shape) {
  PointKernel& entered = kernels_[point];
  if (entered.kernel == nullptr) return std::nullopt;
  const std::string what = fmt::format("{} on {}", entered.name, to_text(shape));
  announce_({PhaseKind::kLaunch, what, 1e-9 * measure_.max_dispatch_ns});
  PooledGemm pooled = open_.pool(options_.seed).product(entered.kernel->record(), shape);
  if (const auto* misfit = std::get_if<Rejection>(&pooled)) {
    miss(what, misfit->reason);
    return std::nullopt;
  }
  LaunchJob job = product_job(open_.executor(), open_.queue(), *entered.kernel,
                              std::move(std::get<Pooled<GemmProblem>>(pooled)));
  job.what = what;
  const Reached reached =
      reach(open_.sampler(measure_), job, measure_.max_dispatch_ns, entered.rate);
  if (const auto* rejection = std::get_if<Rejection>(&reached)) {
    miss(what, rejection->reason);
    return std::nullopt;
  }
  if (const auto* slow = std::get_if<TooSlow>(&reached)) {
    report_.missing.push_back(slow->reason);
    return std::nullopt;
  }
  PointRun run{point, std::move(job), std::get<Reach>(reached)};
  // The first launch compiles, on some drivers, and warms caches: it is no sample.
  if (!sample(run)) return std::nullopt;
  run.gflops.clear();
  if (run.reached.part != shape) {
    miss(what, fmt::format("measured on {}, since no launch is to take longer than {:.0f} ms",
                           to_text(run.reached.part), 1e-6 * measure_.max_dispatch_ns));
  }
  return run;
}

bool PointBench::sample(PointRun& run) {
  const Sampler& sampler = open_.sampler(measure_);
  double& expected_ns = run.reached.expected_ns;
  announce_(
      {PhaseKind::kLaunch, run.job.what, 1e-9 * expected_ns + sampler.expected_s(expected_ns)});
  const Sampled sampled =
      sampler.sample([&] { return run.job.launch(run.reached.part); }, expected_ns, run.job.what);
  if (const auto* rejection = std::get_if<Rejection>(&sampled)) {
    miss(run.job.what, rejection->reason);
    run.gflops.clear();
    return false;
  }
  expected_ns = std::get<Sample>(sampled).ns;
  const double part_flops = flops(run.reached.part);
  kernels_[run.point].rate = {expected_ns / part_flops, part_flops};
  run.gflops.push_back(part_flops / expected_ns);
  return true;
}

PointBenchRow PointBench::measure(const GemmShape& shape) {
  std::vector<PointRun> runs;
  for (std::size_t point = 0; point < kernels_.size(); ++point) {
    if (auto run = line_up(point, shape)) runs.push_back(std::move(*run));
  }
  take_rounds(runs.size(), {.least = kLeastRounds, .seconds = options_.seconds_per_shape}, random_,
              [&](std::size_t i) { return sample(runs[i]); });
  PointBenchRow row{shape, {}, {}};
  row.gflops.resize(kernels_.size());
  row.rounds_gflops.resize(kernels_.size());
  for (PointRun& run : runs) {
    if (run.gflops.empty()) continue;
    row.gflops[run.point] = summarize(run.gflops);
    row.rounds_gflops[run.point] = std::move(run.gflops);
  }
  return row;
}

}  // namespace

PointBenchReport run_point_benchmark(const ListedDevice& device, const PointBenchOptions& options,
                                     const Announce& announce,
                                     const std::function<void(const PointBenchReport&)>& done) {
  return PointBench(device, options, announce).run(done);
}

}  // namespace tilewright
