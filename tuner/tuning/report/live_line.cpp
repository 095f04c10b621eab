#include "tuner/tuning/report/live_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

constexpr const char* kToLineAbove = "\r\033[1A";
constexpr const char* kEraseToEndOfLine = "\033[K";

}  // namespace

std::size_t terminal_columns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
  return known ? size.ws_col : 80;
}

bool is_live_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string(kind) != "dumb";
}

void write_to_terminal(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void LiveLine::show(const std::string& line) {
  const std::string begin = is_shown_ ? kToLineAbove : "";
  write_(begin + printable(line).substr(0, columns_() - 1) + kEraseToEndOfLine + "\n");
  is_shown_ = true;
}

void LiveLine::clear() {
  if (is_shown_) write_(std::string(kToLineAbove) + kEraseToEndOfLine);
  is_shown_ = false;
}

}  // namespace tilewright
