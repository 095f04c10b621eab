// Executes requests on a device in a worker process, even though drivers crash and hang.
//
// A worker is this program, run as `tilewright worker`. It has its own process group, so that
// Ctrl-C reaches only the supervisor, and the operating system kills it when the supervisor dies.
// If the process dies or exceeds its deadline, the kernel that it was working on gets an outcome
// (build_crash, hang or launch), and a new process is started and receives the rest of the request.
// Before that, the new process must pass a health check: it opens the device, runs a built-in
// kernel and verifies the result. Three failed checks in a row end the tuning with DeviceLost.
//
// All calls block. Workers that are busy at the same time have a thread each (compilers.hpp).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "tuner/process/worker_launch.hpp"
#include "tuner/process/worker_loss.hpp"

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

// How long a worker may be silent, depending on the activity that it announced. The deadline of an
// activity is the time for its kind plus ten times its expected duration.
struct Deadlines {
  double start_s = 60.0;   // until the device is open
  double build_s = 120.0;  // to build one kernel
  double launch_s = 10.0;  // to launch one kernel
  // If set, no build or launch may run longer than kGrace_s beyond this time, whatever its
  // deadline.
  std::optional<std::chrono::steady_clock::time_point> end = {};
};
inline constexpr double kGrace_s = 1.0;

// The contents of a reply, or why there is none.
using WorkerAnswer = std::variant<nlohmann::json, WorkerLost>;

// Result of a request that was ended early: the user asked to stop (stop_signal.hpp), another
// thread ended it (WorkerSetup::cancel), or its time was over (trial()). The worker has been
// killed.
struct Stopped {};

// Result of a request if the time set by end_by() was over before there was a reply.
struct OutOfTime {};

// How workers are started.
struct WorkerSetup {
  std::string program;    // path of the program; "": this program itself
  std::string device;     // as given to --device
  std::string cache_dir;  // folder of the binary cache; "": none
  Deadlines deadlines = {};
  std::string sysfs = {};     // where to look for the clock; "": /sys
  std::string icd_file = {};  // the only driver to load; "": all
  // Called when the device is open, with a sentence for each platform and device that failed
  // meanwhile. May be empty.
  std::function<void(const std::vector<std::string>&)> on_failures = {};
  // A file descriptor by which another thread ends requests: they end at once while it is readable.
  // -1: none.
  int cancel = -1;
};

// Whether the constructor opens the device. With kNever the worker handles only requests that need
// no device.
enum class Opening { kAtOnce, kNever };

// A worker process and its successors. All calls must come from one thread that outlives the
// DeviceWorker, because a worker process is killed when the thread that started it ends.
class DeviceWorker {
 public:
  // Starts the worker process, and waits until it has opened the device. Throws std::system_error
  // if the program cannot be started, Error, UsageError (no such device), std::runtime_error with
  // the last output of the worker, or StoppedBeforeWork if a stop is requested meanwhile.
  explicit DeviceWorker(WorkerSetup setup, Opening opening = Opening::kAtOnce);
  // Lets the process exit, or kills it if it does not, and waits for its end.
  ~DeviceWorker();
  DeviceWorker(const DeviceWorker&) = delete;
  DeviceWorker& operator=(const DeviceWorker&) = delete;

  const DeviceInfo& facts() const { return opened_.device; }
  const OpenedDevice& opened() const { return opened_; }

  // Called before a kernel of a request with `is_new` is built for the first time, and before it is
  // launched for the first time. The worker waits until the function returns, so that the journal
  // contains the line before the board can die.
  std::function<void(const WorkerActivity&)> on_activity;

  // Each of these functions blocks until the worker replies, until it is lost for good, or until
  // the request is ended early (Stopped). They throw DeviceLost.
  //
  // A request to measure gives an outcome to each kernel that kills the worker, and requests the
  // remaining kernels again, unless the request must be measured in one process. The outcomes are
  // in the order of the request; kernels that were not tried have none. It returns OutOfTime if the
  // time ended before any outcome was known.
  std::variant<Outcomes, Stopped, OutOfTime> run(const MeasureRequest& request);
  // Measures a request for one kernel. At `give_up_at` it ends, whatever the worker does.
  std::variant<Outcome, Stopped> trial(
      const MeasureRequest& request,
      std::chrono::steady_clock::time_point give_up_at = kNeverGivenUp);
  // Measures the rates that are not in `known`. No micro-benchmark is started after `max_s`
  // seconds. If the worker is lost twice, the reply has no rates.
  std::variant<MeasuredRates, Stopped> measure_rates(double max_s, const DeviceRates& known = {},
                                                     Precision precision = Precision::kSingle);
  // Sends any other request and returns its reply, or how the worker was lost. `message` makes the
  // message. After a loss, `leave_out` removes the part that killed the worker from the request, so
  // that `message` makes the next one without it; false if there is nothing to leave out. Without
  // `leave_out`, the request ends with the first loss.
  using Message = std::function<nlohmann::json()>;
  using LeaveOut = std::function<bool(const WorkerLost& lost)>;
  std::variant<WorkerAnswer, Stopped> run(const Message& message, const LeaveOut& leave_out = {});
  // Returns true if a worker was lost during the latest request, so that not everything was
  // measured in one process.
  bool lost_process() const { return losses_ > 0; }

  int pid() const { return process_.pid; }  // of the worker process; -1 once it is gone
  // The end of the process' output on standard error and standard output.
  const std::string& last_words() const { return process_.last_words; }
  // Sets the time by which all requests must be finished; nullopt, the initial state: no limit. It
  // takes effect with the next announcement. A build or launch that is still running kGrace_s later
  // is killed. It counts as a hang if it was silent for at least half of its deadline; otherwise it
  // was merely late, and no kernel is blamed.
  void end_by(std::optional<std::chrono::steady_clock::time_point> end) {
    setup_.deadlines.end = end;
  }
  // Kills the worker process and drops its request. The next request starts a new process.
  void abandon() { kill(); }

 private:
  static constexpr auto kNeverGivenUp = std::chrono::steady_clock::time_point::max();

  // The worker process and the connection to it.
  struct Process : LaunchedWorker {
    bool is_ready = false;    // for requests: the device is open and its health was checked
    bool closed = false;      // it has closed its end of the channel
    bool stuck = false;       // not even SIGKILL ends it
    bool killed = false;      // SIGKILL ended it
    std::string input = {};   // received, but not yet a complete line
    std::string output = {};  // not yet sent
    std::string last_words = {};
    WorkerActivity activity = {};            // the last one that it announced
    double patience_s = 0.0;                 // time for this activity
    std::optional<double> cut_short_s = {};  // the part of it that Deadlines::end leaves, if less
    // When the worker is given up, unless it sends something before.
    std::chrono::steady_clock::time_point deadline = {};
  };

  // Requests: what is sent, and how it continues after a loss (device_worker.cpp).
  void start_process(double settle_s);
  void open();
  bool replace_process();
  std::optional<WorkerAnswer> ask(const nlohmann::json& request);
  std::optional<WorkerAnswer> complete(const Message& message, const LeaveOut& leave_out);
  std::optional<WorkerAnswer> measure(const MeasureRequest& request,
                                      std::chrono::steady_clock::time_point give_up_at);
  bool continues_after(const WorkerLost& lost, const LeaveOut& leave_out);
  bool leave_out_culprit(const WorkerLost& lost);
  Outcomes take_outcomes(const WorkerAnswer& end);

  // The process: lines, deadlines and signals (worker_process.cpp).
  bool alive() const { return process_.channel >= 0; }  // false once it is known to be gone
  void enter(const WorkerActivity& activity);
  void write_request(const nlohmann::json& request);
  void write_waiting();
  void read_errors();
  bool is_interrupted() const;
  void wait_for_process() const;
  std::optional<WorkerAnswer> read_process();
  std::optional<WorkerAnswer> read_lines();
  WorkerLost lost(const std::string& how);
  WorkerLost lost_by_error(const nlohmann::json& error);
  WorkerLost lost_overdue();
  std::string kill();
  bool has_ended() const;
  bool ends_within(double seconds) const;
  std::string reap();

  WorkerSetup setup_;
  Process process_;
  OpenedDevice opened_;
  std::string last_loss_;  // a sentence
  // The end of the current request, if it has one.
  std::chrono::steady_clock::time_point give_up_at_ = kNeverGivenUp;
  int losses_ = 0;  // worker processes lost during this request
  int late_losses_ = 0;
  bool asked_again_ = false;
  double took_s_ = 0.0;  // from the time the worker was ready for the request to the reply

  MeasureRequest request_;  // the request to measure, without kernels that were left out
  Outcomes expected_;       // requested_outcomes() of the whole request
  Outcomes lost_;           // of kernels that were left out
};

}  // namespace tilewright
