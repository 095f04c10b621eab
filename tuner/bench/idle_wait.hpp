// Waits until the threads of all competitors are idle.
//
// Threads of CPU libraries keep spinning after a call, those of OpenBLAS for about 100 ms. They
// would occupy cores that the next competitor needs.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace tilewright {

// Returns the number of threads of a process and its descendants that run or wait for a core,
// without the calling thread. Returns 0 if /proc does not show the process; descendants are not
// counted if /proc does not list children.
std::size_t num_running_threads(pid_t process);

// Statistics of the waits before samples.
struct IdleWaits {
  std::size_t waits = 0;
  std::size_t not_idle = 0;  // waits that ended at the limit, while threads were still running
  double longest_s = 0.0;

  void add(const IdleWaits& other);
};

class IdleWait {
 public:
  // The time limit. It is longer than the threads of OpenBLAS (0.1 s) and of Intel's OpenMP (0.2 s)
  // spin.
  static constexpr double kLimit_s = 0.5;

  // `processes`: processes of competitors, in addition to this process.
  explicit IdleWait(std::vector<pid_t> processes, double limit_s = kLimit_s);

  // Returns when no thread of these processes is running except the calling one, or at the limit.
  void wait();
  const IdleWaits& waits() const { return waits_; }

 private:
  bool is_idle() const;

  std::vector<pid_t> processes_;
  double limit_s_;
  IdleWaits waits_;
};

}  // namespace tilewright
