// Builds indented source text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tilewright {

// Collects lines of OpenCL C. open() and close() maintain the indentation.
class SourceText {
 public:
  // Writes a line, formatted with fmt.
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    add(fmt::format(format, std::forward<Args>(args)...));
  }
  void blank() { text_ += '\n'; }
  // Writes a line that ends with an opening brace.
  template <class... Args>
  void open(fmt::format_string<Args...> format, Args&&... args) {
    add(fmt::format(format, std::forward<Args>(args)...) + " {");
    ++depth_;
  }
  // Writes the opening brace of a function's body on a line of its own.
  void open();
  void close();

  const std::string& text() const { return text_; }

 private:
  void add(std::string_view line);

  std::string text_;
  int depth_ = 0;
};

}  // namespace tilewright
