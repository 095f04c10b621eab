// Waits until the threads of all competitors are idle.
//
// Threads of CPU libraries keep spinning after a call, those of OpenBLAS for about 100 ms. On a CPU
// they would take cores from the competitor whose turn is next.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace tilewright {

// The number of threads of a process and of its descendants that run or wait for a core, without
// the calling thread. 0 where /proc does not show the process; where it does not list children,
// descendants are not counted.
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
  // Longer than the threads of OpenBLAS (0.1 s) and of Intel's OpenMP (0.2 s) spin.
  static constexpr double kLimit_s = 0.5;

  // `processes`: of competitors, in addition to this process.
  explicit IdleWait(std::vector<pid_t> processes, double limit_s = kLimit_s);

  // Returns when no thread of these processes but the calling one is running, or at the limit.
  void wait();
  const IdleWaits& waits() const { return waits_; }

 private:
  bool is_idle() const;

  std::vector<pid_t> processes_;
  double limit_s_;
  IdleWaits waits_;
};

}  // namespace tilewright
