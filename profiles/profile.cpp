#include "profiles/profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/base/printable.hpp"
#include "profiles/hardware_name.hpp"

namespace tilewright {
namespace {

double DeviceRates::*peak_member(Precision arithmetic) {
  switch (arithmetic) {
    case Precision::kDouble:
      return &DeviceRates::double_peak_gflops;
    case Precision::kHalf:
      return &DeviceRates::half_peak_gflops;
    case Precision::kSingle:
      break;
  }
  return &DeviceRates::peak_gflops;
}

std::optional<std::string> other_text(std::string_view what, const std::string& profiled,
                                      const std::string& device) {
  if (profiled == device) return std::nullopt;
  return fmt::format("{0} is {2} on this device, but {1} in the profile", what, in_quotes(profiled),
                     in_quotes(device));
}

std::optional<std::string> too_little(std::string_view what, std::int64_t wanted,
                                      std::int64_t device) {
  if (device >= wanted) return std::nullopt;
  return fmt::format("{0} is {2} on this device, but the profile needs at least {1}", what, wanted,
                     device);
}

// The limits that the profile's kernels may use: for a tuned profile the limits of its device, for
// a predicted one what its kernels need.
std::optional<std::string> min_limits_mismatch(const DeviceLimits& wanted,
                                               const DeviceLimits& device) {
  const auto& sizes = wanted.max_work_item_sizes;
  for (const auto& mismatch :
       {too_little("max_work_group_size", wanted.max_work_group_size, device.max_work_group_size),
        too_little("max_work_item_sizes[0]", sizes[0], device.max_work_item_sizes[0]),
        too_little("max_work_item_sizes[1]", sizes[1], device.max_work_item_sizes[1]),
        too_little("local_memory_bytes", wanted.local_memory_bytes, device.local_memory_bytes)}) {
    if (mismatch) return mismatch;
  }
  if (wanted.image_support && !device.image_support) {
    return "this device does not support images, which the profile needs";
  }
  return std::nullopt;
}

std::optional<std::string> limits_mismatch(const DeviceLimits& profiled,
                                           const DeviceLimits& device) {
  if (auto mismatch = min_limits_mismatch(profiled, device)) return mismatch;
  if (profiled.local_memory_is_dedicated != device.local_memory_is_dedicated) {
    return fmt::format(
        "local memory is {1}dedicated on this device, but {0}dedicated in the profile",
        profiled.local_memory_is_dedicated ? "" : "not ",
        device.local_memory_is_dedicated ? "" : "not ");
  }
  return std::nullopt;
}

// True if a processor, which is a list of cores, has all cores of another.
bool has_all_cores(std::string_view processor, std::string_view other) {
  constexpr std::string_view kSeparator = ", ";
  const auto delimited = [&](std::string_view cores) {
    return fmt::format("{0}{1}{0}", kSeparator, cores);
  };
  const std::string all = delimited(processor);
  while (!other.empty()) {
    const std::string_view core = other.substr(0, other.find(kSeparator));
    if (all.find(delimited(core)) == std::string::npos) return false;
    other.remove_prefix(std::min(core.size() + kSeparator.size(), other.size()));
  }
  return true;
}

}  // namespace

std::string_view to_text(ProfileKind kind) {
  switch (kind) {
    case ProfileKind::kGeneric:
      return "generic";
    case ProfileKind::kPredicted:
      return "predicted";
    case ProfileKind::kTuned:
      break;
  }
  return "tuned";
}

std::optional<ProfileKind> parse_profile_kind(std::string_view text) {
  for (const ProfileKind kind :
       {ProfileKind::kGeneric, ProfileKind::kTuned, ProfileKind::kPredicted}) {
    if (text == to_text(kind)) return kind;
  }
  return std::nullopt;
}

bool is_other_processor(std::string_view profiled, std::string_view device) {
  return !profiled.empty() && !device.empty() && !has_all_cores(profiled, device) &&
         !has_all_cores(device, profiled);
}

std::optional<std::string> hard_mismatch(const DeviceIdentity& profiled,
                                         const DeviceIdentity& device) {
  const bool same_hardware = hardware_name(profiled.name) == hardware_name(device.name);
  for (const auto& mismatch :
       {other_text("vendor", profiled.vendor, device.vendor),
        same_hardware ? std::nullopt : other_text("name", profiled.name, device.name),
        other_text("opencl_c_version", profiled.opencl_c_version, device.opencl_c_version)}) {
    if (mismatch) return mismatch;
  }
  return limits_mismatch(profiled.limits, device.limits);
}

std::optional<std::string> soft_mismatch(const DeviceIdentity& profiled,
                                         const DeviceIdentity& device) {
  std::string differences;
  for (const auto& mismatch : {is_other_processor(profiled.processor, device.processor)
                                   ? other_text("processor", profiled.processor, device.processor)
                                   : std::nullopt,
                               other_text("name", profiled.name, device.name),
                               other_text("platform", profiled.platform, device.platform),
                               other_text("driver", profiled.driver, device.driver),
                               other_text("compute_units", std::to_string(profiled.compute_units),
                                          std::to_string(device.compute_units))}) {
    if (!mismatch) continue;
    if (!differences.empty()) differences += "; ";
    differences += *mismatch;
  }
  if (differences.empty()) return std::nullopt;
  return differences;
}

namespace {

bool names_one_kind(std::string_view device_name, std::string_view kind) {
  const auto alike = [](char given, char wanted) { return wanted == '?' || given == wanted; };
  auto begin = device_name.begin();
  while (true) {
    begin = std::search(begin, device_name.end(), kind.begin(), kind.end(), alike);
    if (begin == device_name.end()) return false;
    const auto after = static_cast<std::size_t>(begin - device_name.begin()) + kind.size();
    const bool goes_on =
        after < device_name.size() && device_name[after] >= '0' && device_name[after] <= '9';
    if (!goes_on) return true;
    ++begin;
  }
}

}  // namespace

bool names_kind(std::string_view device_name, std::string_view kinds) {
  while (!kinds.empty()) {
    const std::string_view kind = kinds.substr(0, kinds.find('|'));
    if (!kind.empty() && names_one_kind(device_name, kind)) return true;
    kinds.remove_prefix(std::min(kinds.size(), kind.size() + 1));
  }
  return false;
}

std::optional<std::string> hard_mismatch(const Profile& profile, const DeviceIdentity& device) {
  if (profile.kind == ProfileKind::kTuned) return hard_mismatch(profile.device, device);
  if (profile.kind == ProfileKind::kGeneric) return std::nullopt;
  if (!names_kind(device.name, profile.device.name)) {
    return fmt::format("it is for devices named {}, but this device is {}",
                       in_quotes(profile.device.name), in_quotes(device.name));
  }
  return min_limits_mismatch(profile.device.limits, device.limits);
}

std::optional<std::string> soft_mismatch(const Profile& profile, const DeviceIdentity& device) {
  if (profile.kind == ProfileKind::kTuned) return soft_mismatch(profile.device, device);
  if (profile.kind == ProfileKind::kGeneric) return std::nullopt;
  return fmt::format("predicted for {}, not measured; run tilewright tune",
                     in_quotes(profile.device.name));
}

double& arithmetic_peak(DeviceRates& rates, Precision arithmetic) {
  return rates.*peak_member(arithmetic);
}

double arithmetic_peak(const DeviceRates& rates, Precision arithmetic) {
  return rates.*peak_member(arithmetic);
}

double product_peak(const DeviceRates& rates, Precision precision) {
  return std::max(arithmetic_peak(rates, sum_precision(precision)),
                  arithmetic_peak(rates, precision));
}

void raise_peak(DeviceRates& rates, double gflops, Precision arithmetic) {
  if (arithmetic == Precision::kHalf) return;
  double& peak = arithmetic_peak(rates, arithmetic);
  if (peak > 0.0) peak = std::max(peak, gflops);
}

double computed_gflops(const ShapeResult& result) {
  return 2.0 * static_cast<double>(result.m) * static_cast<double>(result.n) *
         static_cast<double>(result.k) / result.median_ns;
}

bool is_raised_peak(const DeviceRates& rates, Precision precision) {
  double most = 0.0;
  for (const MultiplyAddRate& rate : rates.multiply_adds) {
    const bool bounds = rate.precision == precision || rate.precision == sum_precision(precision);
    if (bounds) most = std::max(most, rate.gflops);
  }
  return most > 0.0 && most < product_peak(rates, precision);
}

void raise_peaks(Profile& profile) {
  for (const ShapeResult& result : profile.results) {
    const KernelRecord* kernel = find_kernel(profile, result.kernel);
    if (kernel == nullptr) continue;
    const bool is_fused =
        kernel->bias != Dimension::kNone || kernel->activation != Activation::kIdentity;
    if (is_fused) continue;
    raise_peak(profile.rates, computed_gflops(result),
               arithmetic_precision(kernel->precision, kernel->accumulate_k));
  }
}

const KernelRecord* find_kernel(const Profile& profile, std::string_view name) {
  for (const KernelRecord& kernel : profile.kernels) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

int max_half_sums(const Profile& profile) {
  int most = 0;
  for (const KernelRecord& kernel : profile.kernels) most = std::max(most, kernel.accumulate_k);
  return most;
}

Precision measured_precision(const Profile& profile) {
  const bool single =
      std::any_of(profile.kernels.begin(), profile.kernels.end(), [](const KernelRecord& kernel) {
        return is_product(kernel.role) && kernel.precision == Precision::kSingle;
      });
  return single || profile.kernels.empty() ? Precision::kSingle : profile.kernels.front().precision;
}

}  // namespace tilewright
