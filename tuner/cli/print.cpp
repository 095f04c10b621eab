#include "tuner/cli/print.hpp"

namespace tilewright {

void print_lines(std::FILE* stream, std::string_view lines) {
  fmt::print(stream, "{}", with_typed_name(printable_lines(lines)));
}

void print_path(const std::string& path) {
  fmt::print(standard_output(), "{}\n", with_typed_name(path));
}

}  // namespace tilewright
