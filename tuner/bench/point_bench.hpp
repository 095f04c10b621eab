// How fast is each point's kernel, beside the others?
//
// Time of the kernel alone, on operands that already lie as it wants them: what the tables
// of the works that the points come from say. Kernels take turns inside one run, in random order.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/bench/bench_conditions.hpp"
#include "tuner/bench/point_choice.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/statistics.hpp"
#include "tuner/worker/device_worker.hpp"

namespace tilewright {

struct PointBenchOptions {
  std::vector<ChosenPoint> points;
  std::vector<GemmShape> shapes;
  double seconds_per_shape = 10.0;  // all points together; five rounds are run in any case
  MeasureOptions measure = {};
  std::string command;  // goes into the report
};

// Rates in GFLOPS: median over the rounds, 10th and 90th percentile.
struct PointBenchRow {
  GemmShape shape;
  std::vector<std::optional<Summary>> gflops;  // per point; nullopt: it cannot run here
  // Per point, round by round: what did well beside others meanwhile. Empty where it cannot run.
  std::vector<std::vector<double>> rounds_gflops;
};

struct PointBenchReport {
  BenchConditions conditions;
  std::string timer = "device time";  // or "wall time", where the device has no timer
  std::vector<std::string> points;
  std::vector<PointBenchRow> rows;
  std::vector<std::string> missing;  // why a point has no figure, a line each
  std::vector<std::string> in_part;  // which figures are of a part of the product, likewise
  std::size_t crashes = 0;           // kernels that the worker died of, or hung in
};

// Measures everything; `done` is told the report so far after each row. Kernels are verified before
// they are timed: a wrong one has no figure, and neither has one that the worker dies of. Throws
// Error if the device or its driver is broken.
PointBenchReport run_point_benchmark(DeviceWorker& worker, const PointBenchOptions& options,
                                     const std::function<void(const PointBenchReport&)>& done);

// Rows are sizes, columns are points, a few side by side; below it what is missing.
std::string to_table(const PointBenchReport& report);
// The report as the JSON object that `bench --points ... --json` prints.
std::string to_json(const PointBenchReport& report);

}  // namespace tilewright
