// How does one talk to a process that may crash or hang?
//
// The worker is this program again, started as `tilewright worker`, in a process group of its own
// (so that Ctrl-C reaches the supervisor alone), and killed by the kernel when the supervisor dies.
// Knows nothing of tuning and nothing of OpenCL: lines of JSON, deadlines, signals.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tuner/records/worker_protocol.hpp"
#include "tuner/worker/worker_lines.hpp"

namespace tilewright {

// How long a worker may stay silent, by what it said it would do. A phase's deadline is that of its
// kind plus ten times what it expects.
struct Deadlines {
  double start_s = 60.0;   // until the device is open
  double build_s = 120.0;  // of one kernel
  double launch_s = 10.0;  // of one kernel, beyond what is expected
  // No build or launch lasts longer than kGrace_s beyond this, whatever its deadline.
  std::optional<std::chrono::steady_clock::time_point> end = {};
};
inline constexpr double kGrace_s = 1.0;

// Why there is no reply to a request: the worker died, or was killed because it overstayed or
// reported an error.
struct WorkerLost {
  bool overstayed = false;
  bool out_of_time = false;  // it was killed at Deadlines::end, and may merely have been late
  WorkerActivity phase;      // the last that it announced
  std::string how;           // a predicate: "died of SIGSEGV", "was silent for 10 s"
  std::string last_words;    // the end of its standard error
  // By a SIGKILL that is not ours: a person, or the system that was out of memory.
  bool killed = false;
  bool answered = false;  // it lived, but reported an error
};

// " Its last words: '...'", the end of them on one line; "" if there are none.
std::string last_words_sentence(const std::string& last_words);

// A reply, or why there is none.
using WorkerAnswer = std::variant<nlohmann::json, WorkerLost>;

class WorkerProcess {
 public:
  // Starts `program arguments... --channel <descriptor>` and does not wait; "" is this program.
  // The worker lives no longer than the thread that starts it. Throws std::system_error if the
  // program cannot be started.
  WorkerProcess(const std::string& program, const std::vector<std::string>& arguments,
                const Deadlines& deadlines);
  ~WorkerProcess();  // lets it end if it is idle, else kills it; waits for its end
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Called for each phase in which the worker waits to be let go: it goes on when this returns.
  std::function<void(const WorkerActivity&)> on_phase;

  int pid() const { return pid_; }  // -1 once it is gone
  bool busy() const { return busy_; }
  const WorkerActivity& phase() const { return phase_; }  // the last that it announced
  bool alive() const { return channel_ >= 0; }            // as far as known

  // From the next phase on. nullopt: there is no end.
  void end_by(std::optional<std::chrono::steady_clock::time_point> end) { deadlines_.end = end; }

  // Sends a request. The worker must be idle. That it died meanwhile is what poll() says.
  void send(const nlohmann::json& request);
  // What has arrived since: nullopt while the request still runs. After a WorkerLost the process is
  // gone. Does not wait, but for the end of a worker that it kills.
  std::optional<WorkerAnswer> poll();
  // When poll() finds it overdue, unless it speaks before.
  std::chrono::steady_clock::time_point deadline() const { return deadline_; }
  // File descriptors that become readable when poll() has something to do.
  std::vector<int> descriptors() const;
  // Some of a request still waits to be written.
  bool writing() const { return !output_.empty(); }
  // The end of what it wrote to standard error and standard output.
  const std::string& last_words() const { return last_words_; }
  // Ends it at once. Answers what became of it: "died of SIGKILL".
  std::string kill();

 private:
  void enter(const WorkerActivity& phase);
  void write_waiting();
  void read_errors();
  std::optional<WorkerAnswer> read_lines();
  WorkerLost lost(const std::string& how);
  WorkerLost lost_overdue();
  bool has_ended() const;
  bool ends_within(double seconds) const;
  std::string reap();

  Deadlines deadlines_;
  int pid_ = -1;
  int channel_ = -1;  // both ways
  int errors_ = -1;   // its standard error and standard output
  bool busy_ = false;
  bool closed_ = false;  // its end of the channel
  bool stuck_ = false;   // not even SIGKILL ends it
  bool killed_ = false;  // what it died of was SIGKILL
  std::string input_;    // what is read and not yet a line
  std::string output_;   // what it has not taken yet
  std::string last_words_;
  WorkerActivity phase_;
  double patience_s_ = 0.0;            // of the phase
  std::optional<double> cut_short_s_;  // what the end of all leaves of it, if less
  std::chrono::steady_clock::time_point deadline_;
};

// Waits until one of the busy workers has something, the deadline of one passes, `most_s` seconds
// are over, or the stop signal comes (stop_signal.hpp). May return earlier.
void wait_for_any(std::span<WorkerProcess* const> workers, double most_s);

}  // namespace tilewright
