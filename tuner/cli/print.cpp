#include "tuner/cli/print.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>

namespace tilewright {
namespace {

std::FILE* reserved = nullptr;  // nullptr: not reserved, or no descriptor was free
std::string typed_name;         // the latest name that name_reserved_output() replaced

std::string reserved_name() {
  return "/dev/fd/" + std::to_string(::fileno(reserved));
}

// Returns the message with the name of standard output as the user typed it.
std::string with_typed_name(std::string message) {
  if (typed_name.empty()) return message;
  const std::string name = reserved_name();
  for (auto at = message.find(name); at != message.npos; at = message.find(name, at)) {
    const std::size_t end = at + name.size();
    const bool is_whole = end == message.size() || message[end] < '0' || message[end] > '9';
    if (is_whole) message.replace(at, name.size(), typed_name);
    at += is_whole ? typed_name.size() : 1;
  }
  return message;
}

}  // namespace

void reserve_standard_output() {
  const int own = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (own < 0) return;
  reserved = ::fdopen(own, "w");
  if (reserved == nullptr) {
    ::close(own);  // standard output was closed from the start, so its output is lost anyway
    return;
  }
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

std::FILE* standard_output() {
  return reserved != nullptr ? reserved : stdout;
}

std::string name_reserved_output(const std::string& argument) {
  if (reserved == nullptr) return argument;
  for (const std::string_view name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    if (!argument.ends_with(name)) continue;
    const std::string before = argument.substr(0, argument.size() - name.size());
    if (!before.empty() && !(before.front() == '-' && before.back() == '=')) continue;
    typed_name = name;
    return before + reserved_name();
  }
  return argument;
}

void occupy_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // open() uses the lowest free descriptor, which is this one. The access mode is the wrong one,
    // so that using the descriptor is an error.
    const int flags = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    [[maybe_unused]] const int opened = ::open("/dev/null", flags);
  }
}

std::string lost_standard_output() {
  std::FILE* const stream = standard_output();
  errno = 0;
  bool arrived = std::fflush(stream) == 0;
  if (arrived) {
    // Some network file systems report a lack of space only when a file is closed.
    const int copy = ::dup(::fileno(stream));
    arrived = copy >= 0 && ::close(copy) == 0;
  }
  const int code = errno;
  if (!arrived) return std::generic_category().message(code);
  return std::ferror(stream) != 0 ? "some output was lost" : "";
}

void print_lines(std::FILE* stream, std::string_view lines) {
  fmt::print(stream, "{}", with_typed_name(printable_lines(lines)));
}

void print_path(const std::string& path) {
  fmt::print(standard_output(), "{}\n", with_typed_name(path));
}

}  // namespace tilewright
