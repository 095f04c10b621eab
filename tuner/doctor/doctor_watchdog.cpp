// How long may one dispatch take before the kernel driver kills it?
//
// panfrost: JOB_TIMEOUT_MS is 500 (drivers/gpu/drm/panfrost/panfrost_job.c); panthor: 5000. kbase
// of job-manager GPUs: `js_timeouts`, in ms: soft stop, soft stop of CL, hard stop of SS, of CL,
// while dumping, reset of SS, of CL, while dumping (mali_kbase_core_linux.c; kernels before DDK r4
// have five values without CL's). kbase of command-stream GPUs: `progress_timeout`, in GPU cycles
// without progress (mali_kbase_csf_timeout.c).
#include <fmt/format.h>

#include <algorithm>

#include "tuner/doctor/doctor_parts.hpp"

namespace tilewright {
namespace {

constexpr const char* kVendorDevice = "/sys/class/misc/mali0/device";
// What tune keeps a dispatch below by default; predictions may be wrong by a factor of two.
constexpr double kMaxDispatchMs = 200.0;

Finding limit_finding(const std::string& who, double ms) {
  const std::string seen = fmt::format("{} ends a dispatch after {:g} ms", who, ms);
  if (ms >= 2.0 * kMaxDispatchMs) {
    return ok("watchdog", seen + fmt::format("; tune keeps each below {:g} ms", kMaxDispatchMs));
  }
  return note("watchdog", seen, fmt::format("tilewright tune --max-dispatch {:g}ms", ms / 2.0));
}

// The least positive of some of the values; 0: none is.
double least_of(const std::vector<std::string>& values, std::initializer_list<std::size_t> places) {
  double least = 0.0;
  for (const std::size_t place : places) {
    const double ms = std::strtod(values[place].c_str(), nullptr);
    if (ms > 0.0 && (least == 0.0 || ms < least)) least = ms;
  }
  return least;
}

Finding vendor_finding(const BoardFiles& files) {
  const std::string folder = kVendorDevice;
  const std::vector<std::string> values =
      words_of(files.text(folder + "/js_timeouts").value_or(""));
  double ms = 0.0;
  if (values.size() == 8) ms = least_of(values, {3, 6});
  if (values.size() == 5) ms = least_of(values, {1, 3});
  if (ms > 0.0) return limit_finding(fmt::format("kbase ({}/js_timeouts)", folder), ms);
  if (const auto cycles = files.number(folder + "/progress_timeout")) {
    return ok("watchdog", fmt::format("kbase ends what makes no progress for {} GPU cycles "
                                      "({}/progress_timeout)",
                                      *cycles, folder));
  }
  return ok("watchdog",
            "kbase does not say when it ends a dispatch; its defaults are 5 s for OpenCL");
}

}  // namespace

Findings watchdog_findings(const BoardFiles& files, const std::vector<GpuNode>& nodes) {
  Findings findings;
  if (has_driver(nodes, "kbase")) findings.push_back(vendor_finding(files));
  if (has_driver(nodes, "panfrost")) findings.push_back(limit_finding("panfrost", 500.0));
  if (has_driver(nodes, "panthor")) findings.push_back(limit_finding("panthor", 5000.0));
  return findings;
}

}  // namespace tilewright
