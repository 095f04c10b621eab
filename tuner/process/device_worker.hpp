// Executes requests on a device even though drivers crash and hang.
//
// A DeviceWorker sends one request at a time to a worker process. If the process dies or exceeds
// its deadline, the kernel that it was working on gets an outcome (build_crash, hang or launch),
// and a new process is started and receives the rest of the request. Before that, the new process
// must pass a health check: it opens the device, runs a built-in kernel and verifies the result.
// Three failed checks in a row end the tuning with DeviceLost. All of this happens inside poll(),
// so that one thread can use several workers.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "tuner/process/worker_process.hpp"

namespace tilewright {

// Thrown if a stop was requested before the device was open.
class StoppedBeforeWork : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown if the device no longer works. what() describes what happened and what to do (reboot, run
// the command again).
class DeviceLost : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Result of a request if the user asked to stop (stop_signal.hpp). The worker has been killed.
struct Stopped {};

// Result of a request if the time set by end_by() was over before there was a reply.
struct OutOfTime {};

// How workers are started.
struct WorkerSetup {
  std::string program;    // path of the program; "": this program itself
  std::string device;     // as given to --device
  std::string cache_dir;  // folder of the binary cache; "": none
  Deadlines deadlines = {};
  std::string sysfs = {};  // where to look for the clock; "": /sys
  // Called when the device is open, with a sentence for each platform and device that failed
  // meanwhile. May be empty.
  std::function<void(const std::vector<std::string>&)> on_failures = {};
};

// Whether the constructor opens the device.
enum class Opening { kAtOnce, kLater };

// All calls must come from one thread that outlives the DeviceWorker, because the worker process is
// killed when the thread that started it ends.
class DeviceWorker {
 public:
  // Starts the worker process and, with Opening::kAtOnce, opens the device, which may throw like
  // open(). With Opening::kLater the caller must call open(); this way several workers can open the
  // device at the same time.
  explicit DeviceWorker(WorkerSetup setup, Opening opening = Opening::kAtOnce);
  DeviceWorker(const DeviceWorker&) = delete;
  DeviceWorker& operator=(const DeviceWorker&) = delete;

  // Waits until the first worker process has opened the device. Throws Error, UsageError (no such
  // device), std::runtime_error with the last output of the worker, or StoppedBeforeWork if a stop
  // is requested meanwhile.
  void open();
  const DeviceInfo& facts() const { return opened_.device; }
  const OpenedDevice& opened() const { return opened_; }

  // Called before a kernel of a request with `is_new` is built for the first time, and before it is
  // launched for the first time. The worker waits until the function returns, so that the journal
  // contains the line before the board can die.
  std::function<void(const WorkerActivity&)> on_activity;

  // Each of these functions blocks until the worker replies, until it is lost for good, or until a
  // stop is requested. They throw DeviceLost.
  //
  // measure() gives an outcome to each kernel that kills the worker, and requests the remaining
  // kernels again, unless the request must be measured in one process. The outcomes are in the
  // order of the request; kernels that were not tried have none. It returns OutOfTime if the time
  // ended before any outcome was known.
  std::variant<Outcomes, Stopped, OutOfTime> measure(const MeasureRequest& request);
  // Measures a request for one kernel.
  std::variant<Outcome, Stopped> trial(const MeasureRequest& request);
  // Measures the rates that are not in `known`. No micro-benchmark is started after `max_s`
  // seconds. If the worker is lost twice, the reply has no rates.
  std::variant<MeasuredRates, Stopped> measure_rates(double max_s, const DeviceRates& known = {},
                                                     Precision precision = Precision::kSingle);
  // Sends any other request and returns its reply, or how the worker was lost. `message` makes the
  // message. After a loss, `leave_out` removes the part that killed the worker from the request, so
  // that `message` makes the next one without it; false if there is nothing to leave out.
  using Message = std::function<nlohmann::json()>;
  using LeaveOut = std::function<bool(const WorkerLost& lost)>;
  std::variant<WorkerAnswer, Stopped> ask(Message message, LeaveOut leave_out);
  // Returns true if a worker was lost during the latest request, so that not everything was
  // measured in one process.
  bool lost_process() const { return losses_ > 0; }

  // Starts a request without waiting. If it is for one kernel, poll() returns the outcome, or
  // nullopt while the request runs. poll() throws DeviceLost.
  void start(const MeasureRequest& request);
  std::optional<Outcome> poll();
  // Returns the request that was started last, without kernels that were left out.
  const MeasureRequest& request() const { return request_; }

  // Returns true while a request is running.
  bool busy() const { return step_ != Step::kIdle; }
  // Sets the time by which all requests must be finished; nullopt, the initial state: no limit. A
  // build or launch that is still running kGrace_s later is killed. It counts as a hang if it was
  // silent for at least half of its deadline; otherwise it was merely late, and no kernel is
  // blamed.
  void end_by(std::optional<std::chrono::steady_clock::time_point> end);
  // Kills the worker process and drops its request. The next request starts a new process.
  void abandon();
  WorkerProcess& process() { return *process_; }  // for wait_for_any(); valid until the next poll()

 private:
  enum class Step { kIdle, kOpening, kChecking, kAtWork };

  void launch();
  void start(Message message, LeaveOut leave_out);
  void send();
  std::optional<WorkerAnswer> next_answer();
  std::optional<WorkerAnswer> wait();
  void advance(const WorkerAnswer& answer);
  void health_failed(const std::string& what);
  bool continues_after(const WorkerLost& lost);

  bool leave_out_culprit(const WorkerLost& lost);
  Outcomes take_outcomes(const WorkerAnswer& end);

  WorkerSetup setup_;
  std::unique_ptr<WorkerProcess> process_;
  OpenedDevice opened_;
  Step step_ = Step::kIdle;
  int failed_checks_ = 0;  // in a row
  std::string last_loss_;  // a sentence

  Message message_;  // of the current request
  LeaveOut leave_out_;
  int losses_ = 0;  // worker processes lost during this request
  int late_losses_ = 0;
  bool asked_again_ = false;
  std::chrono::steady_clock::time_point start_;
  double took_s_ = 0.0;  // from the time the worker was ready for the request to the reply

  bool is_single_ = false;  // the request was for one kernel
  MeasureRequest request_;  // the request to measure, without kernels that were left out
  Outcomes expected_;       // requested_outcomes() of the whole request
  Outcomes lost_;           // of kernels that were left out
};

}  // namespace tilewright
