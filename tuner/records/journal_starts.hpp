// Who was at work when a session ended, and how often did the machine go down then?
//
// Told the lines of a journal in turn. Candidates of a search may be at work side by side;
// finalists of a final, pack and reduce kernels follow one another, so a new one clears those
// before it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

// A candidate, or what else is at work, was about to be built or launched, and there is no outcome:
// how often.
struct Unfinished {
  std::string what;
  int deaths = 0;  // sessions that ended there with a reboot after them (boot_id changed)
  WorkerActivityKind kind = WorkerActivityKind::kLaunch;  // what it was about to do
  bool operator==(const Unfinished&) const = default;
};

class JournalStarts {
 public:
  // It is about to be built or launched: a kernel's text, or what else is at work.
  void start(const std::string& what, WorkerActivityKind kind);
  // It is not at work any more, and has no outcome.
  void idle(const std::string& what);
  // What became of it is known: earlier deaths do not count any more.
  void outcome(const KernelId& kernel);
  // A round or a search for a pack kernel has ended: whatever ran in it runs.
  void came_back();
  void end_of_session(bool rebooted);

  // Who is at work now, or was when a session ended.
  std::vector<Unfinished> unfinished() const { return left(false); }
  // The same of kernels that have an outcome: they were at work in a final.
  std::vector<Unfinished> unfinished_finals() const { return left(true); }
  bool operator==(const JournalStarts&) const = default;

 private:
  struct Started {
    std::string what;
    WorkerActivityKind kind = WorkerActivityKind::kLaunch;
    bool tried = false;      // it has an outcome
    bool in_flight = false;  // in this session
    bool proves = false;     // what it takes part in proves, at its end, that it runs
    bool left = false;       // in flight at the end of a session
    int deaths = 0;
    bool operator==(const Started&) const = default;
  };
  Started& place_of(const std::string& what);
  std::vector<Unfinished> left(bool tried) const;

  std::vector<Started> started_;               // in the order of their first lines
  std::map<std::string, std::size_t> places_;  // in started_
};

}  // namespace tilewright
