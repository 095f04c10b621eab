#include "tuner/doctor/opencl_probe.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "profiles/base/printable.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/process/device_worker.hpp"

namespace tilewright {
namespace {

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \r\n");
  if (end == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', end);
  return printable(text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin + 1) + 1));
}

std::string how_it_was_lost(const WorkerLost& lost) {
  const std::string words = last_line(lost.last_words);
  return words.empty() ? lost.how : fmt::format("{}; its last output: {}", lost.how, words);
}

// Sends one request to a new worker. Returns its reply, or why there is none.
std::variant<nlohmann::json, std::string> asked(const std::string& program,
                                                const std::string& icd_file,
                                                const nlohmann::json& request, double seconds) {
  WorkerSetup setup;
  setup.program = program;
  setup.icd_file = icd_file;
  setup.deadlines.start_s = seconds;
  DeviceWorker worker(setup, Opening::kNever);
  auto result = worker.run([&] { return request; });
  auto* const answer = std::get_if<WorkerAnswer>(&result);
  if (answer == nullptr) return std::string("was stopped");
  if (const auto* lost = std::get_if<WorkerLost>(answer)) return how_it_was_lost(*lost);
  return std::get<nlohmann::json>(std::move(*answer));
}

}  // namespace

OpenClProbe probe_opencl(const std::string& icd_file, const std::string& program, double seconds) {
  const auto answer = asked(program, icd_file, {{"do", "devices"}}, seconds);
  OpenClProbe probe;
  if (const auto* why = std::get_if<std::string>(&answer)) {
    probe.failure = *why;
    return probe;
  }
  const nlohmann::json& listed = std::get<nlohmann::json>(answer);
  probe.failures = listed.at("failures").get<std::vector<std::string>>();
  const nlohmann::json& loader = listed.at("loader");
  probe.loader = OpenClLoader{loader.at("path").get<std::string>(),
                              loader.at("has_usual_versions").get<bool>(),
                              loader.at("missing").get<std::vector<std::string>>(),
                              loader.at("tried").get<std::vector<std::string>>()};
  probe.gpu_sensors = listed.at("gpu_sensors").get<std::vector<SensorInfo>>();
  for (const nlohmann::json& device : listed.at("devices")) {
    probe.devices.push_back(
        {device.at("type").get<std::string>(), device.at("unified_memory").get<bool>(),
         device.at("timers").get<bool>(), device.at("identity").get<DeviceIdentity>(),
         device.at("obstacle").get<std::string>()});
  }
  return probe;
}

std::optional<std::string> probe_library(const std::string& library, const std::string& program,
                                         double seconds) {
  const auto answer = asked(program, "", {{"do", "load"}, {"library", library}}, seconds);
  if (const auto* why = std::get_if<std::string>(&answer)) return *why;
  const std::string why = std::get<nlohmann::json>(answer).get<std::string>();
  return why.empty() ? std::nullopt : std::optional(printable(why));
}

}  // namespace tilewright
