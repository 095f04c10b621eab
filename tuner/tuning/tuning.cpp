#include "tuner/tuning/tuning.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <span>

#include "codelets/space/emit.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/digest.hpp"
#include "profiles/version.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/search/shape_design.hpp"
#include "tuner/select/profile_join.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/decision.hpp"
#include "tuner/tuning/existing_output.hpp"
#include "tuner/tuning/output_name.hpp"
#include "tuner/tuning/same_file.hpp"
#include "tuner/tuning/search_gains.hpp"
#include "tuner/tuning/search_tasks.hpp"
#include "tuner/tuning/stages/final_stage.hpp"
#include "tuner/tuning/stages/rates_stage.hpp"
#include "tuner/tuning/stages/search_stage.hpp"
#include "tuner/tuning/stages/validation_stage.hpp"
#include "tuner/tuning/time_account.hpp"
#include "tuner/tuning/time_division.hpp"
#include "tuner/tuning/used_profile.hpp"

namespace tilewright {
namespace {

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
}

class Tuning {
 public:
  Tuning(const TuneOptions& options, TuneProgress& progress)
      : progress_(progress),
        worker_(options.workers),
        compilers_(open_compilers(options.workers, worker_.facts(), options.compilers)),
        options_(with_design(options, worker_.facts())),
        output_(options.output.empty() ? default_output(worker_.facts()) : options.output),
        journal_(options.journal.empty() ? output_ + options.journal_ending : options.journal),
        tasks_((check_files(), keep_design(), search_tasks(options_, worker_.facts()))),
        tuning_journal_(open_journal()) {
    options_.other_profile = used_profile(worker_.facts().identity, output_);
  }

  TuneResult run();

 private:
  void check_files() const;
  void keep_design();
  void check_output(const std::vector<Session>& sessions) const;
  TuningJournal open_journal();
  JournalHeader header() const;
  void quarantine_killers();
  void begin_session();
  bool measure_rates();
  bool search_and_decide();
  double candidate_s() const;
  bool worth_searching(const SearchPeriod& period) const;
  std::string what_is_missing(bool searched) const;
  TimeNeed time_need() const;
  void note_shortage(bool searched) const;
  const DeviceRates& rates() const { return *tuning_journal_.contents().rates; }

  TuneProgress& progress_;
  Clock clock_ = session_clock();
  DeviceWorker worker_;  // measures
  Compilers compilers_;
  TuneOptions options_;
  std::string output_;
  std::string journal_;
  std::vector<SearchTask> tasks_;
  TuningJournal tuning_journal_;
  MeasureOptions measure_ = options_.measure;
  SearchStage searches_{worker_, compilers_, tuning_journal_, options_, tasks_, progress_};
};

// Checks everything that can be checked before files are written.
void Tuning::check_files() const {
  if (is_same_file(output_, journal_)) {
    throw UsageError(
        fmt::format("--output and --journal are both {}; name two different files", output_));
  }
  if (!options_.replaces_joined) refuse_input("--output", output_, options_.inputs);
  refuse_input("--journal", journal_, options_.inputs);
  if (options_.precision == Precision::kDouble && !worker_.facts().has_double) {
    throw UsageError(fmt::format("--precision d: device '{}' does not support {}",
                                 worker_.facts().identity.name,
                                 required_extension(options_.precision)));
  }
  if (options_.only.contains("accumulate_k") && !worker_.facts().limits.half_arithmetic) {
    throw UsageError(fmt::format("--only accumulate_k: device '{}' does not support {}",
                                 worker_.facts().identity.name, kHalfArithmetic));
  }
  if (options_.joins) {
    if (const auto why = obstacle_to_join(*options_.joins, worker_.facts().identity)) {
      throw UsageError(
          fmt::format("--profile: cannot add to this profile on this device: {}", *why));
    }
  }
  if (std::filesystem::is_regular_file(output_) && looks_like_journal(output_)) {
    throw UsageError(fmt::format("--output: {} is a journal; name another file", output_));
  }
}

// A driver may report another clock or memory size after a reboot. A tuning continues with the
// shapes of its first session.
void Tuning::keep_design() {
  if (!options_.design || options_.fresh || !holds_journal(journal_)) return;
  const JournalHeader known = read_journal(journal_).header;
  const auto own = [](const std::vector<GemmShape>& shapes, std::size_t designed) {
    return std::span(shapes).first(shapes.size() - std::min(designed, shapes.size()));
  };
  if (known.seed != options_.seed || known.designed == 0 ||
      !std::ranges::equal(own(known.shapes, known.designed),
                          own(options_.shapes, options_.designed))) {
    return;
  }
  options_.shapes = known.shapes;
  options_.designed = known.designed;
}

JournalHeader Tuning::header() const {
  JournalHeader header;
  header.tool_version = kVersion;
  header.device = worker_.facts();
  header.ops = options_.ops;
  header.precision = options_.precision;
  header.shapes = options_.shapes;
  header.designed = options_.designed;
  std::string digests;
  for (const SearchTask& task : tasks_) digests += task.space->digest();
  header.space_digest = digest_bytes(digests);
  for (const auto& [name, values] : options_.only) {
    header.restrictions.push_back(fmt::format("{}={}", name, fmt::join(values, ",")));
  }
  header.seed = options_.seed;
  header.shard = options_.shard;
  header.shards = options_.shards;
  header.packed = options_.packed;
  header.b_prepacked = options_.b_prepacked;
  header.options = options_.measure;
  header.date = utc_now();
  return header;
}

// `sessions` are those of the tuning so far, one of which may have written the output.
void Tuning::check_output(const std::vector<Session>& sessions) const {
  if (options_.overwrite || options_.replaces_joined) return;
  refuse_to_replace(output_, sessions, worker_.facts().identity);
}

TuningJournal Tuning::open_journal() {
  const JournalHeader wanted = header();
  if (options_.fresh || !holds_journal(journal_)) {
    check_output(discarded_sessions(journal_, wanted, options_.command_line));
    JournalContents contents;
    contents.header = wanted;
    Journal journal =
        options_.fresh ? Journal::replace(journal_, wanted) : Journal::create(journal_, wanted);
    return {std::move(journal), std::move(contents), clock_};
  }
  JournalContents contents;
  Journal journal = Journal::open(journal_, contents);
  if (const auto what = difference(contents.header, wanted)) {
    throw JournalError(fmt::format(
        "{}: this journal belongs to another tuning: {}; start over with --fresh, or name another "
        "file with --journal",
        journal_, *what));
  }
  check_output(contents.sessions);
  return {std::move(journal), std::move(contents), clock_};
}

// Kernels during which the board went down twice, in the search, the finals or on random products,
// are not tried a third time.
void Tuning::quarantine_killers() {
  const JournalStarts& starts = tuning_journal_.contents().starts;
  std::vector<Unfinished> all = starts.unfinished();
  for (Unfinished& later : starts.unfinished_finals()) all.push_back(std::move(later));
  for (const Unfinished& unfinished : all) {
    if (unfinished.deaths < kDeathsToQuarantine || unfinished.what == kMicroBenchmarks) continue;
    Outcome outcome;
    outcome.kernel = parse_kernel(unfinished.what);
    if (failed_later(tuning_journal_.contents().outcomes).contains(outcome.kernel)) continue;
    outcome.task = kQuarantine;
    outcome.result = unfinished.kind == WorkerActivityKind::kBuild ? OutcomeClass::kBuildCrash
                                                                   : OutcomeClass::kHang;
    outcome.reason =
        fmt::format("the machine crashed {} times while this kernel was tested", unfinished.deaths);
    tuning_journal_.append(std::move(outcome));
    progress_.outcome(tuning_journal_.contents().outcomes.back());
  }
}

void Tuning::begin_session() {
  const std::size_t known = tuning_journal_.contents().outcomes.size();
  progress_.begin(worker_.facts(), journal_, known);
  for (const Outcome& outcome : tuning_journal_.contents().outcomes) progress_.outcome(outcome);
  if (!worker_.facts().clock_warning.empty()) progress_.note(worker_.facts().clock_warning);
  quarantine_killers();
  tuning_journal_.append(Session{options_.command_line, boot_id(), utc_now(),
                                 worker_.facts().identity.driver, worker_.facts().clock_governor});
  worker_.on_activity = [this](const WorkerActivity& activity) {
    tuning_journal_.append(TrialStarted{activity.what, activity.kind});
    progress_.working(options_.budget_s - tuning_journal_.now_s());
  };
  for (const auto& compiler : compilers_) compiler->on_activity = worker_.on_activity;
}

bool Tuning::measure_rates() {
  if (!complete_rates(worker_, tuning_journal_, options_, progress_)) return false;
  progress_.rates(rates(), options_.precision, tuning_journal_.contents().partial_rates);
  if (measure_.cold_caches && !rates().event_time) {
    throw UsageError(
        "--caches cold needs event timestamps, but those of this driver are unusable; tune with "
        "--caches warm");
  }
  measure_.event_time = measure_.event_time && rates().event_time;
  if (!measure_.event_time) {
    progress_.note(
        "kernels are timed with the host's clock, either because of --timer wall or because the "
        "driver's event timestamps are unusable");
  }
  return true;
}

// Returns the mean time per candidate in seconds; 0 if it is not known yet.
double Tuning::candidate_s() const {
  int tried = 0;
  for (const SearchTask& task : tasks_) tried += tuning_journal_.tried_in(task.name);
  return tried > 0 ? spent_on(tuning_journal_.contents().spent_on_s, kOnCandidates) / tried : 0.0;
}

bool Tuning::worth_searching(const SearchPeriod& period) const {
  const bool counted = options_.candidates > 0 || options_.rounds > 0;
  return !counted && !searches_.exhausted() && is_worth_searching(period, candidate_s());
}

// If the finals end early because the winners are certain, the remaining time is used for further
// searches and finals.
bool Tuning::search_and_decide() {
  const JournalContents& contents = tuning_journal_.contents();
  SearchPeriod period{options_.budget_s - held_out_s(options_, contents), tuning_journal_.now_s(),
                      search_share(options_)};
  period.start_s =
      spent_on(contents.spent_on_s, kOnRates) + spent_on(contents.spent_on_s, kOnBuiltIn);
  if (contents.complete) {
    period.decided_in_s = contents.spent_s - contents.lineup_at_s;
    period.start_s = period.now_s;
  }
  bool again = !contents.complete || worth_searching(period);
  while (true) {
    const std::size_t known = contents.outcomes.size();
    const double end_s = searches_end_s(period);
    searches_.set_weights(weights_by_gain(tasks_, contents));
    if (again && end_s > tuning_journal_.now_s() && !searches_.run(measure_, end_s)) return false;
    const double start_s = tuning_journal_.now_s();
    if (!decide(worker_, tuning_journal_, options_, measure_, progress_)) return false;
    period.now_s = period.start_s = tuning_journal_.now_s();
    period.decided_in_s = period.now_s - start_s;
    again = contents.outcomes.size() > known && worth_searching(period);
    if (!again) break;
  }
  if (!is_validated(options_) || contents.rounds.empty()) return true;
  end_worker_by(worker_, options_.budget_s - tuning_journal_.now_s());
  return hold_out(worker_, tuning_journal_, options_, progress_, options_.budget_s);
}

// Returns what there was no time for; "" if there is nothing. `searched` is false if nothing was
// searched because an earlier session had reached the end; all searches had their turns then.
std::string Tuning::what_is_missing(bool searched) const {
  std::vector<std::string> missing;
  if (searched) missing = searches_.missing();
  if (tuning_journal_.contents().rounds.empty()) missing.push_back("the finals");
  return fmt::format("{}", fmt::join(missing, ", "));
}

TimeNeed Tuning::time_need() const {
  const JournalContents& known = tuning_journal_.contents();
  TimeNeed need;
  need.fixed_s = spent_on(known.spent_on_s, kOnRates) + spent_on(known.spent_on_s, kOnBuiltIn);
  need.candidate_s = candidate_s();
  need.searches = static_cast<int>(tasks_.size());
  need.search_share = search_share(options_);
  need.budget_s = options_.budget_s;
  return need;
}

// Prints what there was no time for, or that few candidates were tried. `searched` is as for
// what_is_missing().
void Tuning::note_shortage(bool searched) const {
  const std::string missing = what_is_missing(searched);
  if (!missing.empty()) {
    progress_.note(shortage_text(missing, tuning_journal_.session_s(), time_need()));
    return;
  }
  int tried = 0;
  for (const SearchTask& task : tasks_) tried += tuning_journal_.tried_in(task.name);
  const bool counted = options_.candidates > 0 || options_.strategy == StrategyKind::kKnown;
  if (!searched || counted || searches_.exhausted()) return;
  if (const std::string text = few_candidates_text(tried, time_need()); !text.empty()) {
    progress_.note(text);
  }
}

TuneResult Tuning::run() {
  TuneResult result;
  result.output = output_;
  result.journal = journal_;
  bool works = true;
  const bool had_ended = tuning_journal_.contents().complete;
  const std::size_t known = tuning_journal_.contents().outcomes.size();
  try {
    begin_session();
    result.stopped =
        !(measure_rates() && searches_.measure_built_in(measure_) && search_and_decide());
    const bool searched = !had_ended || tuning_journal_.contents().outcomes.size() > known;
    if (!result.stopped) {
      if (what_is_missing(searched).empty()) tuning_journal_.append(TuningFinished{});
      note_shortage(searched);
    }
  } catch (const DeviceLost& lost) {
    result.failure = lost.what();
  } catch (const NothingTried& nothing) {
    result.failure = shortage_text(nothing.what(), tuning_journal_.session_s(), time_need());
    works = false;
  } catch (const NoUsableKernel& none) {
    result.failure = none.what();
    works = false;
  } catch (const JournalError& unwritable) {
    result.failure = unwritable.what();
  }
  result.complete = tuning_journal_.contents().complete;
  // Without candidates there is no profile: the library has the built-in kernels anyway.
  const std::vector<Outcome>& outcomes = tuning_journal_.contents().outcomes;
  const bool tried = std::any_of(outcomes.begin(), outcomes.end(), is_from_search);
  if (works && tried && can_choose(tuning_journal_.contents())) {
    result.profile = make_profile(tuning_journal_.contents(), options_.max_kernels,
                                  options_.command_line, options_.joins);
  }
  result.contents = tuning_journal_.contents();
  return result;
}

}  // namespace

TuneResult tune(const TuneOptions& options, TuneProgress& progress) {
  const StopSignal stop;
  return Tuning(options, progress).run();
}

}  // namespace tilewright
