#include "tuner/tuning/same_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "profiles/base/usage_error.hpp"

namespace tilewright {

namespace {

// Returns the path with all links resolved. If it cannot be resolved (for example a pipe through
// /dev/stdout), returns the absolute path.
std::filesystem::path resolved(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(absolute, error);
  return error ? absolute : canonical;
}

}  // namespace

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error) || resolved(a) == resolved(b);
}

void refuse_input(const std::string& option, const std::string& output,
                  const std::vector<std::string>& inputs) {
  const bool is_input = std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
    return is_same_file(input, output);
  });
  if (is_input)
    throw UsageError(fmt::format("{}: {} is an input file; name another file", option, output));
}

}  // namespace tilewright
