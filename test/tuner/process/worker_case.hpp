// What do the tests of workers share?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "deadline.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/process/worker_process.hpp"

namespace tilewright {

// A file of a test, in which the fake worker notes what it did; removed at the end.
class WorkerLog {
 public:
  WorkerLog();
  ~WorkerLog();
  const std::string& path() const { return path_; }
  std::vector<std::string> lines() const;
  int count(const std::string& line) const;
  // The number after the first line that begins with this word.
  int number_after(const std::string& word) const;

 private:
  std::string path_;
};

// Deadlines which nothing but a hang passes.
inline constexpr Deadlines kPatient = {60.0, 60.0, 60.0};
// Of those that hang. Others have it, too, and a busy machine may not run them for a while.
inline const double kShort_s = 1.0 * patience();

// A fake worker (fake_worker.cpp) that behaves as `device` says.
WorkerSetup fake_setup(const WorkerLog& log, const std::string& device = "fake",
                       const Deadlines& deadlines = kPatient);
std::vector<std::string> fake_arguments(const WorkerLog& log, const std::string& device = "fake");

// A candidate of this text, whatever it is; and the kernel that makes a fake worker do so.
nlohmann::json trial_message(const std::string& point);
MeasureRequest trial_request(const std::string& way);
// Kernels that do so, side by side, called by their places.
MeasureRequest round_request(const std::vector<std::string>& ways);
MeasureReply reply_to(DeviceWorker& worker, const MeasureRequest& request);
// Of those that have samples.
std::map<std::size_t, double> measured_ns(const MeasureReply& reply);
// Of those that have none: class and reason.
std::map<std::size_t, std::string> failure_reasons(const MeasureReply& reply);

// Waits for an answer.
WorkerAnswer wait_for_answer(WorkerProcess& worker);

// Children, descriptors of this process.
bool has_children();
int open_descriptors();

}  // namespace tilewright
