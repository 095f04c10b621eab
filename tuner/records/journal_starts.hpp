// Who was at work when a session ended, and how often did the machine go down then?
//
// Told the lines of a journal in turn. Candidates of a search may be at work side by side;
// finalists of a final, pack and reduce kernels follow one another, so a new one clears those
// before it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/records/journal.hpp"

namespace tilewright {

class JournalStarts {
 public:
  // A point is about to be built or launched. `tried`: it has an outcome.
  void start(const std::string& point, PhaseKind kind, bool tried);
  // It is not at work any more, and has no outcome.
  void idle(const std::string& point);
  // What became of it is known: earlier deaths do not count any more.
  void outcome(const std::string& point);
  // A round or a search for a pack kernel has ended: whatever ran in it runs.
  void came_back();
  void end_of_session(bool rebooted);

  std::vector<Unfinished> unfinished() const { return left(false); }
  std::vector<Unfinished> unfinished_finals() const { return left(true); }

 private:
  struct Started {
    std::string point;
    PhaseKind kind = PhaseKind::kLaunch;
    bool tried = false;
    bool in_flight = false;  // in this session
    bool proves = false;     // what it takes part in proves, at its end, that it runs
    bool left = false;       // in flight at the end of a session
    int deaths = 0;
  };
  std::vector<Unfinished> left(bool tried) const;

  std::vector<Started> started_;               // in the order of their first lines
  std::map<std::string, std::size_t> places_;  // in started_
};

}  // namespace tilewright
