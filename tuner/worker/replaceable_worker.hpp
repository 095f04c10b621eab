// How is a worker replaced without anybody waiting for it?
//
// One request at a time goes to a worker process. Where the last one was lost, a new one is
// started, opens the device and passes a health check first; all of that happens inside poll().
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

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

struct WorkerSetup {
  std::string program;    // "" for this program itself
  std::string device;     // as --device takes it
  std::string cache_dir;  // of program binaries; "": none
  Deadlines deadlines = {};
  std::string sysfs = {};  // where the clock is looked for; "": /sys
};

class ReplaceableWorker {
 public:
  // Starts the first one.
  explicit ReplaceableWorker(WorkerSetup setup);
  ReplaceableWorker(const ReplaceableWorker&) = delete;
  ReplaceableWorker& operator=(const ReplaceableWorker&) = delete;

  // Waits until the first one has opened the device, and prints which platforms and devices failed
  // meanwhile (say_failures()). Throws Error, UsageError (no such device) or
  // std::runtime_error with the worker's last words; also when a stop is requested meanwhile.
  void open();
  const DeviceInfo& facts() const { return facts_; }

  // As soon as the worker is ready for it.
  void start(nlohmann::json message);
  const nlohmann::json& message() const { return message_; }  // the last that was started
  bool busy() const { return step_ != Step::kIdle; }
  // nullopt: still at work. Throws DeviceLost.
  std::optional<WorkerAnswer> poll();
  // What follows shall be over by then: a build or a launch that is still at work kGrace_s later is
  // ended. If it has been silent for half of its deadline by then, that is a hang; else nobody
  // judges it. nullopt, as in the beginning: there is no such time.
  void end_by(std::optional<std::chrono::steady_clock::time_point> end);
  bool time_is_over() const;
  // Wall time from the worker's being ready for the request to its end.
  double took_s() const { return took_s_; }

  WorkerProcess& process() { return *process_; }  // for wait_for_any, until the next poll()
  // Ends the worker, and what it is doing, without a word: after a stop. The next request finds a
  // new one.
  void abandon();

  // Called when a kernel of a request that `is_new` is about to be built for the first time, and
  // about to be launched for the first time, before the worker does it: what the journal wants to
  // know before a board dies. The worker waits for its return.
  std::function<void(const WorkerActivity&)> on_phase;

 private:
  enum class Step { kIdle, kOpening, kChecking, kAtWork };

  void launch();
  WorkerAnswer request_end(const nlohmann::json& message);
  WorkerLost lose(WorkerLost lost);
  void advance(const WorkerAnswer& answer);
  void health_failed(const std::string& what);

  WorkerSetup setup_;
  std::unique_ptr<WorkerProcess> process_;
  DeviceInfo facts_;
  Step step_ = Step::kIdle;
  nlohmann::json message_;
  int failed_checks_ = 0;  // in a row
  std::string last_loss_;  // a sentence
  std::chrono::steady_clock::time_point begin_;
  double took_s_ = 0.0;
};

}  // namespace tilewright
