// Tests user programs as competitors, including programs that misbehave.
#include "tuner/bench/competitors/competitor_program.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include "runtime/api/library.hpp"

#include "catch.hpp"
#include "deadline.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

const std::vector<float> kA = {1, 2, 3, 4, 5, 6};   // 2 x 3
const std::vector<float> kAt = {1, 4, 2, 5, 3, 6};  // the same, transposed
const std::vector<float> kB = {1, 0, 2, 1, 0, 3};   // 3 x 2
const std::vector<float> kBt = {1, 2, 0, 0, 1, 3};  // the same, transposed
const GemmShape kShape{2, 2, 3};

std::string error_with(const std::string& misbehaviour, double patience_s = 60.0) {
  const ScopedVariable wanted("TILEWRIGHT_FAKE_COMPETITOR", misbehaviour.c_str());
  try {
    CompetitorProgram competitor(TILEWRIGHT_FAKE_COMPETITOR, "Mali", patience_s);
    competitor.set_product(Op::kNN, kShape, kA, kB);
    competitor.run_ns(1);
    competitor.elements({{0, 0}});
    return "nothing is wrong";
  } catch (const Error& error) {
    return error.what();
  }
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.ends_with(end);
}

TEST_CASE("a competitor program reports its details and computes the given product") {
  CompetitorProgram competitor(TILEWRIGHT_FAKE_COMPETITOR, "Mali \"T628\"");
  CHECK(competitor.details() == "naive product for Mali \"T628\"");
  for (const Op op : {Op::kNN, Op::kNT}) {
    competitor.set_product(op, kShape, kA, op == Op::kNT ? kBt : kB);
    CHECK(competitor.run_ns(3) > 0.0);
    CHECK(competitor.elements({{0, 0}, {0, 1}, {1, 0}, {1, 1}}) ==
          std::vector<float>{5, 11, 14, 23});
  }
  competitor.set_product(Op::kTN, {1, 1, 3}, {1, 2, 3}, {4, 5, 6});
  competitor.run_ns(1);
  CHECK(competitor.elements({{0, 0}}) == std::vector<float>{32});
}

#ifdef TILEWRIGHT_EXAMPLES
// Checks the products of an example program from the documentation, with and without transposed
// matrices.
void check_example(CompetitorProgram& competitor) {
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
    const bool trans_a = op == Op::kTN || op == Op::kTT;
    const bool trans_b = op == Op::kNT || op == Op::kTT;
    competitor.set_product(op, kShape, trans_a ? kAt : kA, trans_b ? kBt : kB);
    CHECK(competitor.run_ns(2) > 0.0);
    CHECK(competitor.elements({{0, 1}, {1, 0}}) == std::vector<float>{11, 14});
  }
}

TEST_CASE("the example in plain Python works as a competitor") {
  CompetitorProgram competitor(TILEWRIGHT_EXAMPLES "/competitor.py", "Mali");
  CHECK(competitor.details() == "plain Python, one thread");
  check_example(competitor);
}

TEST_CASE("NumPy works as a competitor, with the kernels that its OpenBLAS chooses") {
  if (std::system("python3 -c 'import numpy' 2>/dev/null") != 0) {
    SKIP_CASE("the python3 of PATH has no NumPy");
  }
  const ScopedVariable old_kernels("OPENBLAS_CORETYPE", "Prescott");
  CompetitorProgram competitor(TILEWRIGHT_EXAMPLES "/numpy_competitor.py", "Mali");
  CHECK(competitor.details().starts_with("NumPy "));
  CHECK(competitor.details().find("Prescott") == std::string::npos);
  check_example(competitor);
}
#endif

TEST_CASE("data larger than a pipe buffer arrives completely") {
  const std::size_t k = 600'000;
  CompetitorProgram competitor(TILEWRIGHT_FAKE_COMPETITOR, "Mali");
  competitor.set_product(Op::kNN, {1, 1, static_cast<std::int64_t>(k)}, std::vector<float>(k, 2.0f),
                         std::vector<float>(k, 0.5f));
  competitor.run_ns(1);
  CHECK(competitor.elements({{0, 0}}) == std::vector<float>{600'000.0f});
}

TEST_CASE("errors of a competitor program contain its name and what happened") {
  CHECK(error_with("") == "nothing is wrong");
  for (const std::string word : {"tilewright-competitor", "product", "run", "elements"}) {
    INFO(word);
    CHECK(error_with(word + "=die").starts_with("competitor exec:"));
    CHECK(ends_with(error_with(word + "=die"), "fake_competitor: it was terminated by signal 15"));
    CHECK(ends_with(error_with(word + "=error"), "fake_competitor: no " + word + " today"));
    CHECK(error_with(word + "=nonsense").find("'what \\x01 now'") != std::string::npos);
  }
  CHECK(ends_with(error_with("run=hang", 0.3), "it did not answer for 0.3 s"));
  CHECK(error_with("run=slow").find("'1000000000000.0' ns") != std::string::npos);
}

// During the lifetime of the object, orphaned processes become children of this process.
class AdoptsOrphans {
 public:
  AdoptsOrphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }
  AdoptsOrphans(const AdoptsOrphans&) = delete;
  AdoptsOrphans& operator=(const AdoptsOrphans&) = delete;
  ~AdoptsOrphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }
};

// Runs in a child process: waits for a competitor that creates the file `hangs` and then stops
// reading its input. The signal `number` ends the process.
[[noreturn]] void wait_for_hanging(const std::string& program, const std::string& hangs,
                                   int number) {
  ::signal(number, SIG_DFL);  // Catch2 has its own handlers
  ::setenv("TILEWRIGHT_FAKE_COMPETITOR", "product=hang", 1);
  ::setenv("TILEWRIGHT_FAKE_COMPETITOR_HANGS", hangs.c_str(), 1);
  try {
    CompetitorProgram competitor(program, "Mali");
    competitor.set_product(Op::kNN, kShape, kA, kB);
  } catch (const Error&) {
    // The exit code reports the failure.
  }
  ::_exit(1);
}

bool appears(const std::string& file, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!std::filesystem::exists(file)) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Waits up to `seconds` for the children of this process. Kills and returns those that still run.
std::vector<pid_t> children_left(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  pid_t ended = 0;
  while ((ended = ::waitpid(-1, nullptr, WNOHANG)) >= 0) {
    if (ended == 0 && std::chrono::steady_clock::now() >= end) break;
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::ifstream file("/proc/thread-self/children");
  std::vector<pid_t> left;
  for (pid_t pid = 0; file >> pid;) left.push_back(pid);
  for (const pid_t pid : left) ::kill(pid, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0) continue;
  return left;
}

TEST_CASE("a program that does not read its input ends with the measuring process") {
  const AdoptsOrphans adopts;
  const TemporaryFolder folder;
  const std::string script = folder.file("script");
  std::ofstream(script) << "#!/bin/sh\n" TILEWRIGHT_FAKE_COMPETITOR "\nexit 0\n";
  REQUIRE(::chmod(script.c_str(), 0755) == 0);
  const std::string hangs = folder.file("hangs");
  for (const int number : {SIGTERM, SIGINT, SIGKILL}) {
    for (const std::string& program : {std::string(TILEWRIGHT_FAKE_COMPETITOR), script}) {
      INFO("signal " << number << ", " << program);
      const pid_t bench = ::fork();
      if (bench == 0) wait_for_hanging(program, hangs, number);
      CHECK(appears(hangs, 60.0 * patience()));
      std::filesystem::remove(hangs);
      ::kill(bench, number);
      int status = 0;
      REQUIRE(::waitpid(bench, &status, 0) == bench);
      CHECK((WIFSIGNALED(status) && WTERMSIG(status) == number));
      CHECK(children_left(60.0 * patience()).empty());
    }
  }
}

TEST_CASE("processes started by a competitor end with it") {
  const AdoptsOrphans adopts;
  const TemporaryFolder folder;
  const std::string script = folder.file("script");
  std::ofstream(script)
      << "#!/bin/sh\ntail -f /dev/null >/dev/null & exec " TILEWRIGHT_FAKE_COMPETITOR "\n";
  REQUIRE(::chmod(script.c_str(), 0755) == 0);
  { const CompetitorProgram competitor(script, "Mali"); }
  CHECK(children_left(60.0 * patience()).empty());
}

TEST_CASE("a program that does not exist is an error") {
  CHECK_THROWS_WITH(
      CompetitorProgram("/no/such/program", "Mali"),
      "competitor exec:/no/such/program: cannot be started: No such file or directory");
}

// During the lifetime of the object, this process can open exactly `count` more files.
class FreeDescriptors {
 public:
  explicit FreeDescriptors(std::size_t count) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit lower = before_;
    lower.rlim_cur = std::min<rlim_t>(before_.rlim_cur, 256);
    ::setrlimit(RLIMIT_NOFILE, &lower);
    for (int copy = 0; (copy = ::dup(STDERR_FILENO)) >= 0;) open_.push_back(copy);
    for (std::size_t i = 0; i < count && !open_.empty(); ++i) close_last();
  }
  FreeDescriptors(const FreeDescriptors&) = delete;
  FreeDescriptors& operator=(const FreeDescriptors&) = delete;
  ~FreeDescriptors() {
    while (!open_.empty()) close_last();
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  void close_last() {
    ::close(open_.back());
    open_.pop_back();
  }
  rlimit before_{};
  std::vector<int> open_;
};

TEST_CASE("if the watcher cannot be started, the error does not blame the competitor") {
  std::string message;
  {
    const FreeDescriptors channel_only(2);
    try {
      CompetitorProgram competitor(TILEWRIGHT_FAKE_COMPETITOR, "Mali");
    } catch (const Error& error) {
      message = error.what();
    }
  }
  CHECK(message == "competitor exec:" TILEWRIGHT_FAKE_COMPETITOR
                   ": cannot start /bin/sh, which ends this program if tilewright is killed: Too "
                   "many open files");
}

}  // namespace
}  // namespace tilewright
