#include "tuner/bench/idle_wait.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace tilewright {
namespace {

constexpr std::chrono::microseconds kPoll{500};

// Parses "1234 (any (text) here) R 1 ...": the state is the letter after the last bracket.
bool is_running(const std::filesystem::path& task) {
  std::string stat;
  std::getline(std::ifstream(task / "stat"), stat);
  const std::size_t bracket = stat.rfind(") ");
  return bracket != stat.npos && bracket + 2 < stat.size() && stat[bracket + 2] == 'R';
}

}  // namespace

std::size_t num_running_threads(pid_t process) {
  const std::string self = std::to_string(::syscall(SYS_gettid));
  const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
  std::size_t running = 0;
  std::error_code gone;  // threads may end while they are listed
  std::filesystem::directory_iterator task(tasks, gone);
  for (; !gone && task != std::filesystem::directory_iterator(); task.increment(gone)) {
    if (task->path().filename() != self && is_running(task->path())) ++running;
    std::ifstream children(task->path() / "children");
    for (pid_t child = 0; children >> child;) running += num_running_threads(child);
  }
  return running;
}

void IdleWaits::add(const IdleWaits& other) {
  waits += other.waits;
  not_idle += other.not_idle;
  longest_s = std::max(longest_s, other.longest_s);
}

IdleWait::IdleWait(std::vector<pid_t> processes, double limit_s)
    : processes_(std::move(processes)), limit_s_(limit_s) {
  processes_.push_back(::getpid());
}

bool IdleWait::is_idle() const {
  return std::all_of(processes_.begin(), processes_.end(),
                     [](pid_t process) { return num_running_threads(process) == 0; });
}

void IdleWait::wait() {
  const auto start = std::chrono::steady_clock::now();
  double waited_s = 0.0;
  bool idle = is_idle();
  while (!idle && waited_s < limit_s_) {
    std::this_thread::sleep_for(kPoll);
    waited_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    idle = is_idle();
  }
  waits_.add({1, idle ? std::size_t{0} : std::size_t{1}, waited_s});
}

}  // namespace tilewright
