#include "profiles/hardware_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace tilewright {
namespace {

// Prefixes of PoCL's CPU drivers in successive versions; a name that starts with another one comes
// first.
constexpr std::string_view kPoclDrivers[] = {"cpu-minimal-", "cpu-tbb-", "cpu-",
                                             "pthread-",     "basic-",   "tbb-"};

// LLVM's names of processors with FMA and vectors of 512 or 256 bits; a name that starts with
// another one comes first. Which name a driver reports for a processor depends on its version of
// LLVM.
constexpr std::string_view k512Bits[] = {
    "skylake-avx512",  "cascadelake",   "cooperlake", "cannonlake",     "icelake-client",
    "icelake-server",  "tigerlake",     "rocketlake", "sapphirerapids", "emeraldrapids",
    "graniterapids-d", "graniterapids", "znver4",     "znver5",         "x86-64-v4"};
constexpr std::string_view k256Bits[] = {
    "haswell",   "broadwell", "skylake", "alderlake", "raptorlake", "meterlake", "arrowlake-s",
    "arrowlake", "lunarlake", "znver1",  "znver2",    "znver3",     "x86-64-v3"};

// NVIDIA drivers before 465 omit the vendor for names that start with these.
constexpr std::string_view kNvidiaModels[] = {"GeForce ", "TITAN ", "RTX ", "A100-"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// True for versions such as "6.1.0-13-amd64".
bool is_version(std::string_view word) {
  const std::size_t digits = std::find_if_not(word.begin(), word.end(), is_digit) - word.begin();
  return digits > 0 && digits + 1 < word.size() && word[digits] == '.' &&
         is_digit(word[digits + 1]);
}

// True if a word between the parentheses of a Mesa device name describes software.
bool is_software(std::string_view word) {
  constexpr std::string_view kNames[] = {"radeonsi", "r600", "ACO", "Panfrost", "rusticl"};
  return word.starts_with("LLVM ") || word.starts_with("DRM ") || is_version(word) ||
         std::find(std::begin(kNames), std::end(kNames), word) != std::end(kNames);
}

// Returns the words between parentheses that describe hardware. Older versions of Mesa write chip
// names in capital letters and separate words by slashes.
std::string without_software(std::string_view inside) {
  std::string kept;
  bool found_software = false;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find_first_of(",/", begin), inside.size());
    const std::string_view word = trimmed(inside.substr(begin, end - begin));
    begin = end + 1;
    if (is_software(word)) {
      found_software = true;
      continue;
    }
    if (!kept.empty()) kept += ", ";
    for (const unsigned char c : word) kept += static_cast<char>(std::tolower(c));
  }
  return found_software ? kept : std::string(inside);
}

// Removes software from the words between parentheses, and the parentheses if nothing remains.
std::string without_software_in_parentheses(std::string_view name) {
  std::string result;
  while (true) {
    const std::size_t begin = name.find('(');
    const std::size_t end = begin == std::string_view::npos ? begin : name.find(')', begin);
    if (end == std::string_view::npos) return std::string(trimmed(result.append(name)));
    result += name.substr(0, begin);
    const std::string_view inside = name.substr(begin + 1, end - begin - 1);
    const std::string kept = without_software(inside);
    if (!kept.empty() || inside.empty()) result += "(" + kept + ")";
    name.remove_prefix(end + 1);
  }
}

// Returns the text after one of the words and a dash, or "" if the text does not start like this.
template <std::size_t kCount>
std::string_view text_after_word(const std::string_view (&words)[kCount], std::string_view text) {
  for (const std::string_view word : words) {
    if (text.size() > word.size() + 1 && text.starts_with(word) && text[word.size()] == '-') {
      return text.substr(word.size() + 1);
    }
  }
  return "";
}

// Turns PoCL's name of a CPU without its driver, e.g. "skylake-avx512-AMD EPYC", into the
// processor's name and width.
std::string processor_name(std::string_view name) {
  // The wide ones come first, because "skylake-avx512" also starts with "skylake".
  if (const auto model = text_after_word(k512Bits, name); !model.empty()) {
    return std::string(model) + " (512 bits)";
  }
  if (const auto model = text_after_word(k256Bits, name); !model.empty()) {
    return std::string(model) + " (256 bits)";
  }
  return std::string(name);
}

}  // namespace

std::string hardware_name(std::string_view device_name) {
  for (const std::string_view driver : kPoclDrivers) {
    if (device_name.starts_with(driver)) return processor_name(device_name.substr(driver.size()));
  }
  for (const std::string_view model : kNvidiaModels) {
    if (device_name.starts_with(model)) return "NVIDIA " + std::string(device_name);
  }
  // ROCm appends the modes in which a GPU runs: "gfx90a:sramecc+:xnack-".
  if (device_name.starts_with("gfx")) {
    return std::string(device_name.substr(0, device_name.find_first_of(":+")));
  }
  return without_software_in_parentheses(device_name);
}

}  // namespace tilewright
