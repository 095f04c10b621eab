#include "profiles/device_class.hpp"

#include <array>
#include <utility>

namespace tilewright {
namespace {

constexpr std::array<std::pair<DeviceClass, std::string_view>, 4> kWords = {{
    {DeviceClass::kCpu8, "cpu-8"},
    {DeviceClass::kCpu16, "cpu-16"},
    {DeviceClass::kGpuLocal, "gpu-local"},
    {DeviceClass::kGpu, "gpu"},
}};

}  // namespace

std::string_view to_text(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kCpu:
      return "cpu";
    case DeviceKind::kGpu:
      return "gpu";
    case DeviceKind::kOther:
      break;
  }
  return "accelerator";
}

std::vector<DeviceClass> likely_classes(const DeviceInfo& device) {
  // On small GPUs, local memory may be no faster than the caches. No such GPU has been measured
  // yet. So the library trusts the driver's report that local memory is dedicated, and a tuning
  // tries both classes.
  constexpr int kFewUnits = 32;
  switch (device.kind) {
    case DeviceKind::kGpu:
      if (!device.identity.limits.local_memory_is_dedicated) return {DeviceClass::kGpu};
      if (device.identity.compute_units > kFewUnits) return {DeviceClass::kGpuLocal};
      return {DeviceClass::kGpuLocal, DeviceClass::kGpu};
    case DeviceKind::kCpu:
      if (device.native_vector_width >= 16) return {DeviceClass::kCpu16};
      if (device.native_vector_width >= 8) return {DeviceClass::kCpu8};
      // On CPUs with 16 registers of 4 floats (PoCL for SSE 4.1) the kernels of kCpu8 were 1.1 to
      // 1.2 times as fast as those of kGpu. They were also faster on llvmpipe, which reports
      // vectors of one float.
      return {DeviceClass::kCpu8, DeviceClass::kGpu};
    case DeviceKind::kOther:
      break;
  }
  return {};
}

std::optional<DeviceClass> likeliest_class(const DeviceInfo& device) {
  const std::vector<DeviceClass> likely = likely_classes(device);
  return likely.empty() ? std::nullopt : std::optional(likely.front());
}

std::string_view to_text(DeviceClass value) {
  for (const auto& [known, word] : kWords) {
    if (known == value) return word;
  }
  return "";
}

std::optional<DeviceClass> parse_device_class(std::string_view text) {
  for (const auto& [known, word] : kWords) {
    if (word == text) return known;
  }
  return std::nullopt;
}

std::string to_text(const DeviceClasses& classes) {
  std::string text;
  for (const DeviceClass value : classes) {
    if (!text.empty()) text += ' ';
    text += to_text(value);
  }
  return text;
}

// Accepts only the output of to_text(): in order, without duplicates.
std::optional<DeviceClasses> parse_device_classes(std::string_view text) {
  DeviceClasses classes;
  while (true) {
    const std::size_t end = text.find(' ');
    const auto value = parse_device_class(text.substr(0, end));
    if (!value || (!classes.empty() && *value <= classes.back())) return std::nullopt;
    classes.push_back(*value);
    if (end == std::string_view::npos) return classes;
    text.remove_prefix(end + 1);
  }
}

}  // namespace tilewright
