// How fast do a profile's pack kernels move data, beside a plain copy?
//
// Packing reads a matrix and writes it elsewhere, as a copy does: what a copy of as many bytes
// reaches is what packing can hope for. All take turns inside one run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tilewright/library.hpp>
#include "tuner/bench/bench_conditions.hpp"
#include "tuner/records/statistics.hpp"
#include "tuner/worker/device_worker.hpp"

namespace tilewright {

// Bytes that a pack kernel moves for an element: one float is read, one is written. Padding is not
// counted.
constexpr double packed_bytes_per_element(Precision precision) {
  return 2.0 * static_cast<double>(bytes_of(precision));
}

// GB/s (10^9 bytes, read and written) that a profile's figure means; 0 for 0.
double pack_gbytes_per_s(double ns_per_element, Precision precision = Precision::kSingle);

struct PackBenchOptions {
  ProfileSource profile = ProfileSource::automatic();
  double seconds_per_size = 5.0;  // all kernels together; nine rounds are run in any case
  MeasureOptions measure = {};
  std::string command;  // goes into the report
};

// Rates in GB/s, read and written: median over the rounds, 10th and 90th percentile.
struct PackBenchRow {
  std::string kernel;
  Summary gbytes_per_s;
};

// A square matrix: the one of the profile's figures, which caches may hold, or one as large as the
// buffers by which the copy of [rates] was measured.
struct PackBenchSize {
  std::int64_t extent = 0;
  Summary copy_gbytes_per_s;  // of the vector width that is best here
  std::vector<PackBenchRow> rows;
};

struct PackBenchReport {
  BenchConditions conditions;
  std::string timer = "device time";  // or "wall time", where the device has no timer
  std::string profile;                // origin
  std::string profile_digest;         // as in its file
  DeviceRates rates;                  // as the profile has them
  std::vector<PackBenchSize> sizes;
  std::vector<std::string> missing;  // why a kernel has no figure, a line each
  std::size_t crashes = 0;           // kernels that the worker died of, or hung in
};

// Verifies every pack kernel of the profile, and measures it on the sizes for which plans take it.
// `done` is told the report so far after each size. Throws Error if the profile has none, or the
// device or its driver is broken.
PackBenchReport run_pack_benchmark(DeviceWorker& worker, const PackBenchOptions& options,
                                   const std::function<void(const PackBenchReport&)>& done);

// A row a kernel, for people.
std::string to_table(const PackBenchReport& report);
// The JSON object that `bench --packs --json` prints.
std::string to_json(const PackBenchReport& report);

}  // namespace tilewright
