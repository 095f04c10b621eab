// Determines which kernels were being built or launched when a session ended, and how often the
// machine went down meanwhile.
//
// JournalStarts is updated with the lines of a journal in order. Several candidates of a search may
// be in progress at the same time. Finalists, pack kernels and reduction kernels run one after the
// other, so when one of these starts, the previous one is no longer in progress.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// If the machine goes down this many times while the same kernel is running, the kernel is not
// tried again.
inline constexpr int kDeathsToQuarantine = 2;

// A kernel, or the micro-benchmarks, that was about to be built or launched and has no outcome.
struct Unfinished {
  std::string what;
  int deaths = 0;  // number of sessions that ended during it and were followed by a reboot
  WorkerActivityKind kind = WorkerActivityKind::kLaunch;  // what it was about to do
  bool operator==(const Unfinished&) const = default;
};

// What is in progress, according to the lines of a journal.
class JournalStarts {
 public:
  // It is about to be built or launched. `what` is the text of a kernel or kMicroBenchmarks.
  void start(const std::string& what, WorkerActivityKind kind);
  // It is no longer in progress, and has no outcome.
  void idle(const std::string& what);
  // The kernel has an outcome. Earlier reboots during it no longer count.
  void outcome(const KernelId& kernel);
  // A round, or a search for an auxiliary kernel, has ended. Everything that took part in it is
  // known to run.
  void came_back();
  // Ends a session. `rebooted`: the system was rebooted after it.
  void end_of_session(bool rebooted);

  // Returns what is in progress in this session.
  std::vector<std::string> in_progress() const;
  // Returns what is in progress now, or was when a session ended.
  std::vector<Unfinished> unfinished() const { return left(false); }
  // Returns the kernels in progress that already have an outcome: those in a final.
  std::vector<Unfinished> unfinished_finals() const { return left(true); }
  bool operator==(const JournalStarts&) const = default;

 private:
  struct Started {
    std::string what;
    WorkerActivityKind kind = WorkerActivityKind::kLaunch;
    bool tried = false;      // it has an outcome
    bool in_flight = false;  // in progress in this session
    // A successful end of the round or search that it takes part in shows that it runs.
    bool proves = false;
    bool left = false;  // in progress at the end of a session
    int deaths = 0;
    bool operator==(const Started&) const = default;
  };
  Started& find_or_add(const std::string& what);
  std::vector<Unfinished> left(bool tried) const;

  std::vector<Started> started_;               // in the order of their first lines
  std::map<std::string, std::size_t> places_;  // index into started_
};

}  // namespace tilewright
