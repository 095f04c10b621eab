// Which workers does a tuning have?
//
// One that measures, and, where there are cores for it, some that compile the next candidates
// ahead: what they compile goes to the cache of binaries, where the measuring one finds it. A
// device that is itself the processor must not be measured while others compile: there the two take
// turns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/worker/device_worker.hpp"

namespace tilewright {

// How many compile ahead where nobody says it: beside a GPU one core feeds it, and the others
// compile; a CPU's own cores all compile while it is not measured.
int compilers_for(DeviceKind kind, int cores);

class Workers {
 public:
  // `compilers`: how many compile ahead, if the device has room for them; -1: as many as this
  // machine has cores for. None without a cache.
  Workers(const WorkerSetup& setup, int compilers);

  const DeviceInfo& facts() const { return measurer_->facts(); }
  DeviceWorker& measurer() { return *measurer_; }
  const std::vector<std::unique_ptr<DeviceWorker>>& compilers() const { return compilers_; }
  // Compiling and measuring must not overlap.
  bool takes_turns() const { return facts().kind == DeviceKind::kCpu; }

  // What workers are about to do goes here, before they do it.
  void on_phase(const std::function<void(const WorkerActivity&)>& report);
  // Waits until a busy worker has something to say, at most so long.
  void wait(double most_s);
  // Ends what the compilers are doing.
  void drop_compilers();

 private:
  std::unique_ptr<DeviceWorker> measurer_;
  std::vector<std::unique_ptr<DeviceWorker>> compilers_;
};

}  // namespace tilewright
