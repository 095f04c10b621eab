// Starts a worker process, which may crash or hang, and exchanges messages with it.
//
// The worker runs this program as `tilewright worker`. It has its own process group, so that Ctrl-C
// reaches only the supervisor, and the operating system kills it when the supervisor dies. This
// module handles lines of JSON, deadlines and signals; it depends on neither tuning nor OpenCL.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tuner/journal/records/worker_protocol.hpp"
#include "tuner/process/worker_lines.hpp"

namespace tilewright {

// How long a worker may be silent, depending on the activity that it announced. The deadline of an
// activity is the time for its kind plus ten times its expected duration.
struct Deadlines {
  double start_s = 60.0;   // until the device is open
  double build_s = 120.0;  // to build one kernel
  double launch_s = 10.0;  // to launch one kernel
  // If set, no build or launch may run longer than kGrace_s beyond this time, whatever its
  // deadline.
  std::optional<std::chrono::steady_clock::time_point> end = {};
};
inline constexpr double kGrace_s = 1.0;

// Why there is no reply to a request. The worker died, or it was killed because it exceeded its
// deadline or reported an error.
struct WorkerLost {
  bool overstayed = false;   // it exceeded its deadline
  bool out_of_time = false;  // killed because of Deadlines::end; it may merely have been late
  WorkerActivity activity;   // the last activity that it announced
  std::string how;           // a predicate: "died of SIGSEGV", "was silent for 10 s"
  std::string last_words;    // the end of its standard error
  // Killed by a SIGKILL that is not ours: sent by a user, or by the system when it ran out of
  // memory.
  bool killed = false;
  std::exception_ptr error = nullptr;  // it was alive, but reported this error
};

// Returns " Its last words: '...'" with the end of the text on one line; "" if the text is empty.
std::string last_words_sentence(const std::string& last_words);

// The contents of a reply, or why there is none.
using WorkerAnswer = std::variant<nlohmann::json, WorkerLost>;

// A worker process and the connection to it. Not thread-safe.
class WorkerProcess {
 public:
  // Starts `program arguments... --channel <descriptor>` without waiting; "" stands for this
  // program. The process is killed when the thread that started it ends. Throws std::system_error
  // if the program cannot be started.
  WorkerProcess(const std::string& program, const std::vector<std::string>& arguments,
                const Deadlines& deadlines);
  // Lets an idle worker exit, kills a busy one, and waits for its end.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Called for each announcement after which the worker waits. The worker continues when the
  // function returns.
  std::function<void(const WorkerActivity&)> on_activity;

  int pid() const { return pid_; }  // -1 once the process is gone
  bool busy() const { return busy_; }
  // Returns false once the process is known to be gone.
  bool alive() const { return channel_ >= 0; }
  // The last activity that it announced.
  const WorkerActivity& activity() const { return activity_; }

  // Sets Deadlines::end, which takes effect with the next announcement. nullopt: no limit.
  void end_by(std::optional<std::chrono::steady_clock::time_point> end) { deadlines_.end = end; }

  // Sends a request. The worker must be idle. If the worker has died meanwhile, poll() reports it.
  void send(const nlohmann::json& request);
  // Processes what has arrived. Returns nullopt while the request is still running. After a
  // WorkerLost the process is gone. Does not block, except for the end of a worker that it kills.
  std::optional<WorkerAnswer> poll();
  // Time after which poll() gives up on the worker, unless it sends something before.
  std::chrono::steady_clock::time_point deadline() const { return deadline_; }
  // File descriptors that become readable when poll() has something to process.
  std::vector<int> descriptors() const;
  // True if part of a request is still to be written.
  bool writing() const { return !output_.empty(); }
  // The end of its output on standard error and standard output.
  const std::string& last_words() const { return last_words_; }
  // Kills the process at once. Returns how it ended, for example "died of SIGKILL".
  std::string kill();

 private:
  void enter(const WorkerActivity& activity);
  void write_waiting();
  void read_errors();
  std::optional<WorkerAnswer> read_lines();
  WorkerLost lost(const std::string& how);
  WorkerLost lost_by_error(const nlohmann::json& error);
  WorkerLost lost_overdue();
  bool has_ended() const;
  bool ends_within(double seconds) const;
  std::string reap();

  Deadlines deadlines_;
  int pid_ = -1;
  int channel_ = -1;  // bidirectional
  int errors_ = -1;   // its standard error and standard output
  bool busy_ = false;
  bool closed_ = false;  // it has closed its end of the channel
  bool stuck_ = false;   // not even SIGKILL ends it
  bool killed_ = false;  // SIGKILL ended it
  std::string input_;    // received, but not yet a complete line
  std::string output_;   // not yet sent
  std::string last_words_;
  WorkerActivity activity_;
  double patience_s_ = 0.0;            // time for the current activity
  std::optional<double> cut_short_s_;  // the part of it that Deadlines::end leaves, if less
  std::chrono::steady_clock::time_point deadline_;
};

// Waits until one of the busy workers has sent something, until a deadline has passed, until
// `max_s` seconds are over, or until a stop is requested (stop_signal.hpp). May return earlier.
void wait_for_any(std::span<WorkerProcess* const> workers, double max_s);

}  // namespace tilewright
