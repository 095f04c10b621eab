#include "tuner/terminal/one_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tuner/terminal/usage_error.hpp"

namespace tilewright {

bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

void refuse_input(const std::string& option, const std::string& output,
                  const std::vector<std::string>& inputs) {
  const bool is_input = std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
    return are_one_file(input, output);
  });
  if (is_input) throw UsageError(fmt::format("{}: {} is an input", option, output));
}

}  // namespace tilewright
