#include "running_program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "run_program.hpp"

namespace tilewright {
namespace {

struct ProcessState {
  char state = '?';
  pid_t parent = -1;
};

// Parses /proc/PID/stat: "pid (name) state parent ..."; the name may contain anything.
ProcessState read_process_state(const std::string& pid) {
  std::stringstream text;
  text << std::ifstream("/proc/" + pid + "/stat").rdbuf();
  const std::string line = text.str();
  ProcessState state;
  const std::size_t end = line.rfind(')');
  if (end != std::string::npos)
    std::istringstream(line.substr(end + 1)) >> state.state >> state.parent;
  return state;
}

bool is_number(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos;
}

std::vector<pid_t> child_processes(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (!is_number(name) || read_process_state(name).parent != parent) continue;
    const pid_t child = static_cast<pid_t>(std::stol(name));
    children.push_back(child);
    for (const pid_t grandchild : child_processes(child)) children.push_back(grandchild);
  }
  return children;
}

[[noreturn]] void become(const std::vector<std::string>& arguments, const std::string& error_path) {
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDWR);
  const int error = ::open(error_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(error, STDERR_FILENO);
  std::vector<char*> argv = {const_cast<char*>(TILEWRIGHT_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(TILEWRIGHT_PROGRAM, argv.data());
  ::_exit(127);
}

}  // namespace

RunningProgram::RunningProgram(const std::vector<std::string>& arguments)
    : error_path_(scratch_folder() + "/running-stderr") {
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) become(arguments, error_path_);
}

RunningProgram::~RunningProgram() {
  if (!running()) return;
  signal(SIGKILL);
  wait(300.0);
}

std::vector<pid_t> RunningProgram::children() const {
  return child_processes(pid_);
}

void RunningProgram::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

bool RunningProgram::running() {
  if (exit_code_ >= 0) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return false;
}

bool RunningProgram::wait(double seconds) {
  const double until = seconds_now() + seconds;
  while (running()) {
    if (seconds_now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

std::string RunningProgram::error() const {
  std::stringstream text;
  text << std::ifstream(error_path_).rdbuf();
  return text.str();
}

bool is_alive(pid_t pid) {
  const char state = read_process_state(std::to_string(pid)).state;
  return state != '?' && state != 'Z' && state != 'X';
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace tilewright
