#include "tuner/records/tuning_record.hpp"

#include <algorithm>

namespace tilewright {
namespace {

std::string activity_of(const Outcome& outcome) {
  if (outcome.phase == kBuiltIn) return "the built-in kernels";
  if (outcome.phase == kPacking) return "pack kernels";
  if (outcome.phase == kFused) return "networks";
  return "candidates";
}

}  // namespace

TuningRecord::TuningRecord(Journal journal, JournalContents contents,
                           std::chrono::steady_clock::time_point begin)
    : journal_(std::move(journal)),
      contents_(std::move(contents)),
      begin_(begin),
      spent_before_s_(contents_.spent_s),
      last_at_s_(contents_.spent_s) {
  for (std::size_t i = 0; i < contents_.outcomes.size(); ++i) index(i);
}

double TuningRecord::now_s() const {
  return spent_before_s_ +
         std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void TuningRecord::index(std::size_t i) {
  const Outcome& outcome = contents_.outcomes[i];
  by_point_.emplace(outcome.point, i);
  spent_[outcome.phase] += std::max(0.0, outcome.at_s - contents_.outcomes_since_s[i]);
  ++tried_[outcome.phase];
  ++counts_[outcome.result];
}

double TuningRecord::line_at_s() {
  return last_at_s_ = now_s();
}

double TuningRecord::line_at_s(const std::string& activity) {
  const double before_s = last_at_s_;
  session_s_[activity] += line_at_s() - before_s;
  return last_at_s_;
}

void TuningRecord::session(const Session& session) {
  journal_.session(session, line_at_s());
  contents_.sessions.push_back(session);
}

void TuningRecord::rates(const DeviceRates& rates) {
  journal_.rates(rates, line_at_s("micro-benchmarks"));
  contents_.rates = rates;
}

const Outcome& TuningRecord::outcome(Outcome outcome) {
  contents_.outcomes_since_s.push_back(last_at_s_);
  outcome.at_s = line_at_s(activity_of(outcome));
  journal_.outcome(outcome);
  contents_.complete = false;
  contents_.outcomes.push_back(std::move(outcome));
  index(contents_.outcomes.size() - 1);
  return contents_.outcomes.back();
}

void TuningRecord::pack(const PackOutcome& pack) {
  journal_.pack(pack, line_at_s("pack kernels"));
  contents_.packs.push_back(pack);
}

void TuningRecord::lineup(Lineup lineup) {
  contents_.lineup_at_s = line_at_s();
  journal_.lineup(lineup, contents_.lineup_at_s);
  contents_.lineup = std::move(lineup);
  contents_.outcomes_before_lineup = contents_.outcomes.size();
  contents_.rounds.clear();
  contents_.finalist_failures.clear();
}

void TuningRecord::round(const Round& round, const std::map<std::size_t, std::string>& failures) {
  journal_.round(round, failures, line_at_s("finals"));
  contents_.rounds.push_back(round);
  contents_.finalist_failures.insert(failures.begin(), failures.end());
}

void TuningRecord::complete() {
  journal_.complete(line_at_s());
  contents_.complete = true;
}

const Outcome* TuningRecord::find(const std::string& point) const {
  const auto found = by_point_.find(point);
  return found == by_point_.end() ? nullptr : &contents_.outcomes[found->second];
}

double TuningRecord::spent_in(const std::string& phase) const {
  const auto found = spent_.find(phase);
  return found == spent_.end() ? 0.0 : found->second;
}

int TuningRecord::tried_in(const std::string& phase) const {
  const auto found = tried_.find(phase);
  return found == tried_.end() ? 0 : found->second;
}

}  // namespace tilewright
