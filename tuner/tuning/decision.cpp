#include "tuner/tuning/decision.hpp"

#include <chrono>
#include <optional>

#include "tuner/process/stop_signal.hpp"
#include "tuner/tuning/stages/final_stage.hpp"
#include "tuner/tuning/stages/network_stage.hpp"
#include "tuner/tuning/stages/validation_stage.hpp"
#include "tuner/tuning/time_division.hpp"

namespace tilewright {
namespace {

class Decision {
 public:
  explicit Decision(const TuneContext& context)
      : all_options_(context.options),
        options_(context.options),
        context_{context.worker, context.journal, options_, context.measure, context.progress} {
    options_.budget_s = end_s();
  }

  bool run();

 private:
  // Runs finals, or continues them. Returns false if a stop was requested.
  bool hold_finals(double until_s);
  // Measures whole calls, if the tuning is validated, and leaves time for networks. Returns false
  // if a stop was requested.
  bool validate_choices();
  bool validate_until(const ValidationTimes& times) {
    const bool goes_on = validate(context_, times.until_s, times.latest_s);
    context_.journal.append_time_spent(kOnValidation);
    return goes_on;
  }
  // Returns what there was no time for.
  std::optional<std::string> measure_networks() {
    context_.progress.stage("kernels for networks");
    const auto missing = tune_for_networks(context_, end_s());
    context_.journal.append_time_spent(kOnNetworks);
    return missing;
  }
  // The end of all that may change the choice, by what products that are held out are expected to
  // take.
  double end_s() const {
    return all_options_.budget_s - held_out_s(all_options_, product_s(context_.journal.contents()));
  }

  const TuneOptions& all_options_;
  TuneOptions options_;  // without the time for products that are held out
  TuneContext context_;
};

bool Decision::hold_finals(double until_s) {
  FinalStage finals(context_, {auxiliaries_s(options_.budget_s), until_s});
  context_.progress.stage("choosing finalists and their pack kernels");
  const bool goes_on = finals.run();
  context_.journal.append_time_spent(kOnFinals);
  return goes_on;
}

bool Decision::validate_choices() {
  if (!is_validated(options_)) return true;
  return validate_until(validation_times(options_, end_s(), context_.journal.now_s()));
}

bool Decision::run() {
  const bool had_ended = context_.journal.contents().complete;
  if (!hold_finals(finals_end_s(options_, context_.journal.now_s()))) return false;
  if ((!had_ended || options_.validate > 0) && !validate_choices()) return false;
  const double start_s = context_.journal.now_s();
  std::optional<std::string> missing = measure_networks();
  if (StopSignal::requested()) return false;
  // If there was not enough time for networks, or none was reserved for them, there is none for
  // further finals. If the number of rounds is limited, it has been used.
  const bool no_more = missing || had_ended || !for_networks(options_) || options_.rounds > 0;
  const auto until_s =
      no_more ? std::nullopt : further_finals_end_s(end_s(), start_s, context_.journal.now_s());
  if (until_s) {
    const bool goes_on =
        is_validated(options_) ? validate_until({*until_s, *until_s}) : hold_finals(*until_s);
    if (!goes_on) return false;
    missing = measure_networks();
  }
  if (missing) context_.progress.note(*missing);
  return !StopSignal::requested();
}

}  // namespace

// A kernel that hangs must not cost more than the time that is left.
void end_worker_by(DeviceWorker& worker, double left_s) {
  const std::chrono::duration<double> left(left_s);
  worker.end_by(std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(left));
}

bool decide(TuneContext& context) {
  const double held_out = held_out_s(context.options, product_s(context.journal.contents()));
  end_worker_by(context.worker, context.left_s() - held_out);
  return Decision(context).run();
}

}  // namespace tilewright
