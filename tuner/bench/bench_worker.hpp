// The worker's side of `bench` and `mlp bench`.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "tuner/device/device_choice.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

class BenchWorker {
 public:
  // `announce` is called before everything that the process may die of.
  BenchWorker(const ListedDevice& device, Announce announce);
  ~BenchWorker();
  // Answers a request of run_benchmark(). Throws Error if it cannot be measured.
  nlohmann::json answer(const nlohmann::json& request);

 private:
  struct Benches;
  const ListedDevice& device_;
  Announce announce_;
  std::unique_ptr<Benches> benches_;
};

}  // namespace tilewright
