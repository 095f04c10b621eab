// How is indented source text put together?
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tilewright {

// Collects lines of OpenCL C; open() and close() keep the indentation.
class SourceText {
 public:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    add(fmt::format(format, std::forward<Args>(args)...));
  }
  void blank() { text_ += '\n'; }
  // A line that ends in an opening brace.
  template <class... Args>
  void open(fmt::format_string<Args...> format, Args&&... args) {
    add(fmt::format(format, std::forward<Args>(args)...) + " {");
    ++depth_;
  }
  // The opening brace of a function's body, alone on its line.
  void open();
  void close();

  const std::string& text() const { return text_; }

 private:
  void add(std::string_view line);

  std::string text_;
  int depth_ = 0;
};

}  // namespace tilewright
