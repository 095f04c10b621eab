// What does a running tuning know, and since when?
//
// The journal with its contents in memory, and the clock of the tuning: seconds since it began,
// over all its sessions.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tuner/records/journal.hpp"

namespace tilewright {

// Seconds since a session began.
using Clock = std::function<double()>;
// Of one that begins now.
Clock session_clock();

class TuningRecord {
 public:
  TuningRecord(Journal journal, JournalContents contents, Clock clock);

  const JournalContents& contents() const { return contents_; }
  const std::string& path() const { return journal_.path(); }
  double now_s() const;

  // Goes into the journal, with the time, and from there into the contents.
  void append(JournalLine::What what);
  void rates(const RatesReply& measured);
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
  // JournalContents::spent_on_s, of this session.
  std::map<std::string, double> session_s() const;
  // Outcomes by class.
  const std::map<OutcomeClass, int>& counts() const { return counts_; }

 private:
  void index(std::size_t outcome);
  void write(JournalLine line);

  Journal journal_;
  JournalContents contents_;
  Clock clock_;
  double spent_before_s_;
  std::map<std::string, double> spent_on_before_s_;
  std::map<KernelId, std::size_t> by_kernel_;
  std::map<std::string, double> spent_;
  std::map<std::string, int> tried_;
  std::map<OutcomeClass, int> counts_;
};

}  // namespace tilewright
