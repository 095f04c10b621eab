// Shows a line at the bottom of a terminal and updates it in place.
//
// The cursor stays at the start of the next line, so that the terminal remains tidy even if the
// program ends unexpectedly.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tilewright {

// Returns the width of the terminal on standard error in columns; 80 if it is unknown.
std::size_t terminal_columns();
// Returns true if standard error is a terminal that supports control sequences.
bool is_live_terminal();
// Writes the text to standard error at once and unchanged, because the control sequences of
// LiveLine must reach the terminal. Ignores errors: losing the terminal (a dropped connection) must
// not end a tuning before its profile is written.
void write_to_terminal(const std::string& text);

// The line. Not thread-safe.
class LiveLine {
 public:
  // `write` and `columns` are replaced in tests.
  explicit LiveLine(std::function<void(const std::string&)> write = write_to_terminal,
                    std::function<std::size_t()> columns = terminal_columns)
      : write_(std::move(write)), columns_(std::move(columns)) {}

  // Shows a line instead of the previous one. Characters that are not printable ASCII are escaped,
  // and the line is cut to the width of the terminal.
  void show(const std::string& line);
  // Removes the line. Text written afterwards appears in its place.
  void clear();

 private:
  std::function<void(const std::string&)> write_;
  std::function<std::size_t()> columns_;
  bool is_shown_ = false;
};

}  // namespace tilewright
