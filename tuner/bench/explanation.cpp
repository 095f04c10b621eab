#include "tuner/bench/explanation.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>

#include "profiles/built_in.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace tilewright {
namespace {

// CL_DEVICE_IMAGE2D_MAX_WIDTH and _HEIGHT of the full profile are at least this.
constexpr std::size_t kMinImageExtent = 8192;  // pixels

nlohmann::ordered_json us_json(std::optional<double> ns) {
  if (!ns) return nullptr;
  return *ns / 1e3;
}

nlohmann::ordered_json candidate_to_json(const PlanCandidate& candidate) {
  const GemmPlan& plan = candidate.plan;
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const PlanStep& step : plan_steps(plan)) {
    steps.push_back({{"step", step.name}, {"kernel", step.kernel->name}, {"us", us_json(step.ns)}});
  }
  return {{"fate", to_text(candidate.fate)},
          {"reason", reason_text(candidate)},
          {"profile", to_text(plan.profile->kind)},
          {"kernel", plan.kernel().name},
          {"total_us", us_json(total_ns(plan))},
          {"measured_on_shape", plan.times.evidence == TimeEvidence::kMeasuredHere},
          {"launches_us", plan.times.launches_ns / 1e3},
          {"steps", steps}};
}

}  // namespace

DeviceInfo described_device(const Profile& tuned) {
  struct TriedDevice {
    DeviceKind kind;
    int native_vector_width;
  };
  DeviceInfo device;
  device.identity = tuned.device;
  std::ptrdiff_t max_named = 0;
  for (const TriedDevice tried :
       {TriedDevice{DeviceKind::kGpu, 1}, TriedDevice{DeviceKind::kCpu, 8},
        TriedDevice{DeviceKind::kCpu, 16}}) {
    DeviceInfo other = device;
    other.kind = tried.kind;
    other.has_double = true;
    other.native_vector_width = tried.native_vector_width;
    const Profile built_in = built_in_profile(other);
    const auto named =
        std::count_if(tuned.kernels.begin(), tuned.kernels.end(), [&](const KernelRecord& kernel) {
          return kernel.built_in && built_in_kernel(built_in, kernel.name).has_value();
        });
    if (named <= max_named) continue;
    max_named = named;
    device.kind = other.kind;
    device.native_vector_width = other.native_vector_width;
  }
  return device;
}

DeviceInfo complete_device(DeviceInfo device) {
  const bool images = device.identity.limits.image_support;
  device.max_image_width = device.max_image_height = images ? kMinImageExtent : 0;
  device.max_buffer_bytes = std::numeric_limits<std::uint64_t>::max();
  return device;
}

std::string to_json(const Explanation& explanation) {
  const GemmProblem& p = explanation.problem;
  nlohmann::ordered_json json{{"op", to_text(p.op)},
                              {"m", p.shape.m},
                              {"n", p.shape.n},
                              {"k", p.shape.k},
                              {"alpha", p.alpha},
                              {"beta", p.beta},
                              {"lda", p.a.ld},
                              {"ldb", p.b.ld},
                              {"ldc", p.c.ld},
                              {"device", explanation.device},
                              {"built", explanation.built},
                              {"candidates", nlohmann::ordered_json::array()}};
  if (!explanation.complex.empty()) json["complex"] = explanation.complex;
  for (const PlanCandidate& candidate : explanation.candidates) {
    json["candidates"].push_back(candidate_to_json(candidate));
  }
  return pretty(json);
}

}  // namespace tilewright
