#include "tuner/terminal/one_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tuner/terminal/usage_error.hpp"

namespace tilewright {

bool are_one_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (a == b || fs::equivalent(a, b, error)) return true;
  return fs::weakly_canonical(fs::absolute(a)) == fs::weakly_canonical(fs::absolute(b));
}

void refuse_input(const std::string& option, const std::string& output,
                  const std::vector<std::string>& inputs) {
  const bool is_input = std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
    return are_one_file(input, output);
  });
  if (is_input)
    throw UsageError(fmt::format("{}: {} is an input; name another file", option, output));
}

}  // namespace tilewright
