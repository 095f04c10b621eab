// How does a device get its profile?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/device_choice.hpp"
#include "tuner/micro_benchmark.hpp"
#include "tuner/screening.hpp"

namespace tilewright {

struct TuneOptions {
  std::vector<GemmShape> shapes;
  std::vector<Op> ops;
  double budget_s = 120.0;   // seconds for everything; two rounds of the finals are run in any case
  std::uint64_t seed = 1;    // of data and search
  Spellings spellings;       // of multiply-adds: kernels are tried in these only
  double peak_gflops = 0.0;  // multiply-adds of the device as measured; 0: unknown
  std::string command_line;  // kept in the profile's provenance
};

// What a tuning tells while it runs. All functions are called from the tuning thread.
class TuneObserver {
 public:
  virtual ~TuneObserver() = default;
  struct State {
    Op op;
    int tried;            // candidates tried for this op
    double op_elapsed_s;  // seconds spent on this op
    double op_budget_s;   // seconds meant for this op
    double total_left_s;  // seconds left of the whole budget
    double best_gflops;   // on the largest screening shape; 0: none yet
    std::string best_kernel;
  };
  virtual void candidate(const State& state) = 0;
  virtual void finals(Op op, std::size_t finalists) = 0;
  virtual void winner(Op op, const GemmShape& shape, const ShapeResult& result) = 0;
  // Something that the user should know.
  virtual void note(const std::string& text) = 0;
  // Candidates that failed for an op: how many per stage, with one example of each.
  virtual void failures(Op op, const std::map<Stage, std::pair<int, std::string>>& failures) = 0;
};

// Tunes one device. Throws Error if the device or its driver is broken, std::runtime_error if no
// candidate of an op works.
Profile tune(const ListedDevice& device, const TuneOptions& options, TuneObserver& observer);

}  // namespace tilewright
