#include "tuner/tuning/tune_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "profiles/printable.hpp"
#include "tuner/doctor/this_machine.hpp"
#include "tuner/finals/baseline.hpp"
#include "tuner/finals/blocks.hpp"
#include "tuner/finals/distribution.hpp"
#include "tuner/finals/model_fit.hpp"
#include "tuner/finals/selection.hpp"
#include "tuner/records/forms.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/shares.hpp"
#include "tuner/tuning/time_account.hpp"

namespace tilewright {
namespace {

constexpr auto kRefresh = std::chrono::milliseconds(200);
constexpr auto kLineEvery = std::chrono::seconds(60);
constexpr std::size_t kLogLines = 6;  // of a build log
constexpr std::size_t kTableShapes = 8;

std::string minutes(double seconds) {
  const int whole = static_cast<int>(std::max(0.0, seconds));
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

// Of what a driver wrote: as it is it could move the cursor, or worse.
std::string first_lines(const std::string& text, std::size_t count) {
  std::string lines;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < count && begin < text.size(); ++i) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (i > 0) lines += '\n';
    lines += printable(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string share_of_peak(double gflops, double peak_gflops) {
  return peak_gflops > 0.0 ? fmt::format(" ({} % of peak)", percent_of_peak(gflops, peak_gflops))
                           : "";
}

std::string failures_text(const std::map<OutcomeClass, int>& counts) {
  std::string text;
  for (const auto& [result, count] : counts) {
    if (result != OutcomeClass::kOk) text += fmt::format(", {} {}", count, to_text(result));
  }
  return text;
}

std::string beside_text(const Beside::Cost& beside) {
  if (!beside.adds_up) return beside.packs > 0 ? ", packing included" : "";
  return beside.packs > 0 ? ", packing and adding up included" : ", adding up included";
}

// "9 kernels: 4 gemm, 3 pack, 2 activation".
std::string kernels_text(const Profile& profile) {
  std::map<Role, int> roles;
  for (const KernelRecord& kernel : profile.kernels) ++roles[kernel.role];
  std::string text = fmt::format("{} kernels", profile.kernels.size());
  const char* separator = ": ";
  for (const auto& [role, count] : roles) {
    text += fmt::format("{}{} {}", std::exchange(separator, ", "), count, to_text(role));
  }
  return text;
}

// How many times as fast as the built-in kernel, where that was measured.
std::string times_baseline(const JournalContents& contents, const Standings& standing,
                           std::size_t problem, const PlanTime& best) {
  const Op op = standing.problems[problem].op;
  const std::vector<KernelId> baselines = working_built_in(
      contents.outcomes, op, contents.header.device.limits, contents.header.precision);
  for (std::size_t plan = 0; plan < standing.lineup.plans.size(); ++plan) {
    const auto& time = standing.times[problem][plan];
    const bool is_baseline =
        std::count(baselines.begin(), baselines.end(), standing.kernel(plan)) > 0;
    if (!time || !is_baseline) continue;
    return fmt::format(", {:.2f} x built-in", speed_ratio(best.total_ns(), time->total_ns()));
  }
  return ", built-in not measured";
}

// Candidates of the phase, and of how many where that is known; a minute; until when.
std::string done_text(const TuneObserver::State& state) {
  const std::string total =
      state.valid > 0.0 && state.valid < 1e5 ? fmt::format("/{:.0f}", state.valid) : std::string();
  if (!(state.phase_budget_s > 0.0)) return fmt::format("{} {} tried", state.phase, state.tried);
  const double a_minute =
      state.phase_spent_s > 0.0 ? 60.0 * state.tried / state.phase_spent_s : 0.0;
  return fmt::format("{} {}{} tried, {:.0f}/min, {} of {}", state.phase, state.tried, total,
                     a_minute, minutes(state.phase_spent_s), minutes(state.phase_budget_s));
}

// The same for a line a minute, which stands alone: of the whole search.
std::string all_done_text(const TuneObserver::State& state) {
  if (!(state.all_expected > 0.0)) return fmt::format("{}: {} tried", state.phase, state.tried);
  return fmt::format("search ({}): {} of about {:.0f} candidates tried", state.phase,
                     state.all_tried, std::max<double>(state.all_tried, state.all_expected));
}

// "" where the profile has results for all operand combinations that a caller can ask for.
std::string untuned_text(const Profile& profile) {
  std::vector<std::string_view> missing;
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    const bool tuned = std::any_of(profile.results.begin(), profile.results.end(),
                                   [&](const ShapeResult& result) { return result.op == op; });
    if (!tuned) missing.push_back(to_text(op));
  }
  if (missing.empty()) return "";
  return fmt::format(
      "not tuned: {0}. Products of {0} use kernels that were not tried for them; --ops nn,nt,tn "
      "tunes all",
      fmt::join(missing, ", "));
}

// Samples that count though the clock changed during them, for want of better ones.
std::size_t moved_samples(const JournalContents& contents) {
  const auto moved = [](const ClockPair& clocks) { return clocks[0] != clocks[1]; };
  std::size_t count = 0;
  for (const Outcome& outcome : contents.outcomes) {
    for (const ShapeSamples& samples : outcome.shapes) {
      count += static_cast<std::size_t>(
          std::count_if(samples.clocks_hz.begin(), samples.clocks_hz.end(), moved));
    }
  }
  for (const Round& round : contents.rounds) {
    for (const auto& [finalist, clocks] : round.clocks_hz) count += moved(clocks) ? 1 : 0;
  }
  return count;
}

// Kernels do not suffer alike from what slows a machine down, so finals that it met say less.
// Empty: it did not.
std::string disturbance_text(const JournalContents& contents) {
  constexpr double kMuch = 0.1;
  double most = 0.0;
  GemmShape where;
  for (const GemmShape& shape : contents.header.shapes) {
    const double slower = usual_slow_down(contents.rounds, shape);
    if (slower > most) where = shape;
    most = std::max(most, slower);
  }
  if (most < kMuch) return "";
  return fmt::format(
      "in half of the finals on {} everything took {:.0f} % longer or more than in their fastest "
      "tenth: other kernels may be the best when the device is calm; stop what else runs, pin the "
      "clock, and tune again (--fresh)",
      to_text(where), 100.0 * most);
}

// Seconds until the end, at most: a space that will be used up sooner leaves its time to others.
double eta_s(const TuneObserver::State& state) {
  const double phase_left_s = state.phase_budget_s - state.phase_spent_s;
  if (!(state.valid > 0.0) || state.tried == 0 || !(phase_left_s > 0.0)) return state.total_left_s;
  // Late neighbours are tried beside what counts as valid.
  const double needed_s =
      std::max(0.0, state.valid - state.tried) * state.phase_spent_s / state.tried;
  if (!state.is_last || needed_s >= phase_left_s) return state.total_left_s;
  return needed_s + std::max(0.0, state.total_left_s - phase_left_s);
}

}  // namespace

TuneProgress::TuneProgress() : TuneProgress(write_to_terminal, is_live_terminal()) {}

void TuneProgress::line(const std::string& text) {
  live_.clear();
  write_(printable_lines(text) + "\n");
}

// On a terminal often, and at the start of every phase; else every minute.
bool TuneProgress::is_due(const std::string& phase) {
  const auto now = now_();
  const bool due =
      terminal_ ? phase != phase_ || now - last_ >= kRefresh : now - last_ >= kLineEvery;
  if (due) last_ = now;
  phase_ = phase;
  return due;
}

void TuneProgress::show(const std::string& text, bool due) {
  if (!due) return;
  if (terminal_) {
    std::vector<std::string> lines{text};
    lines.insert(lines.end(), table_.begin(), table_.end());
    live_.show(lines);
  } else {
    line(text);
  }
}

void TuneProgress::begin(const DeviceInfo& device, const std::string& journal,
                         std::size_t resumed) {
  for (const Finding& finding : told_before_tuning(findings_, device)) {
    line(fmt::format("{}: {}{}{}", to_text(finding.state), finding.seen,
                     finding.advice.empty() ? "" : "\n  -> ", finding.advice));
  }
  line(fmt::format("tuning {} ({})", printable(device.identity.name),
                   printable(device.identity.platform)));
  line(resumed > 0 ? fmt::format("going on with {}, which holds {} outcomes", journal, resumed)
                   : fmt::format("every outcome goes to {}", journal));
}

void TuneProgress::rates(const DeviceRates& rates, Precision precision, bool partial) {
  const char* none = partial ? "not measured: no time" : "not measured";
  const bool copies = rates.copy_gbytes_per_s > 0.0;
  line(fmt::format("{}; copies {}, a launch costs {:.3g} us",
                   rates.multiply_adds.empty() ? fmt::format("multiply-adds {}", none)
                                               : summary_of(rates, precision),
                   copies ? fmt::format("{:.3g} GB/s", rates.copy_gbytes_per_s) : none,
                   rates.launch_ns / 1e3));
}

void TuneProgress::candidate(const State& state) {
  const std::string best = state.best_gflops > 0.0
                               ? fmt::format(", best {:.1f} GFLOPS{} on {} {}", state.best_gflops,
                                             share_of_peak(state.best_gflops, state.peak_gflops),
                                             to_text(state.best_shape), state.best_kernel)
                               : "";
  found_ = failures_text(state.failures) + best;
  const bool due = is_due(state.phase);
  if (due && terminal_) table_ = state.best.table(kTableShapes, state.peak_gflops);
  done_ = terminal_ ? done_text(state) : all_done_text(state);
  show(fmt::format("{}, ETA {}{}", done_, minutes(eta_s(state)), found_), due);
}

void TuneProgress::finals(const FinalsProgress& progress, double left_s) {
  const auto now = now_();
  if (phase_ != "finals") {
    finals_begin_ = now;
    finals_begin_share_ = progress.share;
  }
  const double since = progress.share - finals_begin_share_;
  const std::chrono::duration<double> spent = now - finals_begin_;
  const double left =
      since > 0.0 ? std::min(left_s, spent.count() / since * (1.0 - progress.share)) : left_s;
  done_ = fmt::format("finals: round {}, {} finalists on {}, {:.0f} % done", progress.round + 1,
                      progress.finalists, to_text(progress.shape), 100.0 * progress.share);
  show(fmt::format("{}, ETA {}{}", done_, minutes(left), found_), is_due("finals"));
}

// Stages that report no candidates (packs, kernels for networks) may take longer than a minute.
void TuneProgress::working(double left_s) {
  if (terminal_ || done_.empty() || !is_due(phase_)) return;
  show(fmt::format("{}, ETA {}{}", done_, minutes(left_s), found_), true);
}

void TuneProgress::summary(const JournalContents& contents, const Profile& profile,
                           const SearchTime& search) {
  const Precision precision = contents.header.precision;
  const double peak = peak_of(profile.rates, precision);
  const Standings standing = standings(contents);
  for (std::size_t i = 0; i < standing.problems.size(); ++i) {
    const Op op = standing.problems[i].op;
    const GemmShape& shape = standing.problems[i].shape;
    const auto best = winner(standing, i);
    if (!best) {
      line(fmt::format("{} {}: nothing measured", to_text(op), to_text(shape)));
      continue;
    }
    const PlanTime& time = *standing.times[i][*best];
    const double gflops = flops(shape) / time.total_ns();
    line(fmt::format("{} {}: {:.1f} GFLOPS{}{} {}{}", to_text(op), to_text(shape), gflops,
                     share_of_peak(gflops, peak), times_baseline(contents, standing, i, time),
                     kernel_name(standing.kernel(*best).point()), beside_text(time.beside)));
  }
  if (is_raised_peak(profile.rates, precision)) {
    line(fmt::format(
        "peak: {:.4g} GFLOPS, of the fastest kernel, which passed the micro-benchmarks: a "
        "lower bound of what the device can do",
        peak));
  }
  const Portfolio portfolio = portfolio_of(contents, standing, 0);
  std::string curve;
  for (std::size_t i = 0; i < portfolio.curve.size(); ++i) {
    curve +=
        fmt::format("{}{:.1f} % with {}", i == 0 ? "" : ", ", 100.0 * portfolio.curve[i], i + 1);
  }
  if (!curve.empty()) {
    line(fmt::format(
        "of the speed of the fastest finalist on each shape{} (geometric mean): {} product "
        "kernel{}",
        contents.header.designed > 0 ? ", measured or predicted" : "", curve,
        portfolio.curve.size() == 1 ? "" : "s"));
  }
  if (const double error = typical_error(profile.models); error > 0.0) {
    line(fmt::format(
        "models of kernels: on shapes that were left out {:.0f} % off (the middle kernel)",
        100.0 * std::expm1(error)));
  }
  // Networks multiply in one way only.
  const std::string untuned = contents.header.b_prepacked ? "" : untuned_text(profile);
  if (!untuned.empty()) line(untuned);
  if (const std::string doubt = disturbance_text(contents); !doubt.empty()) line(doubt);
  const auto tried =
      std::count_if(contents.outcomes.begin(), contents.outcomes.end(), is_of_search);
  line(fmt::format("{} candidates tried{}; in the profile: {}", tried,
                   tried == search.candidates
                       ? ""
                       : fmt::format(", {} of them in this session", search.candidates),
                   kernels_text(profile)));
  if (const std::string account = search_account(search); !account.empty()) line(account);
  failures(contents);
}

// Of a class the first candidate that has a build log, or else the first.
void TuneProgress::failures(const JournalContents& contents) {
  for (const OutcomeClass result : kOutcomeClasses) {
    if (result == OutcomeClass::kOk) continue;
    int count = 0;
    const Outcome* example = nullptr;
    for (const Outcome& outcome : contents.outcomes) {
      if (outcome.result != result || outcome.phase == kPacking) continue;  // those are told below
      ++count;
      const bool better = example != nullptr && example->build_log.empty();
      if (example == nullptr || (better && !outcome.build_log.empty())) example = &outcome;
    }
    if (example == nullptr) continue;
    line(fmt::format("{} {}, for example {}: {}", count, to_text(result), example->kernel.text(),
                     first_lines(example->reason, 1)));
    if (!example->build_log.empty()) line(first_lines(example->build_log, kLogLines));
  }
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.phase != kPacking) continue;
    line(fmt::format("left out: {}: {}", outcome.kernel.text(), first_lines(outcome.reason, 1)));
  }
  for (const auto& [finalist, reason] : contents.finalist_failures) {
    line(fmt::format("left the finals: {}: {}", contents.lineup->finalists[finalist].text(),
                     first_lines(reason, 1)));
  }
  if (const std::size_t moved = moved_samples(contents)) {
    line(
        fmt::format("during {} samples that count the clock changed, ten times in a row: their "
                    "figures are doubtful; pin the clock (docs/tune-your-board.md)",
                    moved));
  }
}

}  // namespace tilewright
