#include "tuner/process/worker_launch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace tilewright {
namespace {

constexpr int kMaxDescriptors = 1024;

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

// A file descriptor that is closed in the destructor unless take() releases it.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.take()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  int get() const { return number_; }
  int take() {
    const int number = number_;
    number_ = -1;
    return number;
  }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

using Pair = std::array<Descriptor, 2>;

Pair make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(errno, "cannot create a pipe for the worker process");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Creates a socket rather than two pipes, because send() can suppress SIGPIPE when the other end is
// gone.
Pair make_channel() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    fail(errno, "cannot create a socket for the worker process");
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void stop_blocking(const Descriptor& descriptor) {
  const int flags = ::fcntl(descriptor.get(), F_GETFL);
  ::fcntl(descriptor.get(), F_SETFL, flags | O_NONBLOCK);
}

std::string own_program() {
  std::string path(4096, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (!path.empty() && ::access(path.c_str(), X_OK) == 0) return path;
  // If the file was replaced while this program runs, this link still refers to the old one.
  if (!path.empty()) return "/proc/self/exe";
  const auto* started_as =
      reinterpret_cast<const char*>(static_cast<std::uintptr_t>(::getauxval(AT_EXECFN)));
  return started_as != nullptr ? started_as : "tilewright";
}

// What the child process needs between fork and exec, where it must not allocate memory.
struct Birth {
  const char* program;
  char* const* arguments;
  pid_t parent;
  int channel;
  int errors;
  int failure;  // pipe on which it reports why exec failed
  sigset_t mask;
};

void forbid_core_files() {
  rlimit limit;
  if (::getrlimit(RLIMIT_CORE, &limit) != 0) return;
  // Many candidates may crash. With a limit of 1, Linux does not start a core collector either;
  // with 0 it does.
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 1);
  ::setrlimit(RLIMIT_CORE, &limit);
}

[[noreturn]] void become_worker(const Birth& birth) {
  ::setpgid(0, 0);
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != birth.parent) ::_exit(1);  // the parent died before prctl() took effect
#endif
  forbid_core_files();
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(null, STDIN_FILENO);
  ::dup2(birth.errors, STDOUT_FILENO);
  ::dup2(birth.errors, STDERR_FILENO);
  // Other code may have opened files without close-on-exec; a lock on one of them would outlive
  // this process.
  for (int i = STDERR_FILENO + 1; i < kMaxDescriptors; ++i) ::fcntl(i, F_SETFD, FD_CLOEXEC);
  ::fcntl(birth.channel, F_SETFD, 0);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) ::signal(number, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &birth.mask, nullptr);
  ::execv(birth.program, birth.arguments);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(birth.failure, &error, sizeof error);
  ::_exit(127);
}

// Waits until the child has executed the program. Returns the error code of exec, or 0 on success.
int exec_error(int descriptor) {
  int error = 0;
  ssize_t read = 0;
  do {
    read = ::read(descriptor, &error, sizeof error);
  } while (read < 0 && errno == EINTR);
  return read == sizeof error ? error : 0;
}

}  // namespace

LaunchedWorker launch_worker(const std::string& program,
                             const std::vector<std::string>& arguments) {
  const std::string path = program.empty() ? own_program() : program;
  Pair channel = make_channel();
  Pair errors = make_pipe();
  Pair failure = make_pipe();

  std::vector<std::string> texts = {"tilewright"};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  texts.insert(texts.end(), {"--channel", std::to_string(channel[1].get())});
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  Birth birth{path.c_str(),    pointers.data(),  ::getpid(), channel[1].get(),
              errors[1].get(), failure[1].get(), {}};

  // Signals are blocked during fork: a signal that reached the child before exec would run this
  // process' handlers and look as if it had reached this process.
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &birth.mask);
  const pid_t pid = ::fork();
  if (pid == 0) become_worker(birth);
  const int fork_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &birth.mask, nullptr);
  if (pid < 0) fail(fork_error, "cannot start a worker process");

  failure[1].close();
  if (const int error = exec_error(failure[0].get()); error != 0) {
    ::waitpid(pid, nullptr, 0);
    fail(error, "cannot start the worker process " + path);
  }
  stop_blocking(channel[0]);
  stop_blocking(errors[0]);
  return {pid, channel[0].take(), errors[0].take()};
}

}  // namespace tilewright
