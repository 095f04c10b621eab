#include "tuner/bench/bench_conditions.hpp"

#include <fmt/chrono.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "profiles/version.hpp"
#include "runtime/device/environment.hpp"

namespace tilewright {

namespace {

// Of OpenBLAS, OpenMP, PoCL and Mesa's rusticl.
constexpr const char* kSpeedVariables[] = {
    "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS",   "OPENBLAS_THREAD_TIMEOUT", "OMP_NUM_THREADS",
    "POCL_AFFINITY",     "POCL_MAX_PTHREAD_COUNT", "RUSTICL_ENABLE"};

std::vector<std::string> speed_variables() {
  std::vector<std::string> set;
  for (const char* name : kSpeedVariables) {
    const std::string value = environment(name);
    if (!value.empty()) set.push_back(fmt::format("{}={}", name, value));
  }
  return set;
}

}  // namespace

BenchConditions conditions_of(const DeviceIdentity& device, const std::string& command) {
  return {device.name,
          device.platform,
          device.driver,
          kVersion,
          fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now())),
          command,
          speed_variables()};
}

void to_json(nlohmann::ordered_json& json, const BenchConditions& conditions) {
  json["device"] = conditions.device;
  json["platform"] = conditions.platform;
  json["driver"] = conditions.driver;
  json["tool_version"] = conditions.tool_version;
  json["date"] = conditions.date;
  json["command"] = conditions.command;
  json["environment"] = conditions.environment;
}

nlohmann::ordered_json rates_json(const DeviceRates& rates, Precision precision) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto add = [&](const char* key, double value) {
    if (value > 0.0) json[key] = value;
  };
  add("peak_gflops", peak_of(rates, precision));
  if (is_raised_peak(rates, precision)) json["peak_is_lower_bound"] = true;
  add("copy_gbytes_per_s", rates.copy_gbytes_per_s);
  add("local_gbytes_per_s", rates.local_gbytes_per_s);
  add("image_gbytes_per_s", rates.image_gbytes_per_s);
  add("launch_us", 1e-3 * rates.launch_ns);
  add("round_trip_us", 1e-3 * rates.round_trip_ns);
  return json;
}

}  // namespace tilewright
