#include "runtime/device/processor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "profiles/base/printable.hpp"
#include "profiles/base/read_file.hpp"

namespace tilewright {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Calls `function` with the key and the value of each line "key : value".
template <class Function>
void for_each_field(std::string_view text, Function&& function) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    function(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
}

// The value of the first line with that key, or "".
std::string_view first_value(std::string_view text, std::string_view wanted) {
  std::string_view found;
  for_each_field(text, [&](std::string_view key, std::string_view value) {
    if (found.empty() && key == wanted) found = value;
  });
  return found;
}

}  // namespace

std::string parse_cpuinfo(std::string_view text) {
  const std::string_view vendor = first_value(text, "vendor_id");
  const std::string_view family = first_value(text, "cpu family");
  const std::string_view model = first_value(text, "model");
  if (!vendor.empty() && !family.empty() && !model.empty()) {
    return printable(fmt::format("{} family {} model {}", vendor, family, model));
  }
  std::set<std::string> cores;
  std::string_view implementer;
  for_each_field(text, [&](std::string_view key, std::string_view value) {
    if (key == "CPU implementer") implementer = value;
    if (key != "CPU part" || implementer.empty() || value.empty()) return;
    cores.insert(fmt::format("implementer {} part {}", implementer, value));
  });
  return printable(fmt::format("{}", fmt::join(cores, ", ")));
}

std::string host_processor() {
  // Enough for about 10 cores of x86, of which one is needed, and 40 of ARM.
  constexpr std::size_t kMaxBytes = 1 << 14;
  return parse_cpuinfo(read_file("/proc/cpuinfo", {0, kMaxBytes}).bytes);
}

}  // namespace tilewright
