#include "worker_case.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "kernel_ways.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace tilewright {

namespace fs = std::filesystem;

WorkerLog::WorkerLog() {
  static int number = 0;
  path_ = fs::temp_directory_path() /
          ("tilewright-worker-" + std::to_string(::getpid()) + "-" + std::to_string(++number));
  fs::remove(path_);
}

WorkerLog::~WorkerLog() {
  fs::remove(path_);
}

std::vector<std::string> WorkerLog::lines() const {
  std::vector<std::string> lines;
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

int WorkerLog::count(const std::string& line) const {
  const std::vector<std::string> all = lines();
  return static_cast<int>(std::count(all.begin(), all.end(), line));
}

int WorkerLog::number_after(const std::string& word) const {
  for (const std::string& line : lines()) {
    if (line.rfind(word + " ", 0) == 0) return std::stoi(line.substr(word.size()));
  }
  return -1;
}

std::string silent_for(double seconds) {
  return fmt::format("was silent for {:.3g} s", seconds);
}

WorkerSetup fake_setup(const WorkerLog& log, const std::string& device,
                       const Deadlines& deadlines) {
  return {TILEWRIGHT_FAKE_WORKER, device, log.path(), deadlines, ""};
}

MeasureRequest trial_request(const std::string& way) {
  MeasureRequest request;
  request.kernels = {{kernel_that(way)}};
  return request;
}

MeasureRequest round_request(const std::vector<std::string>& ways) {
  MeasureRequest request;
  for (const std::string& way : ways) {
    request.kernels.push_back(kernel_that(way, static_cast<int>(request.kernels.size())));
  }
  request.shapes = {{64, 32, 16}};
  return request;
}

Outcomes measured(DeviceWorker& worker, const MeasureRequest& request) {
  auto result = worker.run(request);
  return std::get<Outcomes>(std::move(result));
}

namespace {

// The index of a kernel in round_request().
std::size_t index(const Outcome& outcome) {
  return static_cast<std::size_t>(kernel_number(outcome.kernel));
}

}  // namespace

std::map<std::size_t, double> measured_ns(const Outcomes& outcomes) {
  std::map<std::size_t, double> ns;
  for (const Outcome& outcome : outcomes) {
    if (outcome.result == OutcomeClass::kOk) ns[index(outcome)] = outcome.shapes.at(0).ns.at(0);
  }
  return ns;
}

std::map<std::size_t, std::string> failure_reasons(const Outcomes& outcomes) {
  std::map<std::size_t, std::string> failures;
  for (const Outcome& outcome : outcomes) {
    if (outcome.result == OutcomeClass::kOk) continue;
    failures[index(outcome)] = std::string(to_text(outcome.result)) + ": " + outcome.reason;
  }
  return failures;
}

nlohmann::json trial_message(const std::string& point) {
  return {{"do", "measure"}, {"request", {{"kernels", nlohmann::json::array({point})}}}};
}

bool has_children() {
  return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

int open_descriptors() {
  const fs::directory_iterator files("/proc/self/fd");
  return static_cast<int>(std::distance(begin(files), end(files)));
}

}  // namespace tilewright
