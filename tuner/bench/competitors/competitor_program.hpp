// Runs a competitor that is another program.
//
// `--compare exec:PATH` starts it. It computes the same products from the same data in its own
// process, by whatever means, and reports how long its calls took. The two exchange lines of text
// and raw floats on the program's standard input and output (docs/measuring.md, "A competitor of
// your own").
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

// Not thread-safe. Every failure is an Error that names the program: it cannot be started, it dies,
// it answers `error ...` or something that the protocol does not know, or it is silent for longer
// than `patience_s`.
class CompetitorProgram {
 public:
  static constexpr double kPatience_s = 120.0;  // libraries may take long to load

  // Starts the program (sought in PATH if it has no slash) and tells it which device is measured.
  CompetitorProgram(const std::string& path, const std::string& device,
                    double patience_s = kPatience_s);
  // What it reports about itself: versions, device, settings.
  const std::string& details() const { return details_; }
  pid_t process() const { return child_.pid; }

  // What to compute from now on: C = op(A) op(B), row-major, without gaps. A as stored: m x k
  // elements, or k x m if it is transposed; B: k x n or n x k.
  void set_product(Op op, const GemmShape& shape, const std::vector<float>& a,
                   const std::vector<float>& b);
  // Computes the product so many times, each call waited for, and returns the wall time of all of
  // them in ns, by the program's own clock. A time that is longer than ours is an Error.
  double run_ns(int calls);
  // Elements (i, j) of the C of the last run.
  std::vector<float> elements(const std::vector<std::pair<std::int64_t, std::int64_t>>& at);

 private:
  using Clock = std::chrono::steady_clock;

  struct Child {
    Child() = default;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    // Its input ends. What is left of its process group after a second is killed.
    ~Child();

    // Starts the process that kills the competitor when this process ends, also by a signal.
    // Returns an errno, 0 on success.
    int start_watcher();
    bool ends_within(double seconds, int& status);

    pid_t pid = -1;
    int channel = -1;    // to and from the program
    pid_t watcher = -1;  // pid, and number of the process group of both
    int watch = -1;      // end of the pipe whose other end the watcher reads
  };

  void send_line(const std::string& line) { send((line + '\n').data(), line.size() + 1); }
  // The rest of the next line of the program, which must begin with that word.
  std::string answer(const std::string& word);
  void send(const char* data, std::size_t bytes);
  void wait_for(short events, Clock::time_point deadline);
  std::string read_line();
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_ended();

  std::string path_;
  double patience_s_;
  Child child_;
  std::string input_;  // what is read and not yet a line
  std::string details_;
};

}  // namespace tilewright
