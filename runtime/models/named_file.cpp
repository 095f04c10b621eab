#include "named_file.hpp"

#include <algorithm>
#include <filesystem>

namespace tilewright {
namespace {

bool is_below(const std::filesystem::path& file, const std::filesystem::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

}  // namespace

std::optional<std::string> named_file_path(const std::string& naming, const std::string& named) {
  namespace fs = std::filesystem;
  const fs::path inside = fs::path(named).lexically_normal();
  const bool is_name = named.find('\0') == std::string::npos && !inside.empty();
  if (!is_name || inside.has_root_path() || *inside.begin() == "..") return std::nullopt;
  const fs::path folder = fs::path(naming).parent_path();
  // A path that does not exist is not resolved further; opening the file reports the error.
  std::error_code no_folder;
  std::error_code no_file;
  const fs::path real_folder = fs::canonical(folder.empty() ? "." : folder, no_folder);
  const fs::path real = fs::weakly_canonical(real_folder / inside, no_file);
  if (no_folder || no_file) return std::nullopt;
  const fs::path named_by = fs::weakly_canonical(naming, no_file).parent_path();
  if (!is_below(real, real_folder) && (no_file || !is_below(real, named_by))) return std::nullopt;
  return (folder / inside).string();
}

std::string file_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

}  // namespace tilewright
