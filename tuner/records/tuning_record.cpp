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

// What the time before a line went into; "": nothing that is worth a name.
std::string activity_before(const JournalLine::What& what) {
  if (const auto* outcome = std::get_if<Outcome>(&what)) return activity_of(*outcome);
  if (std::holds_alternative<DeviceRates>(what)) return "micro-benchmarks";
  if (std::holds_alternative<PackOutcome>(what)) return "pack kernels";
  return std::holds_alternative<RoundReply>(what) ? "finals" : "";
}

// They are written often, and say no time.
bool has_time(const JournalLine::What& what) {
  return !std::holds_alternative<Starting>(what) && !std::holds_alternative<Idle>(what);
}

}  // namespace

TuningRecord::TuningRecord(Journal journal, JournalContents contents,
                           std::chrono::steady_clock::time_point begin)
    : journal_(std::move(journal)),
      contents_(std::move(contents)),
      begin_(begin),
      spent_before_s_(contents_.spent_s) {
  for (std::size_t i = 0; i < contents_.outcomes.size(); ++i) index(i);
}

double TuningRecord::now_s() const {
  return spent_before_s_ +
         std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void TuningRecord::index(std::size_t i) {
  const Outcome& outcome = contents_.outcomes[i];
  by_kernel_.emplace(outcome.kernel, i);
  spent_[outcome.phase] += std::max(0.0, outcome.at_s - contents_.outcomes_since_s[i]);
  ++tried_[outcome.phase];
  ++counts_[outcome.result];
}

void TuningRecord::append(JournalLine::What what) {
  JournalLine line{std::move(what)};
  const double at_s = now_s();
  if (auto* outcome = std::get_if<Outcome>(&line.what)) {
    outcome->at_s = at_s;
  } else if (has_time(line.what)) {
    line.at_s = at_s;
  }
  const double before_s = contents_.spent_s;
  const std::string activity = activity_before(line.what);
  const std::size_t known = contents_.outcomes.size();
  apply(journal_.append(line), contents_);
  if (contents_.outcomes.size() > known) index(known);
  if (!activity.empty()) session_s_[activity] += contents_.spent_s - before_s;
}

const Outcome& TuningRecord::outcome(Outcome outcome) {
  contents_.kernels.insert(outcome.kernel);  // what is known of it is not in the line
  append(std::move(outcome));
  return contents_.outcomes.back();
}

const Outcome* TuningRecord::find(const KernelId& kernel) const {
  const auto found = by_kernel_.find(kernel);
  return found == by_kernel_.end() ? nullptr : &contents_.outcomes[found->second];
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
