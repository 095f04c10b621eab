#include "tuner/bench/bench_request.hpp"

#include <algorithm>
#include <stdexcept>

namespace tilewright {

MeasureReply measured(DeviceWorker& worker, const MeasureRequest& request) {
  auto answer = worker.measure(request);
  if (auto* reply = std::get_if<MeasureReply>(&answer)) return std::move(*reply);
  throw std::runtime_error("stopped before all was measured");
}

const char* timer_of(const MeasureReply& reply) {
  return reply.device_time ? "device time" : "wall time";
}

std::size_t crashes_in(const MeasureReply& reply) {
  if (!reply.worker_lost) return 0;
  return static_cast<std::size_t>(
      std::count_if(reply.outcomes.begin(), reply.outcomes.end(), [](const auto& kernel) {
        const OutcomeClass result = kernel.second.result;
        return result == OutcomeClass::kBuildCrash || result == OutcomeClass::kLaunch ||
               result == OutcomeClass::kHang;
      }));
}

}  // namespace tilewright
