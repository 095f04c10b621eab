// Tests that a wait lasts as long as other threads run, in this process and in others.
#include "tuner/bench/idle_wait.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "catch.hpp"

namespace tilewright {
namespace {

constexpr double kShortLimit_s = 0.05;

// A thread that spins until the test stops it.
class SpinningThread {
 public:
  SpinningThread() {
    while (!runs_) std::this_thread::yield();
  }
  SpinningThread(const SpinningThread&) = delete;
  SpinningThread& operator=(const SpinningThread&) = delete;
  ~SpinningThread() {
    ends_ = true;
    thread_.join();
  }
  void end_after(std::chrono::milliseconds time) { ends_after_ = time; }

 private:
  void spin() {
    const auto start = std::chrono::steady_clock::now();
    runs_ = true;
    while (!ends_ && std::chrono::steady_clock::now() - start < ends_after_.load()) continue;
  }

  std::atomic<bool> runs_ = false;
  std::atomic<bool> ends_ = false;
  std::atomic<std::chrono::milliseconds> ends_after_{std::chrono::hours(1)};
  std::thread thread_{[this] { spin(); }};
};

TEST_CASE("a process whose other threads sleep is idle immediately") {
  IdleWait idle({});
  idle.wait();
  CHECK(num_running_threads(::getpid()) == 0);
  CHECK(idle.waits().waits == 1);
  CHECK(idle.waits().not_idle == 0);
}

TEST_CASE("a wait ends at its limit while a thread still runs") {
  SpinningThread spins;
  CHECK(num_running_threads(::getpid()) >= 1);
  IdleWait idle({}, kShortLimit_s);
  idle.wait();
  idle.wait();
  CHECK(idle.waits().waits == 2);
  CHECK(idle.waits().not_idle == 2);
  CHECK(idle.waits().longest_s >= kShortLimit_s);
}

TEST_CASE("a wait ends when the thread does") {
  SpinningThread spins;
  spins.end_after(std::chrono::milliseconds(1));
  IdleWait idle({}, 1e9);
  idle.wait();
  CHECK(idle.waits().not_idle == 0);
}

// A process whose child spins. Both end with this object.
class ParentOfSpinning {
 public:
  ParentOfSpinning() : parent_(::fork()) {
    if (parent_ == 0) {
      ::setpgid(0, 0);
      const pid_t child = ::fork();
      ::alarm(600);
      // volatile: a compiler may assume that a loop without side effects ends, and remove it.
      for (volatile bool spins = child == 0; spins;) continue;
      for (;;) ::pause();
    }
    ::setpgid(parent_, parent_);  // the first of the two processes to get here
  }
  ParentOfSpinning(const ParentOfSpinning&) = delete;
  ParentOfSpinning& operator=(const ParentOfSpinning&) = delete;
  ~ParentOfSpinning() {
    ::kill(-parent_, SIGKILL);
    ::waitpid(parent_, nullptr, 0);
  }
  pid_t parent() const { return parent_; }

 private:
  pid_t parent_;
};

TEST_CASE("the children of another process count, too") {
  if (::access("/proc/thread-self/children", R_OK) != 0) {
    SKIP_CASE("the kernel does not list the children of processes");
  }
  const ParentOfSpinning spins;
  IdleWait idle({spins.parent()}, kShortLimit_s);
  do idle.wait();  // until the processes have started
  while (idle.waits().not_idle == 0 && idle.waits().waits < 1'000'000);
  CHECK(num_running_threads(spins.parent()) >= 1);
}

}  // namespace
}  // namespace tilewright
