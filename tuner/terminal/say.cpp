#include "tuner/terminal/say.hpp"

namespace tilewright {

void say_lines(std::FILE* stream, std::string_view lines) {
  fmt::print(stream, "{}", with_typed_name(printable_lines(lines)));
}

void say_path(const std::string& path) {
  fmt::print(standard_output(), "{}\n", with_typed_name(path));
}

}  // namespace tilewright
