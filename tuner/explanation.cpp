#include "tuner/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "tuner/shapes.hpp"

namespace tilewright {
namespace {

// CL_DEVICE_IMAGE2D_MAX_WIDTH and _HEIGHT of the full profile are at least this.
constexpr std::size_t kLeastImageExtent = 8192;  // pixels

// One step of a plan, in the order in which they run.
struct Step {
  const char* name;
  const KernelRecord* kernel;
  std::optional<double> ns;
};

const KernelRecord* first_of(const GemmPlan::Choices& choices) {
  return choices.empty() ? nullptr : choices.front();
}

std::vector<Step> steps_of(const GemmPlan& plan) {
  const PlanTimes& times = plan.times;
  std::vector<Step> steps = {{"pack_a", first_of(plan.pack_a), times.pack_a_ns},
                             {"pack_b", first_of(plan.pack_b), times.pack_b_ns},
                             {"pack_c", first_of(plan.pack_c), times.pack_c_ns},
                             {"product", plan.kernel, times.kernel_ns},
                             {"unpack_c", first_of(plan.unpack_c), times.unpack_c_ns},
                             {"reduce", first_of(plan.reduce), times.reduce_ns}};
  std::erase_if(steps, [](const Step& step) { return step.kernel == nullptr; });
  return steps;
}

std::string us(std::optional<double> ns) {
  return ns ? fmt::format("{:.3g}", *ns / 1e3) : "?";
}

std::optional<double> total_ns(const GemmPlan& plan) {
  if (!plan.times.kernel_ns) return std::nullopt;
  return plan.times.total_ns();
}

const char* to_text(CandidateFate fate) {
  switch (fate) {
    case CandidateFate::kServes:
      return "serves";
    case CandidateFate::kDoesNotBuild:
      return "does not build";
    case CandidateFate::kNext:
      break;
  }
  return "next";
}

// Why the candidate stands where it stands.
std::string reason(const PlanCandidate& candidate) {
  if (candidate.fate == CandidateFate::kDoesNotBuild) {
    return "passed over, since it does not build: " + candidate.why_not;
  }
  if (!candidate.plan.times.kernel_ns) {
    if (candidate.fate == CandidateFate::kServes) return "nothing that was measured can serve";
    return candidate.plan.profile->kind == ProfileKind::kGeneric
               ? "built-in kernel, never measured: behind all that were"
               : "no measured result for this op: behind all that have one";
  }
  const std::string counted =
      candidate.plan.times.doubt_ns > 0.0
          ? fmt::format(", ranked as {} us for want of a result near this shape",
                        us(candidate.plan.times.ranking_ns()))
          : "";
  if (candidate.fate == CandidateFate::kServes) return "least predicted time" + counted;
  return counted.empty() ? "predicted slower" : "behind" + counted;
}

std::string steps_text(const GemmPlan& plan) {
  std::string text;
  for (const Step& step : steps_of(plan)) {
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : " + ", step.name, us(step.ns),
                        step.kernel->name);
  }
  if (plan.times.launches_ns > 0.0) text += " + launches " + us(plan.times.launches_ns);
  return text;
}

nlohmann::ordered_json us_json(std::optional<double> ns) {
  if (!ns) return nullptr;
  return *ns / 1e3;
}

nlohmann::ordered_json json_of(const PlanCandidate& candidate) {
  const GemmPlan& plan = candidate.plan;
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const Step& step : steps_of(plan)) {
    steps.push_back({{"step", step.name}, {"kernel", step.kernel->name}, {"us", us_json(step.ns)}});
  }
  return {{"fate", to_text(candidate.fate)},
          {"reason", reason(candidate)},
          {"profile", to_text(plan.profile->kind)},
          {"kernel", plan.kernel->name},
          {"total_us", us_json(total_ns(plan))},
          {"doubt_us", plan.times.doubt_ns / 1e3},
          {"launches_us", plan.times.launches_ns / 1e3},
          {"steps", steps}};
}

}  // namespace

std::vector<PlanCandidate> candidates_of(std::vector<GemmPlan> plans,
                                         const BuildFailure& build_failure) {
  std::vector<PlanCandidate> candidates;
  bool served = false;
  for (GemmPlan& plan : plans) {
    PlanCandidate candidate;
    if (!served) {
      const auto failure = build_failure ? build_failure(plan) : std::nullopt;
      served = !failure;
      candidate.fate = served ? CandidateFate::kServes : CandidateFate::kDoesNotBuild;
      candidate.why_not = failure.value_or("");
    }
    candidate.plan = std::move(plan);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

std::size_t product_kernels(const std::vector<const Profile*>& profiles) {
  std::size_t count = 0;
  for (const Profile* profile : profiles) {
    count += static_cast<std::size_t>(std::count_if(
        profile->kernels.begin(), profile->kernels.end(), [](const KernelRecord& record) {
          return record.role == Role::kGemm || record.role == Role::kGemv;
        }));
  }
  return count;
}

ServingLimits least_limits(const DeviceLimits& limits) {
  const std::size_t image = limits.image_support ? kLeastImageExtent : 0;
  return {limits, image, image, std::numeric_limits<std::uint64_t>::max()};
}

std::string to_table(const Explanation& explanation) {
  const GemmProblem& p = explanation.problem;
  std::string text = fmt::format(
      "{} {}, alpha {}, beta {}, ld {} {} {} (A, B, C; row-major), on {}\n", to_text(p.op),
      to_text(p.shape), p.alpha, p.beta, p.a.ld, p.b.ld, p.c.ld, explanation.device);
  if (explanation.candidates.empty()) return text + "no kernel can serve this call\n";
  text += fmt::format("{:>3}  {:>10}  {:<14}  predicted parts in us, in the order of running\n", "",
                      "total us", "");
  int rank = 0;
  for (const PlanCandidate& candidate : explanation.candidates) {
    text +=
        fmt::format("{:>3}  {:>10}  {:<14}  {}\n{:>35}{}\n", ++rank, us(total_ns(candidate.plan)),
                    to_text(candidate.fate), steps_text(candidate.plan), "", reason(candidate));
  }
  text += fmt::format(
      "{} of {} product kernels can serve this call; the others do not fit the device, "
      "the shape or the alignment\n",
      explanation.candidates.size(), explanation.kernels);
  if (!explanation.built) text += "nothing was built: --device D tells what builds there\n";
  return text;
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
  for (const PlanCandidate& candidate : explanation.candidates) {
    json["candidates"].push_back(json_of(candidate));
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tilewright
