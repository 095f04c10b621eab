#include "tuner/tune_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tuner/shapes.hpp"

namespace tilewright {
namespace {

constexpr auto kRefresh = std::chrono::milliseconds(200);

std::string minutes(double seconds) {
  const int whole = static_cast<int>(std::max(0.0, seconds));
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

TuneProgress::TuneProgress() : terminal_(isatty(STDERR_FILENO) != 0) {}

void TuneProgress::live(const std::string& text) {
  const std::size_t padding = shown_ > text.size() ? shown_ - text.size() : 0;
  fmt::print(stderr, "\r{}{}", text, std::string(padding, ' '));
  std::fflush(stderr);
  shown_ = text.size();
}

void TuneProgress::line(const std::string& text) {
  if (shown_ > 0) live("");
  fmt::print(stderr, "{}{}\n", shown_ > 0 || terminal_ ? "\r" : "", text);
  shown_ = 0;
}

void TuneProgress::candidate(const State& state) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - last_ < kRefresh) return;
  last_ = now;
  live(fmt::format("{} {} points tried, {} of {}, best {:.1f} GFLOPS {}, {} left in all",
                   to_text(state.op), state.tried, minutes(state.op_elapsed_s),
                   minutes(state.op_budget_s), state.best_gflops, state.best_kernel,
                   minutes(state.total_left_s)));
}

void TuneProgress::finals(Op op, std::size_t finalists) {
  if (terminal_) live(fmt::format("{} finals between {} candidates", to_text(op), finalists));
}

void TuneProgress::winner(Op op, const GemmShape& shape, const ShapeResult& result) {
  line(fmt::format("{} {}: {:.1f} GFLOPS ({:.1f} to {:.1f}, {} samples) {}", to_text(op),
                   to_text(shape), result.gflops, flops(shape) / result.high_ns,
                   flops(shape) / result.low_ns, result.samples, result.kernel));
}

void TuneProgress::failures(Op op, const std::map<Stage, std::pair<int, std::string>>& failures) {
  for (const auto& [stage, failure] : failures) {
    line(fmt::format("{} {} candidates failed ({}), for example: {}", to_text(op), failure.first,
                     to_text(stage), first_line(failure.second)));
  }
}

}  // namespace tilewright
