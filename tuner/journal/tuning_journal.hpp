// The journal of a running tuning, with its contents in memory and a clock.
//
// The clock counts the seconds that the tuning has run: all sessions, without the time between
// them.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// Returns the seconds since a session began.
using Clock = std::function<double()>;
// Returns the clock of a session that begins now.
Clock session_clock();

// Belongs to the thread of the tuning. Other threads may only append TrialStarted and TrialIdle.
// These change nothing in the contents but `starts` and `complete`, which the thread of the tuning
// must not read meanwhile.
class TuningJournal {
 public:
  TuningJournal(Journal journal, JournalContents contents, Clock clock);

  const JournalContents& contents() const { return contents_; }
  const std::string& path() const { return journal_.path(); }
  // Seconds that the tuning has run: the sum over all sessions, without the time between them.
  double now_s() const;

  // Appends a record with the current time to the journal and adds it to the contents, without
  // paths of the home folder in messages of outcomes. Does nothing for an empty list of outcomes.
  // Throws JournalError.
  void append(JournalRecord record);
  // Records that nothing is being built or launched any more. Throws JournalError.
  void append_idle();

  // Records that the time since the last line was spent on an activity (kOnFinals ...) without a
  // result. Otherwise it would count as time for the next result. Less than half a second is not
  // recorded. Throws JournalError.
  void append_time_spent(const char* activity);

  // Returns the outcome of a kernel in any task except kPacking and kFinals, or nullptr.
  const Outcome* find(const KernelId& kernel) const;
  // Return the seconds spent on the candidates of a task, and their number.
  double spent_in(const std::string& task) const;
  int tried_in(const std::string& task) const;
  // Returns TimeAccount::by_activity_s restricted to this session.
  std::map<std::string, double> session_s() const;

 private:
  void index_from(std::size_t first);

  std::mutex mutex_;  // held by append()
  Journal journal_;
  JournalContents contents_;
  Clock clock_;
  TimeAccount spent_before_;
  std::map<KernelId, std::size_t> by_kernel_;
  std::map<std::string, double> spent_;
  std::map<std::string, int> tried_;
};

}  // namespace tilewright
