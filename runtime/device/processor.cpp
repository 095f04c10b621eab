#include "runtime/device/processor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "profiles/base/printable.hpp"
#include "profiles/base/read_file.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

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
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    function(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
}

#if defined(__x86_64__) || defined(__i386__)

// This is how Linux computes "cpu family" and "model" in /proc/cpuinfo. Reading that file may take
// more than 10 ms, because Linux measures the clock of each core for it.
std::string x86_processor() {
  unsigned eax = 0;
  std::array<unsigned, 3> name{};  // in the order of the letters
  if (__get_cpuid(0, &eax, &name[0], &name[2], &name[1]) == 0) return "";
  std::array<char, sizeof(name)> vendor{};
  std::memcpy(vendor.data(), name.data(), sizeof(name));
  unsigned ignored = 0;
  if (__get_cpuid(1, &eax, &ignored, &ignored, &ignored) == 0) return "";
  unsigned family = (eax >> 8) & 0xfU;
  unsigned model = (eax >> 4) & 0xfU;
  if (family == 0xfU) family += (eax >> 20) & 0xffU;
  if (family >= 6) model += ((eax >> 16) & 0xfU) << 4;
  return printable(
      fmt::format("{} family {} model {}", trimmed({vendor.data(), vendor.size()}), family, model));
}

#endif

}  // namespace

std::string parse_cpuinfo(std::string_view text) {
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
#if defined(__x86_64__) || defined(__i386__)
  return x86_processor();
#else
  constexpr std::size_t kMaxBytes = 1 << 16;  // of about 150 cores
  return parse_cpuinfo(read_file("/proc/cpuinfo", {0, kMaxBytes}).bytes);
#endif
}

}  // namespace tilewright
