// Shared by the tests of workers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "deadline.hpp"
#include "tuner/process/device_worker.hpp"

namespace tilewright {

// A file in which the fake worker records what it did. It is removed at the end of the test.
class WorkerLog {
 public:
  WorkerLog();
  ~WorkerLog();
  const std::string& path() const { return path_; }
  std::vector<std::string> lines() const;
  int count(const std::string& line) const;
  // Returns the number after the first line that starts with this word.
  int number_after(const std::string& word) const;

 private:
  std::string path_;
};

// Deadlines that only a hanging worker exceeds.
inline constexpr Deadlines kPatient = {60.0, 60.0, 60.0};
// Deadline for tests of hanging workers. It is not too short, because a busy machine may not run
// the other processes for a while.
inline const double kShort_s = 1.0 * patience();
// What is reported of a worker that was silent for longer than a deadline. Launches of trials may
// take 0.01 s longer, because the fake worker announces that they take 1 ms.
std::string silent_for(double seconds);

// A fake worker (fake_worker.cpp) that behaves as `device` says.
WorkerSetup fake_setup(const WorkerLog& log, const std::string& device = "fake",
                       const Deadlines& deadlines = kPatient);

// Returns a request to try a candidate with this text, which need not be valid. trial_request()
// returns one for the kernel that makes a fake worker behave in this way.
nlohmann::json trial_message(const std::string& point);
MeasureRequest trial_request(const std::string& way);
// Returns a request for several such kernels, at most kMaxOfWay.
MeasureRequest round_request(const std::vector<std::string>& ways);
Outcomes measured(DeviceWorker& worker, const MeasureRequest& request);
// Returns the times of the kernels that have samples, by index in round_request().
std::map<std::size_t, double> measured_ns(const Outcomes& outcomes);
// Returns class and reason of the kernels without samples.
std::map<std::size_t, std::string> failure_reasons(const Outcomes& outcomes);

// Whether this process has child processes, and its number of open descriptors.
bool has_children();
int open_descriptors();

}  // namespace tilewright
