#include "tuner/terminal/live_lines.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "profiles/printable.hpp"

namespace tilewright {
namespace {

constexpr const char* kEraseToEndOfLine = "\033[K";
constexpr const char* kEraseBelow = "\033[J";

}  // namespace

TerminalSize terminal_size() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
  return known ? TerminalSize{size.ws_col, std::max<std::size_t>(size.ws_row, 2)} : TerminalSize{};
}

bool is_live_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string(kind) != "dumb";
}

void write_to_terminal(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

std::string LiveLines::to_begin() const {
  return shown_ == 0 ? "" : fmt::format("\r\033[{}A", shown_);
}

void LiveLines::show(const std::vector<std::string>& lines) {
  const TerminalSize size = size_();
  std::string text = to_begin();
  shown_ = std::min(lines.size(), size.rows - 1);
  for (std::size_t i = 0; i < shown_; ++i) {
    text += printable(lines[i]).substr(0, size.columns - 1) + kEraseToEndOfLine + "\n";
  }
  write_(text + kEraseBelow);
}

void LiveLines::clear() {
  if (shown_ > 0) write_(to_begin() + kEraseBelow);
  shown_ = 0;
}

}  // namespace tilewright
