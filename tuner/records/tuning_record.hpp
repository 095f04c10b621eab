// What does a running tuning know, and since when?
//
// The journal with its contents in memory, and the clock of the tuning: seconds since it began,
// over all its sessions.
#pragma once

#include <chrono>
#include <map>

#include "tuner/records/journal.hpp"

namespace tilewright {

class TuningRecord {
 public:
  // `begin`: of this session.
  TuningRecord(Journal journal, JournalContents contents,
               std::chrono::steady_clock::time_point begin);

  const JournalContents& contents() const { return contents_; }
  const std::string& path() const { return journal_.path(); }
  double now_s() const;

  // Goes into the journal, with the time, and from there into the contents.
  void append(JournalLine::What what);
  // The same; answers it as it is kept.
  const Outcome& outcome(Outcome outcome);
  void round(const Round& round, const std::map<std::size_t, std::string>& failures) {
    append(RoundReply{round, failures});
  }

  // The outcome of a kernel, in whatever phase, or nullptr.
  const Outcome* find(const KernelId& kernel) const;
  // Seconds that went into the candidates of a phase.
  double spent_in(const std::string& phase) const;
  int tried_in(const std::string& phase) const;
  // Seconds of this session by what they went into, as a sentence names it.
  const std::map<std::string, double>& session_s() const { return session_s_; }
  // Outcomes by class.
  const std::map<OutcomeClass, int>& counts() const { return counts_; }

 private:
  void index(std::size_t outcome);

  Journal journal_;
  JournalContents contents_;
  std::chrono::steady_clock::time_point begin_;
  double spent_before_s_;
  std::map<KernelId, std::size_t> by_kernel_;
  std::map<std::string, double> spent_;
  std::map<std::string, int> tried_;
  std::map<OutcomeClass, int> counts_;
  std::map<std::string, double> session_s_;
};

}  // namespace tilewright
