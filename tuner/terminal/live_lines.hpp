// How do a few lines stay at the foot of a terminal and change in place?
//
// The cursor waits at the begin of the line below them, so that a program that ends at any moment
// leaves a tidy terminal.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tilewright {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};
// Of what standard error goes to.
TerminalSize terminal_size();
// Can lines be redrawn there? It is a terminal, and no dumb one.
bool is_live_terminal();
// Writes the text to standard error at once, as it is: LiveLines' codes must reach the terminal.
// Ignores errors: a terminal that is gone (a lost connection) must not end a tuning before its
// profile is written.
void write_to_terminal(const std::string& text);

class LiveLines {
 public:
  using Write = std::function<void(const std::string&)>;
  explicit LiveLines(Write write = write_to_terminal,
                     std::function<TerminalSize()> size = terminal_size)
      : write_(std::move(write)), size_(std::move(size)) {}

  // In the place of what was shown before: printable ASCII, cut to the terminal's width, and as
  // many as it has room for.
  void show(const std::vector<std::string>& lines);
  // Nothing is shown any more: what is written next stands there.
  void clear();

 private:
  std::string to_begin() const;

  Write write_;
  std::function<TerminalSize()> size_;
  std::size_t shown_ = 0;  // lines
};

}  // namespace tilewright
