// How does a tuning use a device that may crash or hang, and never notice?
//
// A DeviceWorker is a worker process that is replaced when it dies or overstays. What it was doing
// then becomes a value: a candidate's outcome (build_crash, hang, launch), a finalist's failure.
// After each loss a new worker must pass a health check (open the device, run the built-in kernel,
// verify); three that fail in a row end the tuning with a DeviceLost that says what to do. A worker
// that cannot even start the first time is an error of the environment, with its last words.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

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

// The user asked to stop (stop_signal.hpp); the worker has been killed.
struct Stopped {};

// The time given by end_by() was over before there was an answer.
struct OutOfTime {};

// All calls must come from one thread that outlives the DeviceWorker: the worker dies with the
// thread that starts it.
class DeviceWorker {
 public:
  // Starts the worker and opens the device. Throws Error, UsageError (no such device) or
  // std::runtime_error with the worker's last words; also when a stop is requested meanwhile.
  explicit DeviceWorker(WorkerSetup setup);
  ~DeviceWorker();

  const DeviceFacts& facts() const;

  // Called when a candidate (of trial and prepare) is about to be built for the first time, and
  // about to be launched for the first time, before the worker does it: what the journal wants to
  // know before a board dies. Likewise for pack kernels, and for finalists (by their index) in the
  // first round of a final. The worker waits for its return.
  std::function<void(const Phase&)> on_phase;

  // What follows shall be over by then: a build or a launch that is still at work kGrace_s later is
  // ended. If it has been silent for half of its deadline by then, that is a hang; else nobody
  // judges it. nullopt, as in the beginning: there is no such time.
  void end_by(std::optional<std::chrono::steady_clock::time_point> end);

  // What became of a pack kernel that a worker died of, or hung in, while packs were tuned.
  std::function<void(const Outcome&)> on_lost_pack;

  // Each blocks until the worker answers, is replaced, or a stop is requested. Throws DeviceLost.
  // A kernel of a profile; a worker that dies of it is its outcome.
  std::variant<Outcome, Stopped> check(const CheckRequest& request);
  // A candidate on trial, at once.
  std::variant<Outcome, Stopped> trial(const TrialRequest& request);
  // A finalist that the worker dies of is a failure, and the others are asked for again, if there
  // is time.
  std::variant<RoundReply, Stopped, OutOfTime> round(const RoundRequest& request);
  // A pack kernel that the worker dies of is left out, and the others are asked for again; after
  // some such losses: none works. Where the time is over, too, one is looked for, but less long.
  std::variant<PackReply, Stopped> tune_pack(const PackRequest& request);
  // Tried twice; then: nothing was measured. No further micro-benchmark is begun after so much
  // time.
  std::variant<DeviceRates, Stopped> measure_rates(double most_s);

  // Candidates, in two halves so that several workers can be at work: `prepare` builds a kernel and
  // launches it once on a tiny problem, so that its binary is in the cache; it measures nothing. An
  // outcome of class kOk means: ready for a trial. A candidate whose worker was killed from outside
  // is asked for once more, as is one that it had not begun with.
  void start_prepare(const std::string& point);
  void start_trial(const TrialRequest& request);
  bool busy() const;
  std::optional<Outcome> poll();  // nullopt: still at work. Throws DeviceLost
  WorkerProcess& process();       // for wait_for_any, until the next poll()
  // Ends the worker, and what it is doing, without a word: after a stop. Another call starts anew.
  void abandon();

 private:
  struct State;
  std::variant<Outcome, Stopped> wait_for_outcome();
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
