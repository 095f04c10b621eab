// A device that answers requests, although drivers crash and hang.
//
// A DeviceWorker sends one request at a time to a worker process. When the process dies or
// overstays, the kernel that it was at work on gets an outcome (build_crash, hang, launch), a new
// process is started, and the rest of the request is sent to it. Before that the new process must
// pass a health check: it opens the device, runs a built-in kernel and verifies the result. Three
// checks that fail in a row end the tuning with DeviceLost. All of this happens inside poll(), so
// that several workers can be used from one thread.
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "tuner/worker/worker_process.hpp"

namespace tilewright {

// A stop was requested before the device was open.
class StoppedBeforeWork : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The device is gone: what() says what was seen and what to do (reboot, run the command again).
class DeviceLost : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The user asked to stop (stop_signal.hpp); the worker has been killed.
struct Stopped {};

// The time given by end_by() was over before there was an answer.
struct OutOfTime {};

struct WorkerSetup {
  std::string program;    // "" for this program itself
  std::string device;     // as --device takes it
  std::string cache_dir;  // of program binaries; "": none
  Deadlines deadlines = {};
  std::string sysfs = {};  // where the clock is looked for; "": /sys
};

enum class Opening { kAtOnce, kLater };

// All calls must come from one thread that outlives the DeviceWorker: the worker dies with the
// thread that starts it.
class DeviceWorker {
 public:
  // Starts the worker and opens the device. Throws as open(), which must follow if opening is left
  // for later, so that several workers can open the device at the same time.
  explicit DeviceWorker(WorkerSetup setup, Opening opening = Opening::kAtOnce);
  DeviceWorker(const DeviceWorker&) = delete;
  DeviceWorker& operator=(const DeviceWorker&) = delete;

  // Waits until the first worker has opened the device, and prints which platforms and devices
  // failed meanwhile (say_failures()). Throws Error, UsageError (no such device) or
  // std::runtime_error with the worker's last words; also when a stop is requested meanwhile.
  void open();
  const DeviceInfo& facts() const { return facts_; }

  // Called when a kernel of a request that `is_new` is about to be built for the first time, and
  // about to be launched for the first time, before the worker does it: the journal must hold that
  // before a board dies. The worker waits for its return.
  std::function<void(const WorkerActivity&)> on_phase;

  // Each blocks until the worker answers, is replaced, or a stop is requested. Throws DeviceLost.
  // A kernel that the worker dies of gets an outcome, and the others are asked for again, unless
  // the request needs one process. OutOfTime: nothing is known of any.
  std::variant<MeasureReply, Stopped, OutOfTime> measure(const MeasureRequest& request);
  // The same for one kernel.
  std::variant<Outcome, Stopped> trial(const MeasureRequest& request);
  // Measures what is not known yet. Nothing was measured if that fails twice. No further
  // micro-benchmark is begun after so much time.
  std::variant<RatesReply, Stopped> measure_rates(double most_s, const DeviceRates& known = {},
                                                  Precision precision = Precision::kSingle);
  // Any other request: its reply, or how the worker was lost. `left_out` returns the request
  // without what the worker was lost in; nullopt: there is nothing to leave out.
  using LeftOut = std::function<std::optional<nlohmann::json>(const WorkerLost& lost)>;
  std::variant<WorkerAnswer, Stopped> ask(const nlohmann::json& message, const LeftOut& left_out);

  // A request for one kernel, without waiting: poll() returns its outcome. start_prepare() only
  // builds it, so that its binary is in the cache: kOk means that it is ready for a trial.
  void start_prepare(const KernelId& kernel);
  void start_trial(const MeasureRequest& request);
  std::optional<Outcome> poll();  // nullopt: still at work. Throws DeviceLost

  bool busy() const { return step_ != Step::kIdle; }
  // What follows must be over by then: a build or a launch that is still at work kGrace_s later is
  // killed. If it has been silent for half of its deadline by then, that is a hang; else nobody is
  // blamed. nullopt, as in the beginning: there is no such time.
  void end_by(std::optional<std::chrono::steady_clock::time_point> end);
  // Kills the worker, and what it is doing. The next request starts a new one.
  void abandon();
  WorkerProcess& process() { return *process_; }  // for wait_for_any, until the next poll()

 private:
  enum class Step { kIdle, kOpening, kChecking, kAtWork };

  void launch();
  void start(nlohmann::json message);
  void start(nlohmann::json message, LeftOut left_out);
  std::optional<WorkerAnswer> next_answer();
  std::optional<WorkerAnswer> wait();
  void advance(const WorkerAnswer& answer);
  void health_failed(const std::string& what);
  WorkerAnswer reply_or_loss(WorkerAnswer answer);
  bool goes_on_after(const WorkerLost& lost);

  nlohmann::json measure_message() const;
  std::optional<nlohmann::json> without_culprit(const WorkerLost& lost);
  MeasureReply reply_of(const WorkerAnswer& end);
  Outcome outcome_of_one(const WorkerAnswer& end);

  WorkerSetup setup_;
  std::unique_ptr<WorkerProcess> process_;
  DeviceInfo facts_;
  Step step_ = Step::kIdle;
  int failed_checks_ = 0;  // in a row
  std::string last_loss_;  // a sentence

  nlohmann::json message_;  // the request
  LeftOut left_out_;
  int losses_ = 0;  // of workers, in this request
  int late_losses_ = 0;
  bool asked_again_ = false;
  std::chrono::steady_clock::time_point begin_;
  double took_s_ = 0.0;  // from the worker's being ready for the request to its end

  MeasureRequest request_;         // what is measured
  std::vector<std::size_t> left_;  // which of its kernels are still asked for
  MeasureReply reply_;             // what is known already
};

}  // namespace tilewright
