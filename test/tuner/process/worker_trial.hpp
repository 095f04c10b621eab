// Tries one candidate and waits for its outcome.
#pragma once

#include <variant>

#include "tuner/process/device_worker.hpp"
#include "tuner/process/stop_signal.hpp"

namespace tilewright {

inline std::variant<Outcome, Stopped> try_candidate(DeviceWorker& worker,
                                                    const MeasureRequest& request) {
  worker.start(request);
  for (;;) {
    if (StopSignal::requested()) {
      worker.abandon();
      return Stopped{};
    }
    if (std::optional<Outcome> outcome = worker.poll()) return *std::move(outcome);
    WorkerProcess* const processes[] = {&worker.process()};
    wait_for_any(processes, 1.0);
  }
}

}  // namespace tilewright
