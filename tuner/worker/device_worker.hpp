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

  // Each blocks until the worker answers, is replaced, or a stop is requested. Throws DeviceLost.
  // A kernel that the worker dies of is its outcome, and the others are asked for again, unless the
  // request is of one process. OutOfTime: nothing is known of any.
  std::variant<MeasureReply, Stopped, OutOfTime> measure(const MeasureRequest& request);
  // The same of one kernel.
  std::variant<Outcome, Stopped> trial(const MeasureRequest& request);
  // What is not known yet. Nothing was measured where that fails twice. No further micro-benchmark
  // is begun after so much time.
  std::variant<RatesReply, Stopped> measure_rates(double most_s, const DeviceRates& known = {},
                                                  Precision precision = Precision::kSingle);
  // Any other request: its reply, or how the worker was lost in what cannot be left out.
  // `left_out`: leaves out what a phase names, and answers what is asked then; nullopt: it names
  // nothing that can be left out.
  using LeftOut = std::function<std::optional<nlohmann::json>(const WorkerLost& lost)>;
  std::variant<WorkerAnswer, Stopped> ask(const nlohmann::json& message, const LeftOut& left_out);

  // One kernel, in two halves so that several workers can be at work: `prepare` builds it, so that
  // its binary is in the cache; it measures nothing. An outcome of class kOk means: ready for a
  // trial. What was killed from outside is asked for once more, as is what was not begun with.
  void start_prepare(const KernelId& kernel);
  void start_trial(const MeasureRequest& request);
  std::optional<Outcome> poll();  // nullopt: still at work. Throws DeviceLost

 private:
  nlohmann::json measure_message() const;
  std::optional<nlohmann::json> without_culprit(const WorkerLost& lost);
  std::optional<WorkerAnswer> ended(WorkerAnswer end);
  std::optional<WorkerAnswer> wait();
  MeasureReply reply_of(const WorkerAnswer& end);
  Outcome outcome_of_one(const WorkerAnswer& end);

  // Of workers, in this request.
  struct Losses {
    LeftOut left_out;
    int all = 0;
    int late = 0;
    bool asked_again = false;
  };

  Losses losses_;
  MeasureRequest request_;         // what is measured
  std::vector<std::size_t> left_;  // of its kernels, to be asked for
  MeasureReply reply_;             // what is known already
};

}  // namespace tilewright
