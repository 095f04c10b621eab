// Formats the failures of a tuning.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "profiles/base/printable.hpp"
#include "tuner/tuning/report/summary.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kLogLines = 6;  // maximum number of lines of a build log

// Returns the first lines of a driver's message, escaped, because it may contain control
// characters.
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

// Returns the number of samples that are used although the clock changed during them, because there
// were no better ones.
std::size_t moved_samples(const JournalContents& contents) {
  const auto moved = [](const ClockPair& clocks) { return clocks[0] != clocks[1]; };
  std::size_t count = 0;
  for (const auto* outcomes : {&contents.outcomes, &contents.finals.outcomes}) {
    for (const Outcome& outcome : *outcomes) {
      for (const ShapeSamples& samples : outcome.shapes) {
        count += static_cast<std::size_t>(
            std::count_if(samples.clocks_hz.begin(), samples.clocks_hz.end(), moved));
      }
    }
  }
  return count;
}

}  // namespace

std::string failures_text(const std::map<OutcomeClass, int>& counts) {
  std::string text;
  for (const auto& [result, count] : counts) {
    if (result == OutcomeClass::kOk) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_text(result));
  }
  return text;
}

// Returns lines about each class of failures with an example: the first candidate of the class that
// has a build log, or the first candidate if none has.
std::vector<std::string> failure_lines(const JournalContents& contents) {
  std::vector<std::string> lines;
  for (const OutcomeClass result : kOutcomeClasses) {
    if (result == OutcomeClass::kOk) continue;
    int count = 0;
    const Outcome* example = nullptr;
    for (const Outcome& outcome : contents.outcomes) {
      // Failures on random products are listed below.
      if (outcome.result != result || outcome.task == kValidating) continue;
      ++count;
      const bool better = example != nullptr && example->build_log.empty();
      if (example == nullptr || (better && !outcome.build_log.empty())) example = &outcome;
    }
    if (example == nullptr) continue;
    lines.push_back(fmt::format("{} {}, for example {}: {}", count, to_text(result),
                                example->kernel.text(), first_lines(example->reason, 1)));
    if (!example->build_log.empty()) lines.push_back(first_lines(example->build_log, kLogLines));
  }
  const auto add = [&](const char* what, const KernelId& kernel, const std::string& reason) {
    lines.push_back(fmt::format("{}: {}: {}", what, kernel.text(), first_lines(reason, 1)));
  };
  for (const Outcome& outcome : contents.packs) {
    if (is_crash(outcome.result)) add("cannot be used", outcome.kernel, outcome.reason);
  }
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.task != kValidating) continue;
    add("failed on a random product", outcome.kernel, outcome.reason);
  }
  const std::set<KernelId> failed = failed_later(contents.outcomes);
  for (const auto& [kernel, reason] : failed_finalists(contents)) {
    if (!failed.contains(kernel)) add("failed in the finals", kernel, reason);
  }
  return lines;
}

std::string moved_clock_text(const JournalContents& contents) {
  const std::size_t moved = moved_samples(contents);
  if (moved == 0) return "";
  return fmt::format(
      "the clock changed during {} samples, although each was repeated ten times, so these results "
      "are unreliable; pin the clock (docs/tune-your-board.md in the sources)",
      moved);
}

}  // namespace tilewright
