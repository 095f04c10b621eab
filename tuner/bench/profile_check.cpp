#include "tuner/bench/profile_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "profiles/base/printable.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/measure/kernel_job.hpp"

namespace tilewright {
namespace {

constexpr int kSamples = 7;
// Longer launches are not measured again, because all kernels together have less than a minute.
constexpr double kLongestResult_ns = 50e6;

Verdict to_verdict(OutcomeClass result) {
  switch (result) {
    case OutcomeClass::kOk:
    case OutcomeClass::kSlow:  // verified before it was timed
      return Verdict::kRight;
    case OutcomeClass::kWrong:
      return Verdict::kWrong;
    case OutcomeClass::kLimits:
    case OutcomeClass::kBuild:
    case OutcomeClass::kBuildCrash:
      return Verdict::kDoesNotBuild;
    case OutcomeClass::kLaunch:
    case OutcomeClass::kHang:
      break;
  }
  return Verdict::kDoesNotRun;
}

// Returns the extents of a pack result as a shape.
GemmShape result_shape(const PackResult& result) {
  return {result.extent, result.extent, 1};
}

GemmShape result_shape(const ShapeResult& result) {
  return {result.m, result.n, result.k};
}

// Returns the result of the kernel on the shape in the profile; nullopt if there is none.
std::optional<double> recorded_ns(const Profile& profile, const KernelRecord& record,
                                  const GemmShape& shape) {
  if (!is_product(record.role)) {
    for (const PackResult& result : profile.pack_results) {
      if (result.kernel == record.name && shape == result_shape(result) &&
          result.ns_per_element > 0.0) {
        return result.ns_per_element * static_cast<double>(shape.m * shape.n);
      }
    }
    return std::nullopt;
  }
  for (const ShapeResult& result : profile.results) {
    if (result.kernel == record.name && result_shape(result) == shape) return result.median_ns;
  }
  return std::nullopt;
}

std::vector<GemmShape> shapes_to_measure(const Profile& profile, const KernelRecord& record) {
  if (!is_product(record.role)) {
    for (const PackResult& result : profile.pack_results) {
      if (result.kernel == record.name && result.ns_per_element > 0.0)
        return {result_shape(result)};
    }
    return {};
  }
  const ShapeResult* least = nullptr;
  const ShapeResult* most = nullptr;
  for (const ShapeResult& result : profile.results) {
    if (result.kernel != record.name || result.median_ns > kLongestResult_ns) continue;
    if (least == nullptr || result.median_ns < least->median_ns) least = &result;
    if (most == nullptr || result.median_ns > most->median_ns) most = &result;
  }
  if (least == nullptr) return {};
  std::vector<GemmShape> shapes = {result_shape(*least)};
  if (result_shape(*most) != shapes[0]) shapes.push_back(result_shape(*most));
  return shapes;
}

}  // namespace

const char* to_text(Verdict verdict) {
  constexpr const char* kNames[] = {"right", "wrong", "does not build", "does not run"};
  return kNames[static_cast<std::size_t>(verdict)];
}

bool ProfileCheck::all_right() const {
  return left_out == 0 && std::all_of(kernels.begin(), kernels.end(), [](const KernelCheck& check) {
           return check.verdict == Verdict::kRight;
         });
}

MeasureRequest check_request(const Profile& profile, const std::string& path,
                             const KernelRecord& record, bool measure) {
  MeasureRequest request;
  request.profile = path;
  request.names = {record.name};
  request.is_new = false;
  request.options.samples = kSamples;
  if (measure) request.shapes = shapes_to_measure(profile, record);
  return request;
}

KernelCheck judge(const Profile& profile, const KernelRecord& record, const Outcome& outcome) {
  KernelCheck check;
  check.kernel = record.name;
  check.role = record.role;
  check.verdict = to_verdict(outcome.result);
  if (check.verdict != Verdict::kRight) check.reason = outcome.reason;
  check.max_error = outcome.max_error;
  for (const ShapeSamples& samples : outcome.shapes) {
    const auto recorded = recorded_ns(profile, record, samples.shape);
    if (!recorded || samples.ns.empty()) continue;
    std::vector<double> ratios = samples.ns;
    for (double& ratio : ratios) ratio /= *recorded;
    check.results.push_back({samples.shape, *recorded, summarize(ratios)});
  }
  return check;
}

std::string to_text(const KernelCheck& check) {
  std::string text = fmt::format("{:<14}  {:<10}  {}", to_text(check.verdict), to_text(check.role),
                                 printable(check.kernel));
  if (check.max_error > 0.0) text += fmt::format(", error {:.2g} of the bound", check.max_error);
  if (!check.reason.empty()) text += ": " + printable(check.reason);
  text += "\n";
  for (const Remeasured& result : check.results) {
    text += fmt::format("{:<16}{}: {:.2f} ({:.2f} to {:.2f}) times the recorded {:.4g} us\n", "",
                        to_text(result.shape), result.ratio.median, result.ratio.low,
                        result.ratio.high, result.recorded_ns / 1e3);
  }
  return text;
}

std::string summary_text(const ProfileCheck& check) {
  struct RoleCounts {
    int kernels = 0;
    int right = 0;
    double max_error = 0.0;
  };
  std::map<Role, RoleCounts> roles;
  std::vector<double> ratios;
  for (const KernelCheck& kernel : check.kernels) {
    RoleCounts& counts = roles[kernel.role];
    ++counts.kernels;
    if (kernel.verdict == Verdict::kRight) ++counts.right;
    counts.max_error = std::max(counts.max_error, kernel.max_error);
    for (const Remeasured& result : kernel.results) ratios.push_back(result.ratio.median);
  }
  std::string text;
  for (const auto& [role, counts] : roles) {
    text += fmt::format("{:<11} {} of {} right{}\n", to_text(role), counts.right, counts.kernels,
                        counts.max_error > 0.0
                            ? fmt::format(", largest error {:.2g} of the bound", counts.max_error)
                            : "");
  }
  if (!ratios.empty()) {
    const Summary all = summarize(ratios);
    text += fmt::format(
        "time now / recorded time: median {:.2f} (10th to 90th percentile: {:.2f} to {:.2f}) of {} "
        "results\n",
        all.median, all.low, all.high, ratios.size());
  }
  if (check.left_out > 0) {
    text +=
        fmt::format("{} kernels are unchecked: verify takes at most a minute\n", check.left_out);
  }
  return text + (check.all_right() ? "all kernels are right\n" : "not all kernels are right\n");
}

std::string to_json(const ProfileCheck& check) {
  nlohmann::ordered_json software;  // null: the software is the same
  if (!check.software_change.empty()) software = check.software_change;
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const KernelCheck& kernel : check.kernels) {
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    for (const Remeasured& result : kernel.results) {
      results.push_back({{"shape", to_text(result.shape)},
                         {"recorded_us", result.recorded_ns / 1e3},
                         {"ratio",
                          {{"median", result.ratio.median},
                           {"low", result.ratio.low},
                           {"high", result.ratio.high},
                           {"samples", result.ratio.samples}}}});
    }
    kernels.push_back({{"kernel", kernel.kernel},
                       {"role", to_text(kernel.role)},
                       {"verdict", to_text(kernel.verdict)},
                       {"reason", kernel.reason},
                       {"max_error", kernel.max_error},
                       {"results", results}});
  }
  const nlohmann::ordered_json json{{"profile", check.profile},    {"device", check.device},
                                    {"software_change", software}, {"all_right", check.all_right()},
                                    {"left_out", check.left_out},  {"kernels", kernels}};
  return pretty(json);
}

}  // namespace tilewright
