#include "tuner/tuning/decision.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "tuner/process/stop_signal.hpp"
#include "tuner/tuning/stages/final_stage.hpp"
#include "tuner/tuning/stages/network_stage.hpp"

namespace tilewright {
namespace {

// Shares of the budget for auxiliary kernels, finals, and kernels for networks.
constexpr double kPackShare = 0.03;
constexpr double kFinalsShare = 0.2;
constexpr double kNetworkShare = 0.14;
constexpr double kWorthwhile = 0.02;  // part of the budget; less is not worth further finals

// Returns the part of the total time that passes before the stage for networks starts.
double finals_end_share(const TuneOptions& options) {
  return for_networks(options) ? 1.0 - kNetworkShare : 1.0;
}

class Decision {
 public:
  Decision(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
           const MeasureOptions& measure, TuneProgress& progress)
      : worker_(worker),
        journal_(record),
        options_(options),
        measure_(measure),
        progress_(progress) {}

  bool run();

 private:
  // Runs finals, or continues them. Returns false if a stop was requested.
  bool hold_finals(double until_s);
  // Returns what there was no time for.
  std::optional<std::string> measure_networks() {
    progress_.stage("kernels for networks");
    return tune_for_networks(worker_, journal_, options_, measure_, options_.budget_s);
  }

  DeviceWorker& worker_;
  TuningJournal& journal_;
  const TuneOptions& options_;
  const MeasureOptions& measure_;
  TuneProgress& progress_;
};

bool Decision::hold_finals(double until_s) {
  FinalStage finals(worker_, journal_, options_, measure_,
                    {kPackShare * options_.budget_s, until_s});
  progress_.stage("choosing finalists");
  return finals.run([&](const FinalsProgress& progress) {
    progress_.finals(progress, until_s - journal_.now_s());
  });
}

bool Decision::run() {
  const bool had_ended = journal_.contents().complete;
  if (!hold_finals(finals_end_s(options_, journal_.now_s()))) return false;
  const double start_s = journal_.now_s();
  std::optional<std::string> missing = measure_networks();
  if (StopSignal::requested()) return false;
  // If there was not enough time for networks, or none was reserved for them, there is none for
  // further finals. If the number of rounds is limited, it has been used.
  const bool no_more = missing || had_ended || !for_networks(options_) || options_.rounds > 0;
  const auto until_s =
      no_more ? std::nullopt : further_finals_end_s(options_.budget_s, start_s, journal_.now_s());
  if (until_s) {
    if (!hold_finals(*until_s)) return false;
    missing = measure_networks();
  }
  if (missing) progress_.note(*missing);
  return !StopSignal::requested();
}

}  // namespace

double search_share(const TuneOptions& options) {
  return finals_end_share(options) - kFinalsShare - kPackShare;
}

double finals_end_s(const TuneOptions& options, double now_s) {
  const double networks = 1.0 - finals_end_share(options);
  const double of_the_rest = kFinalsShare / (kFinalsShare + networks);
  return std::max(finals_end_share(options) * options.budget_s,
                  now_s + of_the_rest * (options.budget_s - now_s));
}

std::optional<double> further_finals_end_s(double budget_s, double networks_start_s, double now_s) {
  const double end_s = budget_s - (now_s - networks_start_s);
  return end_s - now_s > kWorthwhile * budget_s ? std::optional(end_s) : std::nullopt;
}

bool decide(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
            const MeasureOptions& measure, TuneProgress& progress) {
  // A kernel that hangs must not take longer than the remaining time.
  const std::chrono::duration<double> left(options.budget_s - record.now_s());
  worker.end_by(std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(left));
  return Decision(worker, record, options, measure, progress).run();
}

}  // namespace tilewright
