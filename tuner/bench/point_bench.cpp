#include "tuner/bench/point_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <random>

#include "codelets/point/validity.hpp"
#include "codelets/space/emit.hpp"
#include "runtime/call/opencl_error.hpp"
#include "tuner/measure/measurement.hpp"

#include "tuner/measure/verification.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLeastRounds = 5;
constexpr double kMostLaunchNs = 60e9;  // a launch that must be expected to take longer is not made

struct PointKernel {
  std::string name;
  KernelRecord record;
  std::unique_ptr<LoadedKernel> kernel;  // nullptr: out, for a reason that was given
  double ns_per_flop = 0.0;              // as measured last
};

// Equal for kernels that want their operands in the same place.
std::string storage_of(const KernelRecord& record) {
  return fmt::format("{}, {}, {}, {}, {}, {}, {} {} {}", to_text(record.layout_a),
                     to_text(*record.layout_b), to_text(record.layout_c), to_text(record.images),
                     to_text(record.edges), record.alignment, record.multiples.m,
                     record.multiples.n, record.multiples.k);
}

class PointBench {
 public:
  PointBench(const ListedDevice& device, const PointBenchOptions& options, const Announce& announce)
      : device_(device), options_(options), announce_(announce), random_(options.seed) {
    cl_int code = CL_SUCCESS;
    context_ = cl::Context(device.device, nullptr, nullptr, nullptr, &code);
    check_opencl(code, "clCreateContext");
    queue_ = cl::CommandQueue(context_, device.device, CL_QUEUE_PROFILING_ENABLE, &code);
    check_opencl(code, "clCreateCommandQueue");
    executor_ = std::make_unique<Executor>(context_, device.device);
    report_.conditions = conditions_of(device.identity, options.command);
  }

  PointBenchReport run(const std::function<void(const PointBenchReport&)>& done) {
    for (const ChosenPoint& chosen : options_.points) {
      report_.points.emplace_back(chosen.name);
      kernels_.push_back({chosen.name, {}, nullptr});
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
  // A kernel that runs on a shape.
  struct PointRun {
    PointKernel* entered;
    std::shared_ptr<const KernelWorkload> workload;
    std::vector<double> gflops;
    bool out = false;
  };

  // Emits, loads and verifies; or says why not.
  std::optional<std::string> enter(const ChosenPoint& chosen, PointKernel& entered) const;
  PointBenchRow measure(const GemmShape& shape);
  std::vector<PointRun> line_up(const GemmShape& shape);
  void race(std::vector<PointRun>& runs);
  // One sample in ns; a kernel that fails is out of the race on this shape.
  std::optional<double> sample(PointKernel& entered, const KernelWorkload& workload, double min_ns);
  void miss(const PointKernel& entered, const GemmShape& shape, const std::string& reason) {
    report_.missing.push_back(fmt::format("{} on {}: {}", entered.name, to_text(shape), reason));
  }

  const ListedDevice& device_;
  const PointBenchOptions& options_;
  const Announce& announce_;
  std::mt19937_64 random_;
  cl::Context context_;
  cl::CommandQueue queue_;
  std::unique_ptr<Executor> executor_;
  std::vector<PointKernel> kernels_;
  PointBenchReport report_;
};

std::optional<std::string> PointBench::enter(const ChosenPoint& chosen,
                                             PointKernel& entered) const {
  const ParameterPoint point = chosen.point;
  if (const Rule* rule = broken_structural_rule(point)) {
    return fmt::format("{} ({})", rule->name, rule->reason);
  }
  entered.record = emit(point);
  const KernelRecord& record = entered.record;
  if (record.images != Images{} && !device_.identity.limits.image_support) {
    return "the device has no images";
  }
  announce_({PhaseKind::kBuild, chosen.name});
  Loaded loaded = executor_->load(record);
  if (const auto* rejection = std::get_if<Rejection>(&loaded)) return rejection->reason;
  auto& kernel = std::get<std::unique_ptr<LoadedKernel>>(loaded);
  announce_({PhaseKind::kLaunch, chosen.name});
  VerificationCases cases(options_.seed);
  const Verified verified = verify_kernel(*executor_, queue_, *kernel, cases.of(record));
  if (const auto* rejection = std::get_if<Rejection>(&verified)) return rejection->reason;
  entered.kernel = std::move(kernel);
  return std::nullopt;
}

std::optional<double> PointBench::sample(PointKernel& entered, const KernelWorkload& workload,
                                         double min_ns) {
  const double expected_ns = entered.ns_per_flop * flops(workload.problem().shape);
  if (expected_ns > kMostLaunchNs) {
    miss(entered, workload.problem().shape,
         fmt::format("one launch would take about {:.0f} s", expected_ns / 1e9));
    return std::nullopt;
  }
  // Where no time is known it is the first launch, which is to be granted that of a slow machine.
  const double whole = flops(workload.problem().shape);
  announce_({PhaseKind::kLaunch,
             fmt::format("{} on {}", entered.name, to_text(workload.problem().shape)),
             (expected_ns > 0.0 ? expected_ns : whole) / 1e9});
  const Timed timed =
      time_kernel(*executor_, queue_, *entered.kernel, workload.problem(), min_ns, expected_ns);
  if (const auto* rejection = std::get_if<Rejection>(&timed)) {
    miss(entered, workload.problem().shape, rejection->reason);
    return std::nullopt;
  }
  entered.ns_per_flop = std::get<double>(timed) / flops(workload.problem().shape);
  return std::get<double>(timed);
}

// Operands are shared by kernels that want them alike: each kernel its own would be gigabytes.
std::vector<PointBench::PointRun> PointBench::line_up(const GemmShape& shape) {
  std::map<std::string, std::shared_ptr<const KernelWorkload>> workloads;
  std::vector<PointRun> runs;
  for (PointKernel& entered : kernels_) {
    if (entered.kernel == nullptr) continue;
    auto& workload = workloads[storage_of(entered.record)];
    try {
      if (!workload) {
        announce_({PhaseKind::kBuild, fmt::format("operands of {}", to_text(shape))});
        workload =
            std::make_shared<const KernelWorkload>(context_, entered.record, shape, options_.seed);
      }
    } catch (const Error& error) {  // no room: the next one may be content with less
      miss(entered, shape, error.what());
      continue;
    }
    // The first launch compiles, on some drivers, and warms caches: it is no sample.
    if (sample(entered, *workload, 1.0)) runs.push_back({&entered, workload, {}});
  }
  return runs;
}

void PointBench::race(std::vector<PointRun>& runs) {
  const auto begin = Clock::now();
  const auto time_left = [&] {
    return std::chrono::duration<double>(Clock::now() - begin).count() < options_.seconds_per_shape;
  };
  std::size_t running = runs.size();
  for (int round = 0; running > 0 && (round < kLeastRounds || time_left()); ++round) {
    std::shuffle(runs.begin(), runs.end(), random_);
    for (PointRun& run : runs) {
      if (run.out) continue;
      const auto ns = sample(*run.entered, *run.workload, MeasureOptions{}.sample_ns);
      if (ns) run.gflops.push_back(flops(run.workload->problem().shape) / *ns);
      run.out = !ns;
      if (run.out) --running;
    }
  }
}

PointBenchRow PointBench::measure(const GemmShape& shape) {
  std::vector<PointRun> runs = line_up(shape);
  race(runs);
  PointBenchRow row{shape, {}, {}};
  row.gflops.resize(kernels_.size());
  row.rounds_gflops.resize(kernels_.size());
  for (const PointRun& run : runs) {
    if (run.out) continue;
    const auto index = static_cast<std::size_t>(run.entered - kernels_.data());
    row.gflops[index] = summarize(run.gflops);
    row.rounds_gflops[index] = run.gflops;
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
