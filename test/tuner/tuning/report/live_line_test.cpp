// Tests what a terminal shows after a live line was shown, printed above, and removed.
#include "tuner/tuning/report/live_line.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"

namespace tilewright {
namespace {

// The part of a terminal that a live line needs.
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
    if (text[at] == 'K') line().resize(column_);
    return at;
  }

  std::vector<std::string> lines_;
  std::size_t row_ = 0;
  std::size_t column_ = 0;
};

using Lines = std::vector<std::string>;

TEST_CASE("a live line changes in place, whether it becomes longer or shorter") {
  Screen screen;
  LiveLine live([&](const std::string& text) { screen.write(text); }, [] { return 20; });
  screen.write("before\n");
  live.show("one");
  CHECK(screen.lines() == Lines{"before", "one"});
  live.show("a longer one");
  CHECK(screen.lines() == Lines{"before", "a longer one"});
  live.show("x");
  CHECK(screen.lines() == Lines{"before", "x"});
  CHECK(screen.row() == 2);  // below the line
  live.clear();
  screen.write("after\n");
  live.show("again");
  CHECK(screen.lines() == Lines{"before", "after", "again"});
}

TEST_CASE(
    "a live line is cut to the terminal's width, and none of its characters moves the cursor") {
  std::string text;
  LiveLine live([&](const std::string& more) { text += more; }, [] { return 10; });
  live.show("0123456789abc");
  CHECK(text == "012345678\x1b[K\n");
  text.clear();
  live.show("a\x1b[2Jb");
  CHECK(text == "\r\x1b[1Aa\\x1b[2Jb\x1b[K\n");
  text.clear();
  live.clear();
  live.clear();  // a second call has no effect
  CHECK(text == "\r\x1b[1A\x1b[K");
}

}  // namespace
}  // namespace tilewright
