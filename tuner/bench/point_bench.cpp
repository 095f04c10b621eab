#include "tuner/bench/point_bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codelets/point/validity.hpp"
#include "codelets/space/emit.hpp"
#include "tuner/bench/bench_request.hpp"

namespace tilewright {
namespace {

constexpr int kLeastRounds = 5;

class PointBench {
 public:
  PointBench(DeviceWorker& worker, const PointBenchOptions& options)
      : worker_(worker), options_(options) {
    report_.conditions = conditions_of(worker.facts().identity, options.command);
    for (const ChosenPoint& chosen : options.points) {
      report_.points.push_back(chosen.name);
      if (const auto reason = misfit(chosen)) {
        miss(chosen.name, *reason);
      } else {
        running_.push_back(report_.points.size() - 1);
      }
    }
  }

  PointBenchReport run(const std::function<void(const PointBenchReport&)>& done) {
    for (const GemmShape& shape : options_.shapes) {
      report_.rows.push_back(measure(shape));
      done(report_);
    }
    return std::move(report_);
  }

 private:
  // Why it is no kernel of this device.
  std::optional<std::string> misfit(const ChosenPoint& chosen) const;
  PointBenchRow measure(const GemmShape& shape);
  MeasureRequest request_on(const GemmShape& shape) const;
  // What became of a point; false: it is out, also for other shapes.
  bool take(std::size_t point, const Outcome& outcome, PointBenchRow& row);
  void miss(const std::string& what, const std::string& reason) {
    report_.missing.push_back(fmt::format("{}: {}", what, reason));
  }

  DeviceWorker& worker_;
  const PointBenchOptions& options_;
  std::vector<std::size_t> running_;  // of the points
  bool verified_ = false;             // all that are running
  PointBenchReport report_;
};

std::optional<std::string> PointBench::misfit(const ChosenPoint& chosen) const {
  const ParameterPoint& point = chosen.point;
  if (const Rule* rule = broken_structural_rule(point)) {
    return fmt::format("{} ({})", rule->name, rule->reason);
  }
  if (emit(point).images != Images{} && !worker_.facts().identity.limits.image_support) {
    return "the device has no images";
  }
  return std::nullopt;
}

MeasureRequest PointBench::request_on(const GemmShape& shape) const {
  MeasureRequest request;
  for (const std::size_t point : running_) {
    const ChosenPoint& chosen = options_.points[point];
    request.kernels.push_back(KernelId(chosen.point));
    request.names.push_back(chosen.name);
  }
  request.shapes = {shape};
  request.verify = !verified_;
  request.is_new = false;
  request.options = options_.measure;
  request.options.samples = kLeastRounds;
  request.seconds = options_.seconds_per_shape;
  return request;
}

bool PointBench::take(std::size_t point, const Outcome& outcome, PointBenchRow& row) {
  const std::string what = fmt::format("{} on {}", report_.points[point], to_text(row.shape));
  if (outcome.result != OutcomeClass::kOk) {
    miss(what, outcome.reason);
    return outcome.result == OutcomeClass::kLimits || outcome.result == OutcomeClass::kSlow;
  }
  const ShapeSamples& samples = outcome.shapes.at(0);
  if (samples.slice_m > 0) {
    report_.in_part.push_back(
        fmt::format("{}: measured on {} of its rows at a time, since no launch is to take longer "
                    "than {:.0f} ms",
                    what, samples.slice_m, 1e-6 * options_.measure.max_dispatch_ns));
  }
  std::vector<double>& gflops = row.rounds_gflops[point];
  for (const double ns : samples.ns) gflops.push_back(flops(row.shape) / ns);
  row.gflops[point] = summarize(gflops);
  return true;
}

PointBenchRow PointBench::measure(const GemmShape& shape) {
  PointBenchRow row{shape, {}, {}};
  row.gflops.resize(report_.points.size());
  row.rounds_gflops.resize(report_.points.size());
  if (running_.empty()) return row;
  const MeasureReply reply = measured(worker_, request_on(shape));
  report_.timer = timer_of(reply);
  report_.crashes += crashes_in(reply);
  std::vector<std::size_t> still;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const auto outcome = reply.outcomes.find(i);
    if (outcome == reply.outcomes.end()) {
      miss(report_.points[running_[i]], "it was not measured: too many others crashed");
    } else if (take(running_[i], outcome->second, row)) {
      still.push_back(running_[i]);
    }
  }
  running_ = std::move(still);
  verified_ = true;
  return row;
}

}  // namespace

PointBenchReport run_point_benchmark(DeviceWorker& worker, const PointBenchOptions& options,
                                     const std::function<void(const PointBenchReport&)>& done) {
  return PointBench(worker, options).run(done);
}

}  // namespace tilewright
