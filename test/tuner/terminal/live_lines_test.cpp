// What stands on a terminal after lines were shown in place, printed above, and taken away.
#include "tuner/terminal/live_lines.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"

namespace tilewright {
namespace {

// As much of a terminal as live lines need.
class Screen {
 public:
  void write(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\r') {
        column_ = 0;
      } else if (text[i] == '\n') {
        ++row_;
        column_ = 0;
      } else if (text[i] == '\x1b') {
        i = escape(text, i + 2);
      } else {
        line().resize(std::max(line().size(), column_ + 1), ' ');
        line()[column_++] = text[i];
      }
    }
  }
  std::vector<std::string> lines() {
    while (!lines_.empty() && lines_.back().empty()) lines_.pop_back();
    return lines_;
  }
  std::size_t row() const { return row_; }

 private:
  std::string& line() {
    if (lines_.size() <= row_) lines_.resize(row_ + 1);
    return lines_[row_];
  }
  std::size_t escape(const std::string& text, std::size_t at) {
    std::size_t number = 0;
    for (; text[at] >= '0' && text[at] <= '9'; ++at) number = 10 * number + (text[at] - '0');
    if (text[at] == 'A') row_ -= number;
    if (text[at] == 'K' || text[at] == 'J') line().resize(column_);
    if (text[at] == 'J') lines_.resize(row_ + 1);
    return at;
  }

  std::vector<std::string> lines_;
  std::size_t row_ = 0;
  std::size_t column_ = 0;
};

using Lines = std::vector<std::string>;

TEST_CASE("live lines change in place, whether they become more, fewer, longer or shorter") {
  Screen screen;
  LiveLines live([&](const std::string& text) { screen.write(text); },
                 [] {
                   return TerminalSize{20, 10};
                 });
  screen.write("before\n");
  live.show({"one", "two"});
  CHECK(screen.lines() == Lines{"before", "one", "two"});
  live.show({"a longer one", "2", "three"});
  CHECK(screen.lines() == Lines{"before", "a longer one", "2", "three"});
  live.show({"x"});
  CHECK(screen.lines() == Lines{"before", "x"});
  CHECK(screen.row() == 2);  // below them
  live.clear();
  screen.write("after\n");
  live.show({"again"});
  CHECK(screen.lines() == Lines{"before", "after", "again"});
}

TEST_CASE("live lines keep to the terminal's size, and nothing in them moves the cursor") {
  std::string text;
  LiveLines live([&](const std::string& more) { text += more; },
                 [] {
                   return TerminalSize{10, 3};
                 });
  live.show({"0123456789abc", "a\x1b[2Jb", "left out"});
  CHECK(text == "012345678\x1b[K\na\\x1b[2Jb\x1b[K\n\x1b[J");
  text.clear();
  live.clear();
  live.clear();  // once is enough
  CHECK(text == "\r\x1b[2A\x1b[J");
}

}  // namespace
}  // namespace tilewright
