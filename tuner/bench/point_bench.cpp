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

struct Contestant {
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
      contestants_.push_back({chosen.name, {}, nullptr});
      if (const auto reason = enter(chosen, contestants_.back())) {
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
  // A contestant that runs on a shape.
  struct Racer {
    Contestant* contestant;
    std::shared_ptr<const KernelWorkload> workload;
    std::vector<double> gflops;
    bool out = false;
  };

  // Emits, loads and verifies; or says why not.
  std::optional<std::string> enter(const ChosenPoint& chosen, Contestant& contestant) const;
  PointBenchRow measure(const GemmShape& shape);
  std::vector<Racer> line_up(const GemmShape& shape);
  void race(std::vector<Racer>& racers);
  // One sample in ns; a contestant that fails is out of the race on this shape.
  std::optional<double> sample(Contestant& contestant, const KernelWorkload& workload,
                               double min_ns);
  void miss(const Contestant& contestant, const GemmShape& shape, const std::string& reason) {
    report_.missing.push_back(fmt::format("{} on {}: {}", contestant.name, to_text(shape), reason));
  }

  const ListedDevice& device_;
  const PointBenchOptions& options_;
  const Announce& announce_;
  std::mt19937_64 random_;
  cl::Context context_;
  cl::CommandQueue queue_;
  std::unique_ptr<Executor> executor_;
  std::vector<Contestant> contestants_;
  PointBenchReport report_;
};

std::optional<std::string> PointBench::enter(const ChosenPoint& chosen,
                                             Contestant& contestant) const {
  const ParameterPoint point = chosen.point;
  if (const Rule* rule = broken_structural_rule(point)) {
    return fmt::format("{} ({})", rule->name, rule->reason);
  }
  contestant.record = emit(point);
  const KernelRecord& record = contestant.record;
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
  contestant.kernel = std::move(kernel);
  return std::nullopt;
}

std::optional<double> PointBench::sample(Contestant& contestant, const KernelWorkload& workload,
                                         double min_ns) {
  const double expected_ns = contestant.ns_per_flop * flops(workload.problem().shape);
  if (expected_ns > kMostLaunchNs) {
    miss(contestant, workload.problem().shape,
         fmt::format("one launch would take about {:.0f} s", expected_ns / 1e9));
    return std::nullopt;
  }
  // Where no time is known it is the first launch, which is to be granted that of a slow machine.
  const double whole = flops(workload.problem().shape);
  announce_({PhaseKind::kLaunch,
             fmt::format("{} on {}", contestant.name, to_text(workload.problem().shape)),
             (expected_ns > 0.0 ? expected_ns : whole) / 1e9});
  const Timed timed =
      time_kernel(*executor_, queue_, *contestant.kernel, workload.problem(), min_ns, expected_ns);
  if (const auto* rejection = std::get_if<Rejection>(&timed)) {
    miss(contestant, workload.problem().shape, rejection->reason);
    return std::nullopt;
  }
  contestant.ns_per_flop = std::get<double>(timed) / flops(workload.problem().shape);
  return std::get<double>(timed);
}

// Operands are shared by kernels that want them alike: each kernel its own would be gigabytes.
std::vector<PointBench::Racer> PointBench::line_up(const GemmShape& shape) {
  std::map<std::string, std::shared_ptr<const KernelWorkload>> workloads;
  std::vector<Racer> racers;
  for (Contestant& contestant : contestants_) {
    if (contestant.kernel == nullptr) continue;
    auto& workload = workloads[storage_of(contestant.record)];
    try {
      if (!workload) {
        announce_({PhaseKind::kBuild, fmt::format("operands of {}", to_text(shape))});
        workload = std::make_shared<const KernelWorkload>(context_, contestant.record, shape,
                                                          options_.seed);
      }
    } catch (const Error& error) {  // no room: the next one may be content with less
      miss(contestant, shape, error.what());
      continue;
    }
    // The first launch compiles, on some drivers, and warms caches: it is no sample.
    if (sample(contestant, *workload, 1.0)) racers.push_back({&contestant, workload, {}});
  }
  return racers;
}

void PointBench::race(std::vector<Racer>& racers) {
  const auto begin = Clock::now();
  const auto time_left = [&] {
    return std::chrono::duration<double>(Clock::now() - begin).count() < options_.seconds_per_shape;
  };
  std::size_t running = racers.size();
  for (int round = 0; running > 0 && (round < kLeastRounds || time_left()); ++round) {
    std::shuffle(racers.begin(), racers.end(), random_);
    for (Racer& racer : racers) {
      if (racer.out) continue;
      const auto ns = sample(*racer.contestant, *racer.workload, MeasureOptions{}.sample_ns);
      if (ns) racer.gflops.push_back(flops(racer.workload->problem().shape) / *ns);
      racer.out = !ns;
      if (racer.out) --running;
    }
  }
}

PointBenchRow PointBench::measure(const GemmShape& shape) {
  std::vector<Racer> racers = line_up(shape);
  race(racers);
  PointBenchRow row{shape, {}, {}};
  row.gflops.resize(contestants_.size());
  row.rounds_gflops.resize(contestants_.size());
  for (const Racer& racer : racers) {
    if (racer.out) continue;
    const auto index = static_cast<std::size_t>(racer.contestant - contestants_.data());
    row.gflops[index] = summarize(racer.gflops);
    row.rounds_gflops[index] = racer.gflops;
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
