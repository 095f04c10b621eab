#include "tuner/process/worker_loss.hpp"

#include <fmt/format.h>

#include "profiles/base/printable.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/process/worker_lines.hpp"

namespace tilewright {
namespace {

// Returns the end of a text on one line.
std::string tail(const std::string& text, std::size_t most) {
  const std::size_t last = text.find_last_not_of(" \n");
  if (last == std::string::npos) return "";
  const std::size_t begin = last + 1 > most ? last + 1 - most : 0;
  return printable(text.substr(begin, last + 1 - begin));
}

// Returns a sentence such as "the worker died of SIGSEGV while it was building 'P'".
std::string sentence(const WorkerLost& lost, const std::string& name) {
  std::string text = "the worker " + lost.how;
  switch (lost.activity.kind) {
    case WorkerActivityKind::kStart:
      text += " before it started the request";
      break;
    case WorkerActivityKind::kBuild:
      text += " while it was building";
      break;
    case WorkerActivityKind::kLaunch:
      text += " while it was launching";
      break;
  }
  if (!lost.activity.what.empty() && lost.activity.what != name) text += " " + lost.activity.what;
  return text;
}

bool is_wrong_result(const std::exception_ptr& error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const WrongResult&) {
    return true;
  } catch (const std::exception&) {
    return false;
  }
  return false;
}

OutcomeClass to_outcome_class(const WorkerLost& lost) {
  if (is_wrong_result(lost.error)) return OutcomeClass::kWrong;
  switch (lost.activity.kind) {
    case WorkerActivityKind::kLaunch:
      return lost.overstayed ? OutcomeClass::kHang : OutcomeClass::kLaunch;
    case WorkerActivityKind::kBuild:
      return lost.error ? OutcomeClass::kBuild : OutcomeClass::kBuildCrash;
    case WorkerActivityKind::kStart:
      break;
  }
  // The worker was lost twice in a row with a health check in between, so the candidate is the
  // cause, not the environment.
  return lost.error ? OutcomeClass::kLaunch : OutcomeClass::kBuildCrash;
}

}  // namespace

std::string last_words_sentence(const std::string& last_words) {
  const std::string end = tail(last_words, 400);
  return end.empty() ? "" : fmt::format(" Its last output: '{}'", end);
}

void set_loss(const WorkerLost& lost, Outcome& outcome) {
  outcome.result = to_outcome_class(lost);
  outcome.reason = sentence(lost, outcome.label());
  if (outcome.result == OutcomeClass::kBuildCrash) {
    outcome.build_log = valid_utf8(lost.last_words);
  } else if (const std::string words = tail(lost.last_words, 300); !words.empty()) {
    outcome.reason += "; its last output: " + words;
  }
}

}  // namespace tilewright
