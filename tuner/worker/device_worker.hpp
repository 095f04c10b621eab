// How does a tuning use a device that may crash or hang, and never notice?
//
// A DeviceWorker is a worker process that is replaced when it dies or overstays. What it was doing
// then becomes a value: a candidate's outcome (build_crash, hang, launch), a finalist's failure.
// After each loss a new worker must pass a health check (open the device, run the built-in kernel,
// verify); three that fail in a row end the tuning with a DeviceLost that says what to do. A worker
// that cannot even start the first time is an error of the environment, with its last words.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "tuner/worker/replaceable_worker.hpp"

namespace tilewright {

// The user asked to stop (stop_signal.hpp); the worker has been killed.
struct Stopped {};

// The time given by end_by() was over before there was an answer.
struct OutOfTime {};

enum class Opening { kAtOnce, kLater };

// All calls must come from one thread that outlives the DeviceWorker: the worker dies with the
// thread that starts it.
class DeviceWorker : private ReplaceableWorker {
 public:
  // Starts the worker and opens the device. Throws as open(), which must follow where that is left
  // for later, so that several open it side by side.
  explicit DeviceWorker(WorkerSetup setup, Opening opening = Opening::kAtOnce);

  using ReplaceableWorker::abandon;
  using ReplaceableWorker::busy;
  using ReplaceableWorker::end_by;
  using ReplaceableWorker::facts;
  using ReplaceableWorker::on_phase;
  using ReplaceableWorker::open;
  using ReplaceableWorker::process;

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
  // What is not known yet. Tried twice; then: nothing was measured. No further micro-benchmark is
  // begun after so much time.
  std::variant<RatesReply, Stopped> measure_rates(double most_s, const DeviceRates& known = {});

  // Candidates, in two halves so that several workers can be at work: `prepare` builds a kernel and
  // launches it once on a tiny problem, so that its binary is in the cache; it measures nothing. An
  // outcome of class kOk means: ready for a trial. A candidate whose worker was killed from outside
  // is asked for once more, as is one that it had not begun with.
  void start_prepare(const KernelId& kernel);
  void start_trial(const TrialRequest& request);
  std::optional<Outcome> poll();  // nullopt: still at work. Throws DeviceLost

 private:
  void begin(const KernelId& kernel, const std::string& what, Message message);
  bool ask_again(const WorkerLost& lost, bool has_culprit = true);
  std::optional<WorkerAnswer> wait();
  std::optional<Outcome> judged(const WorkerAnswer& end);
  std::variant<Outcome, Stopped> wait_for_outcome();

  Lineup lineup_;  // of the last round
  // Of what is at work: no kernel where no point's kernel is, and what it is called.
  KernelId kernel_;
  std::string what_;
  bool asked_again_ = false;  // in this request
};

}  // namespace tilewright
