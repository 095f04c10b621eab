#include "tuner/tune_progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "profiles/printable.hpp"
#include "tuner/selection.hpp"
#include "tuner/shapes.hpp"
#include "tuner/spellings.hpp"

namespace tilewright {
namespace {

constexpr auto kRefresh = std::chrono::milliseconds(200);
constexpr auto kLineEvery = std::chrono::seconds(60);
constexpr std::size_t kLogLines = 6;  // of a build log

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
  return peak_gflops > 0.0 ? fmt::format(" ({:.0f} % of peak)", 100.0 * gflops / peak_gflops) : "";
}

std::string failures_text(const std::map<OutcomeClass, int>& counts) {
  std::string text;
  for (const auto& [result, count] : counts) {
    if (result != OutcomeClass::kOk) text += fmt::format(", {} {}", count, to_text(result));
  }
  return text;
}

// Candidates of the phase, and of how many where that is known; a minute; until when.
std::string done_text(const TuneObserver::State& state) {
  const std::string total =
      state.valid > 0.0 && state.valid < 1e5 ? fmt::format("/{:.0f}", state.valid) : std::string();
  const double a_minute =
      state.phase_spent_s > 0.0 ? 60.0 * state.tried / state.phase_spent_s : 0.0;
  return fmt::format("{} {}{} tried, {:.0f}/min, {} of {}", state.phase, state.tried, total,
                     a_minute, minutes(state.phase_spent_s), minutes(state.phase_budget_s));
}

std::size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
  return known ? size.ws_col : 80;
}

}  // namespace

TuneProgress::TuneProgress() : terminal_(isatty(STDERR_FILENO) != 0) {}

void TuneProgress::live(const std::string& text) {
  const std::string fitting = text.substr(0, terminal_width() - 1);
  const std::size_t padding = shown_ > fitting.size() ? shown_ - fitting.size() : 0;
  fmt::print(stderr, "\r{}{}", fitting, std::string(padding, ' '));
  std::fflush(stderr);
  shown_ = fitting.size();
}

void TuneProgress::line(const std::string& text) {
  if (shown_ > 0) live("");
  fmt::print(stderr, "{}{}\n", shown_ > 0 || terminal_ ? "\r" : "", text);
  shown_ = 0;
}

// On a terminal often; else at the begin of every phase, and every minute.
bool TuneProgress::is_due(const std::string& phase) {
  const auto now = std::chrono::steady_clock::now();
  const bool due = phase != phase_ || now - last_ >= (terminal_ ? kRefresh : kLineEvery);
  if (due) last_ = now;
  phase_ = phase;
  return due;
}

void TuneProgress::show(const std::string& text, bool due) {
  if (!due) return;
  if (terminal_) {
    live(text);
  } else {
    line(text);
  }
}

void TuneProgress::begin(const DeviceFacts& device, const std::string& journal,
                         std::size_t resumed) {
  line(fmt::format("tuning {} ({})", printable(device.identity.name),
                   printable(device.identity.platform)));
  line(resumed > 0 ? fmt::format("going on with {}, which holds {} candidates", journal, resumed)
                   : fmt::format("every outcome goes to {}", journal));
}

void TuneProgress::rates(const DeviceRates& rates) {
  line(fmt::format("{}; copies {:.3g} GB/s, a launch costs {:.3g} us", summary_of(rates),
                   rates.copy_gbytes_per_s, rates.launch_ns / 1e3));
}

void TuneProgress::candidate(const State& state) {
  const std::string best =
      state.best_gflops > 0.0
          ? fmt::format(", best {:.1f} GFLOPS{} {}", state.best_gflops,
                        share_of_peak(state.best_gflops, state.peak_gflops), state.best_kernel)
          : "";
  show(fmt::format("{}, ETA {}{}{}", done_text(state), minutes(state.total_left_s),
                   failures_text(state.failures), best),
       is_due(state.phase));
}

void TuneProgress::finals(const FinalsProgress& progress, double left_s) {
  show(fmt::format("finals: round {}, {} racers on {}, ETA {}", progress.round + 1, progress.racers,
                   to_text(progress.shape), minutes(left_s)),
       is_due("finals"));
}

void TuneProgress::summary(const JournalContents& contents, const Profile& profile) {
  const double peak = contents.rates ? contents.rates->peak_gflops : 0.0;
  const Standings standing = standings(contents);
  for (std::size_t i = 0; i < standing.problems.size(); ++i) {
    const auto& [op, shape] = standing.problems[i];
    const auto best = winner(standing, i);
    if (!best) {
      line(fmt::format("{} {}: nothing measured", to_text(op), to_text(shape)));
      continue;
    }
    const Way& way = standing.lineup.ways[*best];
    const WayTime& time = *standing.times[i][*best];
    const double gflops = flops(shape) / time.total_ns();
    line(fmt::format("{} {}: {:.1f} GFLOPS{} {}{}", to_text(op), to_text(shape), gflops,
                     share_of_peak(gflops, peak),
                     kernel_name(parse_point(standing.lineup.racers[way.product].point)),
                     time.pack_ns > 0.0 ? ", packing included" : ""));
  }
  const Portfolio portfolio = choose_portfolio(standing, 0);
  std::string curve;
  for (std::size_t i = 0; i < portfolio.curve.size(); ++i) {
    curve += fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", i + 1, 100.0 * portfolio.curve[i]);
  }
  if (!curve.empty()) line("kernels and share of the best possible: " + curve);
  line(fmt::format("{} kernels in the profile, {} candidates tried", profile.kernels.size(),
                   contents.outcomes.size()));
  failures(contents);
}

void TuneProgress::failures(const JournalContents& contents) {
  for (const OutcomeClass result : kOutcomeClasses) {
    if (result == OutcomeClass::kOk) continue;
    int count = 0;
    const Outcome* example = nullptr;
    for (const Outcome& outcome : contents.outcomes) {
      if (outcome.result != result) continue;
      if (count++ == 0) example = &outcome;
    }
    if (example == nullptr) continue;
    line(fmt::format("{} {}, for example {}: {}", count, to_text(result), example->point,
                     first_lines(example->reason, 1)));
    if (!example->build_log.empty()) line(first_lines(example->build_log, kLogLines));
  }
}

}  // namespace tilewright
