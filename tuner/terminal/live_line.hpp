// A line at the foot of a terminal that changes in place.
//
// The cursor waits at the beginning of the line below it, so that a program that ends at any moment
// leaves a tidy terminal.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tilewright {

// Width of the terminal that standard error goes to; 80 if it is unknown.
std::size_t terminal_columns();
// Can a line be redrawn there? It is a terminal, and no dumb one.
bool is_live_terminal();
// Writes the text to standard error at once, as it is: LiveLine's codes must reach the terminal.
// Ignores errors: a terminal that is gone (a lost connection) must not end a tuning before its
// profile is written.
void write_to_terminal(const std::string& text);

class LiveLine {
 public:
  explicit LiveLine(std::function<void(const std::string&)> write = write_to_terminal,
                    std::function<std::size_t()> columns = terminal_columns)
      : write_(std::move(write)), columns_(std::move(columns)) {}

  // Replaces what was shown before: printable ASCII, cut to the terminal's width.
  void show(const std::string& line);
  // Takes the line away: what is written next stands in its place.
  void clear();

 private:
  std::function<void(const std::string&)> write_;
  std::function<std::size_t()> columns_;
  bool is_shown_ = false;
};

}  // namespace tilewright
