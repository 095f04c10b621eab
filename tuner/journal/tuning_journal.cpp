#include "tuner/journal/tuning_journal.hpp"

#include <algorithm>
#include <chrono>

#include "tuner/journal/home_folder.hpp"
#include "tuner/journal/journal_lines.hpp"

namespace tilewright {
namespace {

// TrialStarted and TrialIdle are frequent, and have no time.
bool has_time(const JournalLine::What& what) {
  return !std::holds_alternative<TrialStarted>(what) && !std::holds_alternative<TrialIdle>(what);
}

}  // namespace

Clock session_clock() {
  return [begin = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
}

TuningJournal::TuningJournal(Journal journal, JournalContents contents, Clock clock)
    : journal_(std::move(journal)),
      contents_(std::move(contents)),
      clock_(std::move(clock)),
      spent_before_s_(contents_.spent_s),
      spent_on_before_s_(contents_.spent_on_s) {
  for (std::size_t i = 0; i < contents_.outcomes.size(); ++i) index(i);
}

double TuningJournal::now_s() const {
  return spent_before_s_ + clock_();
}

std::map<std::string, double> TuningJournal::session_s() const {
  std::map<std::string, double> spent = contents_.spent_on_s;
  for (const auto& [activity, s] : spent_on_before_s_) spent[activity] -= s;
  return spent;
}

void TuningJournal::index(std::size_t i) {
  const Outcome& outcome = contents_.outcomes[i];
  by_kernel_.emplace(outcome.kernel, i);
  spent_[outcome.task] += std::max(0.0, outcome.at_s - contents_.outcomes_since_s[i]);
  ++tried_[outcome.task];
  ++counts_[outcome.result];
}

void TuningJournal::append(JournalLine::What what, bool partial) {
  JournalLine line{std::move(what), 0.0, partial};
  const double at_s = now_s();
  if (auto* outcome = std::get_if<Outcome>(&line.what)) {
    contents_.kernels.insert(outcome->kernel);  // with what is known about it and not in the line
    outcome->at_s = at_s;
    // Messages of compilers contain paths, and people publish journals.
    outcome->reason = without_home(outcome->reason);
    outcome->build_log = without_home(outcome->build_log);
  } else if (has_time(line.what)) {
    line.at_s = at_s;
  }
  const std::size_t known = contents_.outcomes.size();
  const std::string text = format_line(line);
  journal_.append(text);
  apply(read_line(text), contents_);
  if (contents_.outcomes.size() > known) index(known);
}

void TuningJournal::append_time_spent(const char* activity) {
  constexpr double kMin_s = 0.5;
  if (now_s() - contents_.spent_s >= kMin_s) append(TimeSpent{activity});
}

const Outcome* TuningJournal::find(const KernelId& kernel) const {
  const auto found = by_kernel_.find(kernel);
  return found == by_kernel_.end() ? nullptr : &contents_.outcomes[found->second];
}

double TuningJournal::spent_in(const std::string& task) const {
  const auto found = spent_.find(task);
  return found == spent_.end() ? 0.0 : found->second;
}

int TuningJournal::tried_in(const std::string& task) const {
  const auto found = tried_.find(task);
  return found == tried_.end() ? 0 : found->second;
}

}  // namespace tilewright
