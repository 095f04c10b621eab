#include "tuner/tuning/report/tune_progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/base/printable.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/shares.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/tuning/report/summary.hpp"

namespace tilewright {
namespace {

constexpr auto kRefresh = std::chrono::milliseconds(200);
constexpr auto kLineEvery = std::chrono::seconds(60);
constexpr const char* kFinalsStage = "finals";

std::string minutes(double seconds) {
  const int whole = static_cast<int>(std::max(0.0, seconds));
  return whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

TuneProgress::TuneProgress() : TuneProgress(write_to_terminal, is_live_terminal()) {}

TuneProgress::TuneProgress(Write write, bool terminal, Now now)
    : write_(write),
      live_(std::move(write)),
      terminal_(terminal),
      now_(std::move(now)),
      last_(now_()) {}

void TuneProgress::note(const std::string& text) {
  live_.clear();
  const std::string lines = printable_lines(text);
  // A command remains one line, so that it can be copied.
  const bool breaks = text.size() > kMaxColumns && text.rfind("next: ", 0) != 0 &&
                      text.find('\n') == std::string::npos;
  write_((breaks ? wrapped(lines, kMaxColumns, 2, true) : lines) + "\n");
}

// On a terminal, the line is updated often and at the start of every stage; otherwise every minute.
void TuneProgress::show(const std::string& stage, double left_s) {
  const auto now = now_();
  const bool due =
      terminal_ ? stage != stage_ || now - last_ >= kRefresh : now - last_ >= kLineEvery;
  stage_ = stage;
  if (!due) return;
  last_ = now;
  const std::string failures = failures_text(counts_);
  const std::string line = fmt::format("{}, ETA {}{}{}{}", done_, minutes(left_s), best_text(),
                                       failures.empty() ? "" : ", ", failures);
  if (terminal_) {
    live_.show(line);
  } else {
    write_(line + "\n");
  }
}

std::string TuneProgress::best_text() const {
  if (!(best_.gflops > 0.0)) return "";
  const std::string share =
      peak_gflops_ > 0.0
          ? fmt::format(" ({} % of peak)", percent_of_peak(best_.gflops, peak_gflops_))
          : "";
  return fmt::format(", best {:.1f} GFLOPS{} on {}", best_.gflops, share, to_text(best_.shape));
}

void TuneProgress::begin(const DeviceInfo& device, const std::string& journal,
                         std::size_t resumed) {
  if (device_notes) {
    for (const std::string& line : device_notes(device)) note(line);
  }
  note(fmt::format("tuning {} ({})", printable(device.identity.name),
                   printable(short_platform(device.identity.platform))));
  note(resumed > 0 ? fmt::format("resuming {}, which has {} results", journal, resumed)
                   : fmt::format("results are logged to {}", journal));
  stage("micro-benchmarks");
}

void TuneProgress::rates(const DeviceRates& rates, Precision precision, bool partial) {
  peak_gflops_ = product_peak(rates, precision);
  const auto figure = [&](double rate, const char* unit) {
    return rate > 0.0 ? fmt::format("{:.3g} {}", rate, unit)
                      : fmt::format("not measured{}", partial ? " (no time left)" : "");
  };
  note(fmt::format("peak {}; copies {}; launches {:.3g} us", figure(peak_gflops_, "GFLOPS"),
                   figure(rates.copy_gbytes_per_s, "GB/s"), rates.launch_ns / 1e3));
}

void TuneProgress::outcome(const Outcome& outcome) {
  ++counts_[outcome.result];
  if (outcome.task == kFused) return;  // it computes more than a product
  for (const ShapeSamples& samples : outcome.shapes) {
    if (samples.ns.empty()) continue;
    const double gflops = flops(samples.shape) / median_ns(samples);
    if (gflops > best_.gflops) best_ = {gflops, outcome.kernel, samples.shape};
  }
}

void TuneProgress::working(double left_s) {
  if (!done_.empty()) show(stage_, left_s);
}

void TuneProgress::search(const SearchProgress& progress, double left_s) {
  done_ = progress.expected > 0.0
              ? fmt::format("search ({}): {} of about {:.0f} candidates", progress.task,
                            progress.tried, std::max<double>(progress.tried, progress.expected))
              : fmt::format("{}: {} tried", progress.task, progress.tried);
  show(progress.task, left_s);
}

void TuneProgress::finals(const FinalsProgress& progress, double left_s) {
  const auto now = now_();
  if (stage_ != kFinalsStage) {
    finals_start_ = now;
    finals_start_share_ = progress.share;
  }
  const double since = progress.share - finals_start_share_;
  const std::chrono::duration<double> spent = now - finals_start_;
  const double left =
      since > 0.0 ? std::min(left_s, spent.count() / since * (1.0 - progress.share)) : left_s;
  done_ = fmt::format("finals: round {}, {} finalists on {}, {:.0f} % done", progress.round + 1,
                      progress.finalists, to_text(progress.shape), 100.0 * progress.share);
  show(kFinalsStage, left);
}

}  // namespace tilewright
