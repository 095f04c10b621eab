// Of what are a benchmark's figures?
//
// A figure without its conditions is none: what every report of `bench` says beside its results.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "profiles/profile.hpp"

namespace tilewright {

struct BenchConditions {
  std::string device;
  std::string platform;
  std::string driver;
  std::string tool_version;
  std::string date;     // UTC, ISO 8601
  std::string command;  // the command line
  // NAME=value of the variables that change how fast competitors run, as far as they are set.
  std::vector<std::string> environment;
};

// Of this program, now.
BenchConditions conditions_of(const DeviceIdentity& device, const std::string& command);

// The keys are those of the struct.
void to_json(nlohmann::ordered_json& json, const BenchConditions& conditions);

// Keys peak_gflops, copy_gbytes_per_s, local_gbytes_per_s, image_gbytes_per_s, launch_us and
// round_trip_us, without those that were not measured.
nlohmann::ordered_json rates_json(const DeviceRates& rates,
                                  Precision precision = Precision::kSingle);

}  // namespace tilewright
