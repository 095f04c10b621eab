#include "tuner/tuning/tuning.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "profiles/base/printable.hpp"
#include "profiles/base/usage_error.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/decide.hpp"
#include "tuner/tuning/report/time_account.hpp"
#include "tuner/tuning/search_tasks.hpp"
#include "tuner/tuning/stages/before_search.hpp"
#include "tuner/tuning/stages/finals.hpp"
#include "tuner/tuning/stages/network_stage.hpp"
#include "tuner/tuning/stages/search_stage.hpp"
#include "tuner/tuning/stages/validation_stage.hpp"
#include "tuner/tuning/time_division.hpp"
#include "tuner/tuning/tuning_files.hpp"

namespace tilewright {
namespace {

class Tuning {
 public:
  Tuning(const TuneOptions& options, TuneProgress& progress)
      : progress_(progress),
        worker_(options.workers),
        compilers_(options.workers, worker_.facts(), options.compilers),
        options_(with_design(options, worker_.facts())),
        files_(tuning_files(options, worker_.facts())),
        tasks_((check_files(options_, files_, worker_.facts()),
                keep_design(options_, files_.journal), search_tasks(options_, worker_.facts()))),
        journal_(open_journal(options_, files_, make_header(options_, worker_.facts(), tasks_),
                              clock_)) {
    options_.other_profile = used_profile(worker_.facts().identity, files_.output);
  }

  TuneResult run();

 private:
  void quarantine_killers();
  void begin_session();
  bool measure_rates();
  bool search_and_decide();
  bool decide(bool with_finals);
  double choices_end_s() const;
  void end_worker_by(double end_s);
  int num_tried() const;
  double candidate_s() const;
  bool worth_searching(const SearchPeriod& period) const;
  TimeNeed time_need() const;
  std::string shortage(const std::string& missing) const;
  void note_short_budget() const;
  void finish(bool searched);
  void note_nothing_to_do() const;
  const MeasuredRates& rates() const { return *journal_.contents().rates; }

  TuneProgress& progress_;
  Clock clock_ = session_clock();
  DeviceWorker worker_;  // measures
  Compilers compilers_;
  TuneOptions options_;
  TuningFiles files_;
  std::vector<SearchTask> tasks_;
  TuningJournal journal_;
  TuneContext context_{worker_, journal_, options_, progress_};
  SearchStage searches_{context_, compilers_, tasks_};
};

// Kernels during which the board went down twice, in the search, the finals or on random products,
// are not tried a third time.
void Tuning::quarantine_killers() {
  const JournalStarts& starts = journal_.contents().starts;
  std::vector<Unfinished> all = starts.unfinished();
  for (Unfinished& later : starts.unfinished_finals()) all.push_back(std::move(later));
  for (const Unfinished& unfinished : all) {
    if (unfinished.deaths < kDeathsToQuarantine || unfinished.what == kMicroBenchmarks) continue;
    Outcome outcome;
    outcome.kernel = parse_kernel(unfinished.what);
    if (failed_later(journal_.contents().outcomes).contains(outcome.kernel)) continue;
    outcome.task = kQuarantine;
    outcome.result = unfinished.kind == WorkerActivityKind::kBuild ? OutcomeClass::kBuildCrash
                                                                   : OutcomeClass::kHang;
    outcome.reason =
        fmt::format("the machine crashed {} times while this kernel was tested", unfinished.deaths);
    journal_.append(Outcomes{std::move(outcome)});
    progress_.outcome(journal_.contents().outcomes.back());
  }
}

void Tuning::begin_session() {
  const std::size_t known = journal_.contents().outcomes.size();
  progress_.begin(worker_.facts(), files_.journal, known);
  for (const Outcome& outcome : journal_.contents().outcomes) progress_.outcome(outcome);
  if (!worker_.facts().clock_warning.empty()) progress_.note(worker_.facts().clock_warning);
  note_short_budget();
  quarantine_killers();
  journal_.append(Session{options_.command_line, boot_id(), utc_now(),
                          worker_.facts().identity.driver, worker_.facts().clock_governor});
  worker_.on_activity = [this](const WorkerActivity& activity) {
    journal_.append(TrialStarted{activity.what, activity.kind});
    progress_.working(context_.left_s());
  };
  compilers_.on_activity = [this](const WorkerActivity& activity) {
    journal_.append(TrialStarted{activity.what, activity.kind});
  };
  compilers_.on_built = [this](const KernelId& kernel) {
    journal_.append(TrialIdle{kernel.text()});
  };
}

bool Tuning::measure_rates() {
  if (!complete_rates(context_)) return false;
  progress_.rates(rates(), options_.precision, rates().partial);
  if (options_.measure.cold_caches && !rates().event_time) {
    throw UsageError(
        "--caches cold needs event timestamps, but those of this driver are unusable; tune with "
        "--caches warm");
  }
  options_.measure.event_time = options_.measure.event_time && rates().event_time;
  if (!options_.measure.event_time) {
    progress_.note(
        "kernels are timed with the host's clock, either because of --timer wall or because the "
        "driver's event timestamps are unusable");
  }
  return true;
}

// Returns the number of candidates of all searches.
int Tuning::num_tried() const {
  int tried = 0;
  for (const SearchTask& task : tasks_) tried += journal_.tried_in(task.name);
  return tried;
}

// Returns the mean time per candidate in seconds. If none was tried, the time that was not enough
// for one; 0 if there was none.
double Tuning::candidate_s() const {
  return journal_.contents().spent.on(kOnCandidates) / std::max(1, num_tried());
}

bool Tuning::worth_searching(const SearchPeriod& period) const {
  const bool counted = options_.candidates > 0 || options_.rounds > 0;
  return !counted && !searches_.exhausted() && is_worth_searching(period, candidate_s());
}

// If the finals end early because the winners are certain, the remaining time is used for further
// searches and finals.
bool Tuning::search_and_decide() {
  const JournalContents& contents = journal_.contents();
  SearchPeriod period{choices_end_s(), journal_.now_s(), search_share(options_)};
  period.lacks_candidates = searches_.lacks_candidates();
  period.start_s = contents.spent.on(kOnRates) + contents.spent.on(kOnBuiltIn);
  if (contents.complete) {
    period.decided_in_s = contents.spent.all_s - contents.finals.at_s;
    period.start_s = period.now_s;
  }
  bool again = !contents.complete || worth_searching(period);
  if (period.lacks_candidates) {
    if (!searches_.try_each_op(searches_end_s(period))) return false;
    period.lacks_candidates = false;
  }
  if (!measure_baseline(context_, options_.budget_s)) return false;
  while (true) {
    const std::size_t known = contents.outcomes.size();
    const double end_s = searches_end_s(period);
    searches_.set_weights(weights_by_gain(tasks_, contents));
    if (again && end_s > journal_.now_s() && !searches_.run(end_s)) return false;
    searches_.require_candidates();
    const double start_s = journal_.now_s();
    // Further finals change the choice, and the products that were held out do not describe the new
    // one. So finals that have ended are continued only if there is time to decide once more.
    const bool with_finals =
        again || needs_finalists(contents) || start_s + period.decided_in_s <= choices_end_s();
    if (!decide(with_finals)) return false;
    period.now_s = period.start_s = journal_.now_s();
    period.decided_in_s = period.now_s - start_s;
    again = contents.outcomes.size() > known && worth_searching(period);
    if (!again) break;
  }
  if (!is_validated(options_) || contents.finals.outcomes.empty()) return true;
  end_worker_by(options_.budget_s);
  return hold_out(context_, options_.budget_s);
}

// Returns the end of all that may change the choice of kernels, by what the products that are held
// out are expected to take.
double Tuning::choices_end_s() const {
  return options_.budget_s - held_out_s(options_, product_s(journal_.contents()));
}

// A kernel that hangs must not cost more than the time that is left.
void Tuning::end_worker_by(double end_s) {
  const std::chrono::duration<double> left(end_s - journal_.now_s());
  worker_.end_by(std::chrono::steady_clock::now() +
                 std::chrono::duration_cast<std::chrono::steady_clock::duration>(left));
}

// Selects kernels by finals (unless `with_finals` is false), validates the choice, and tries the
// chosen kernels with what networks need. If that takes less than its time, there is another
// validation or are further finals. Does not repeat what the journal contains. Returns false if a
// stop was requested. Throws NoUsableKernel.
bool Tuning::decide(bool with_finals) {
  const bool had_ended = journal_.contents().complete;
  end_worker_by(choices_end_s());
  const double end_s = choices_end_s();
  if (with_finals &&
      !hold_finals(context_, finals_end_s(options_, end_s, journal_.now_s()), end_s)) {
    return false;
  }
  if (!had_ended || options_.validate > 0) {
    const double now_s = journal_.now_s();
    if (!validate(context_, validation_times(options_, choices_end_s(), now_s))) return false;
  }
  const double networks_start_s = journal_.now_s();
  std::optional<std::string> missing = tune_for_networks(context_, choices_end_s());
  // If there was not enough time for networks, or none was reserved for them, there is none for
  // further finals. If the number of rounds is limited, it has been used.
  if (!missing && !had_ended && for_networks(options_) && options_.rounds == 0 &&
      !StopSignal::requested()) {
    const std::optional<double> until_s =
        further_finals_end_s(choices_end_s(), networks_start_s, journal_.now_s());
    if (until_s) {
      const bool continues = is_validated(options_) ? validate(context_, {*until_s, *until_s})
                                                    : hold_finals(context_, *until_s, *until_s);
      if (!continues) return false;
      missing = tune_for_networks(context_, choices_end_s());
    }
  }
  if (missing) progress_.note(*missing);
  return !StopSignal::requested();
}

TimeNeed Tuning::time_need() const {
  const JournalContents& known = journal_.contents();
  TimeNeed need;
  constexpr double kUsualBuiltIn_s = 1.0;  // to measure a built-in kernel
  need.fixed_s = known.spent.on(kOnRates) + known.spent.on(kOnBuiltIn) +
                 kUsualBuiltIn_s * static_cast<double>(unmeasured_built_in(known).size());
  need.candidate_s = candidate_s();
  need.ops = static_cast<int>(options_.ops.size());
  need.searches = static_cast<int>(tasks_.size());
  need.search_share = search_share(options_);
  need.budget_s = options_.budget_s;
  return need;
}

// Returns the message for an end before `missing` was done.
std::string Tuning::shortage(const std::string& missing) const {
  TimeNeed need = time_need();
  need.lacks_candidates = searches_.lacks_candidates();
  return shortage_text(missing, journal_.session_s(), need, same_command(options_));
}

// Prints what the tuning needs if its budget is probably too short for a profile.
void Tuning::note_short_budget() const {
  if (options_.candidates > 0 || !searches_.lacks_candidates()) return;
  const std::string text = too_short_text(time_need(), static_cast<int>(options_.shapes.size()));
  if (!text.empty()) progress_.note(text);
}

// Records the end of the tuning, or prints what is missing. `searched` is false if nothing was
// searched because an earlier session had reached the end; all searches had their turns then.
void Tuning::finish(bool searched) {
  std::vector<std::string> missing;
  if (searched) missing = searches_.missing();
  if (journal_.contents().finals.outcomes.empty()) missing.push_back("the finals");
  if (!missing.empty()) {
    progress_.note(shortage(fmt::format("{}", fmt::join(missing, ", "))));
    return;
  }
  journal_.append(TuningFinished{});
  const bool counted = options_.candidates > 0 || options_.known_only;
  if (!searched || counted || searches_.exhausted()) return;
  const std::string text = few_candidates_text(num_tried(), time_need());
  if (!text.empty()) progress_.note(text);
}

void Tuning::note_nothing_to_do() const {
  const bool by_time = options_.candidates == 0 && options_.rounds == 0 && !options_.known_only &&
                       !searches_.exhausted();
  progress_.note(by_time ? fmt::format("nothing to do: the budget of {:.4g} s is used up; give a "
                                       "larger --budget to continue",
                                       options_.budget_s)
                         : "nothing to do: the tuning has ended");
}

TuneResult Tuning::run() {
  TuneResult result;
  result.output = files_.output;
  result.journal = files_.journal;
  bool works = true;
  const JournalContents& contents = journal_.contents();
  const bool had_ended = contents.complete;
  const std::size_t known = contents.outcomes.size();
  const std::size_t known_products = contents.products.size();
  const std::size_t known_rounds = contents.finals.outcomes.size();
  const std::size_t known_packs = contents.packs.size();
  const double finals_s = contents.finals.at_s;
  try {
    begin_session();
    result.stopped =
        !(measure_rates() && measure_baseline(context_, built_in_end_s(options_.budget_s)) &&
          search_and_decide());
    const bool searched = !had_ended || contents.outcomes.size() > known;
    if (!result.stopped) finish(searched);
    if (!result.stopped && !searched && contents.products.size() == known_products &&
        contents.finals.outcomes.size() == known_rounds && contents.packs.size() == known_packs &&
        contents.finals.at_s == finals_s) {
      note_nothing_to_do();
    }
  } catch (const DeviceLost& lost) {
    result.failure = lost.what();
  } catch (const NothingTried& nothing) {
    result.failure = shortage(nothing.what());
    works = false;
  } catch (const NoUsableKernel& none) {
    result.failure = none.what();
    works = false;
  } catch (const JournalError& unwritable) {
    result.failure = unwritable.what();
  }
  result.complete = journal_.contents().complete;
  // Without candidates there is no profile: the library has the built-in kernels anyway.
  const std::vector<Outcome>& outcomes = journal_.contents().outcomes;
  const bool tried = std::any_of(outcomes.begin(), outcomes.end(), is_from_search);
  if (works && tried && can_choose(journal_.contents())) {
    result.profile = make_profile(journal_.contents(), options_.max_kernels, options_.command_line,
                                  options_.joins);
  }
  result.contents = journal_.contents();
  return result;
}

}  // namespace

TuneResult tune(const TuneOptions& options, TuneProgress& progress) {
  const StopSignal stop;
  return Tuning(options, progress).run();
}

}  // namespace tilewright
