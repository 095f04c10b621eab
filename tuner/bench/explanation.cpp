#include "tuner/bench/explanation.hpp"

#include <limits>
#include <nlohmann/json.hpp>

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
          {"measured_on_shape", plan.times.exact},
          {"launches_us", plan.times.launches_ns / 1e3},
          {"steps", steps}};
}

}  // namespace

DeviceInfo minimal_device(const DeviceLimits& limits) {
  DeviceInfo device;
  device.identity.limits = limits;
  device.max_image_width = device.max_image_height = limits.image_support ? kMinImageExtent : 0;
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
                              {"product_kernels", explanation.kernels},
                              {"candidates", nlohmann::ordered_json::array()}};
  if (!explanation.complex.empty()) json["complex"] = explanation.complex;
  for (const PlanCandidate& candidate : explanation.candidates) {
    json["candidates"].push_back(candidate_to_json(candidate));
  }
  return pretty(json);
}

}  // namespace tilewright
