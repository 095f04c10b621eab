#include "tuner/journal/tuning_journal.hpp"

#include <algorithm>
#include <chrono>

#include "tuner/journal/home_folder.hpp"
#include "tuner/journal/journal_lines.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace tilewright {
Clock session_clock() {
  return [begin = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
}

TuningJournal::TuningJournal(Journal journal, JournalContents contents, Clock clock)
    : journal_(std::move(journal)),
      contents_(std::move(contents)),
      clock_(std::move(clock)),
      spent_before_(contents_.spent) {
  index_from(0);
}

double TuningJournal::now_s() const {
  return spent_before_.all_s + clock_();
}

std::map<std::string, double> TuningJournal::session_s() const {
  std::map<std::string, double> spent = contents_.spent.by_activity_s;
  for (const auto& [activity, s] : spent_before_.by_activity_s) spent[activity] -= s;
  return spent;
}

void TuningJournal::index_from(std::size_t first) {
  for (std::size_t i = first; i < contents_.outcomes.size(); ++i) {
    const Outcome& outcome = contents_.outcomes[i];
    by_kernel_.emplace(outcome.kernel, i);
    spent_[outcome.task] += std::max(0.0, outcome.at_s - outcome.since_s);
    ++tried_[outcome.task];
  }
}

void TuningJournal::append(JournalRecord record) {
  const std::lock_guard lock(mutex_);
  if (auto* outcomes = std::get_if<Outcomes>(&record)) {
    if (outcomes->empty()) return;
    for (Outcome& outcome : *outcomes) {
      contents_.kernels.insert(outcome.kernel);  // with what is known about it and not in the line
      // Messages of compilers contain paths, and people publish journals.
      outcome.reason = without_home(outcome.reason);
      outcome.build_log = without_home(outcome.build_log);
    }
  }
  // Lines before a build or launch are frequent and have no time.
  const bool has_time =
      !std::holds_alternative<TrialStarted>(record) && !std::holds_alternative<TrialIdle>(record);
  const double at_s = has_time ? rounded(now_s()) : 0.0;  // as a reader finds it
  journal_.append(format_line(record, at_s));
  const std::size_t known = contents_.outcomes.size();
  apply(std::move(record), at_s, contents_);
  index_from(known);
}

void TuningJournal::append_idle() {
  for (const std::string& what : contents_.starts.in_progress()) append(TrialIdle{what});
}

void TuningJournal::append_time_spent(const char* activity) {
  constexpr double kMin_s = 0.5;
  if (now_s() - contents_.spent.all_s >= kMin_s) append(TimeSpent{activity});
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
