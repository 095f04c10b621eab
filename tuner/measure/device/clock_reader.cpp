#include "tuner/measure/device/clock_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <vector>

#include "profiles/base/read_file.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxSysfsBytes = 4096;  // upper bound for the size of a sysfs file

std::vector<std::string> read_words(const std::string& file) {
  std::istringstream in(read_file(file, {0, kMaxSysfsBytes}).bytes);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Returns the number at the start of a file; 0 if there is none or it is negative.
std::int64_t hz_in(const std::string& file) {
  std::istringstream in(read_file(file, {0, kMaxSysfsBytes}).bytes);
  std::int64_t hz = 0;
  return in >> hz ? std::max(hz, std::int64_t{0}) : 0;
}

bool is_gpu(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.find("gpu") != std::string::npos || name.find("mali") != std::string::npos;
}

}  // namespace

ClockReader::ClockReader(const std::string& sysfs) {
  std::error_code ignored;  // a missing folder means: no clock
  std::vector<std::string> folders;
  const fs::directory_iterator all(fs::path(sysfs) / "class" / "devfreq", ignored);
  for (const fs::directory_entry& entry : all) folders.push_back(entry.path().string());
  std::sort(folders.begin(), folders.end());
  const auto gpu = std::find_if(folders.begin(), folders.end(), [](const std::string& folder) {
    return is_gpu(fs::path(folder).filename().string());
  });
  if (gpu != folders.end()) {
    path_ = *gpu;
  } else if (folders.size() == 1) {
    path_ = folders.front();
  }
}

std::string ClockReader::governor() const {
  if (path_.empty()) return "";
  const std::vector<std::string> words = read_words(path_ + "/governor");
  return words.empty() ? "" : words.front();
}

std::int64_t ClockReader::now_hz() const {
  return path_.empty() ? 0 : hz_in(path_ + "/cur_freq");
}

std::string ClockReader::warning() const {
  const std::string governor = this->governor();
  if (governor.empty() || governor == "performance" || governor == "userspace") return "";
  return fmt::format(
      "the GPU's clock varies (governor {}), so samples cannot be compared; pin it with `echo "
      "performance | sudo tee {}/governor`",
      governor, path_);
}

}  // namespace tilewright
