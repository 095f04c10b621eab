// Runs a competitor that is a separate program.
//
// `--compare exec:PATH` starts it. It computes the same products from the same data in its own
// process and reports the times of its calls. Messages are lines of text and raw floats on the
// program's standard input and output (docs/measuring.md, "A competitor of your own").
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profiles/kernel_record.hpp"
#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

// Not thread-safe. Throws Error with the name of the program if it cannot be started, exits, sends
// `error ...` or an invalid message, or does not answer for `patience_s` seconds.
class CompetitorProgram {
 public:
  static constexpr double kPatience_s = 120.0;  // libraries may take long to load

  // Starts the program (searched in PATH if it has no slash) and sends it the name of the device.
  CompetitorProgram(const std::string& path, const std::string& device,
                    double patience_s = kPatience_s);
  // Returns what the program reported about itself: versions, device, settings.
  const std::string& details() const { return details_; }
  pid_t process() const { return child_.pid; }

  // Sets the product that later calls compute: C = op(A) op(B), row-major, without padding. A as
  // stored: m x k elements, or k x m if it is transposed; B: k x n or n x k.
  void set_product(Op op, const GemmShape& shape, const std::vector<float>& a,
                   const std::vector<float>& b);
  // Computes the product that many times, waiting for each call, and returns the total wall time in
  // ns by the program's clock. Throws Error if this exceeds the time by our clock.
  double run_ns(int calls);
  // Returns elements (i, j) of C of the last run.
  std::vector<float> elements(const std::vector<std::pair<std::int64_t, std::int64_t>>& at);

 private:
  using Clock = std::chrono::steady_clock;

  struct Child {
    Child() = default;
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    // Closes its input. One second later, the rest of its process group is killed.
    ~Child();

    // Starts the process that kills the competitor when this process ends, also by a signal.
    // Returns an errno, 0 on success.
    int start_watcher();
    bool ends_within(double seconds, int& status);

    pid_t pid = -1;
    int channel = -1;    // socket to the program
    pid_t watcher = -1;  // process id of the watcher, and id of the process group of both
    int watch = -1;      // write end of the pipe that the watcher reads
  };

  void send_line(const std::string& line) { send((line + '\n').data(), line.size() + 1); }
  // Returns the rest of the program's next line, which must begin with `word`.
  std::string answer(const std::string& word);
  void send(const char* data, std::size_t bytes);
  void wait_for(short events, Clock::time_point deadline);
  std::string read_line();
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_ended();

  std::string path_;
  double patience_s_;
  Child child_;
  std::string input_;  // the beginning of a line that was not received completely yet
  std::string details_;
};

}  // namespace tilewright
