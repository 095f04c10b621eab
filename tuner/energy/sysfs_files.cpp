#include "tuner/energy/sysfs_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "profiles/base/read_file.hpp"

namespace tilewright {
namespace {

constexpr std::uint64_t kMaxBytes = 4096;  // upper bound for the size of a sysfs file

}  // namespace

SensorReading read_scaled_number(const std::string& file, double scale) {
  const FileContent content = read_file(file, {0, kMaxBytes});
  if (!content.failure.empty()) {
    std::error_code ignored;
    const bool is_forbidden = !content.can_be_opened && std::filesystem::exists(file, ignored);
    return fmt::format("{} {}{}", file, content.failure,
                       is_forbidden ? "; run as root, or: sudo chmod a+r " + file : "");
  }
  char* end = nullptr;
  const double number = std::strtod(content.bytes.c_str(), &end);
  if (end == content.bytes.c_str() || !std::isfinite(number) || number < 0.0) {
    return fmt::format("{} does not contain a number", file);
  }
  return scale * number;
}

std::string read_first_line(const std::string& file) {
  std::string text = read_file(file, {0, kMaxBytes}).bytes;
  text.resize(std::min(text.find_first_of(std::string("\n\0", 2)), text.size()));
  text.resize(text.find_last_not_of(" \t\r") + 1);
  return text;
}

std::vector<std::string> list_names(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> names;
  std::error_code gone;
  std::filesystem::directory_iterator entry(folder, gone);
  for (; !gone && entry != std::filesystem::directory_iterator(); entry.increment(gone)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

void read_from_file(EnergySensor& sensor, const std::string& file, double scale) {
  sensor.info.source = file;
  sensor.read = [file, scale] { return read_scaled_number(file, scale); };
  const SensorReading first = sensor.read();
  if (const auto* failure = std::get_if<std::string>(&first)) sensor.info.unreadable = *failure;
}

}  // namespace tilewright
