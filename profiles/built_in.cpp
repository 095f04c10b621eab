#include "profiles/built_in.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "profiles/profile_text.hpp"
#include "profiles/retyped.hpp"

namespace tilewright {
namespace {

// Typical figures of a class of devices.
struct Usual {
  int min_mhz;             // a clock that the driver reports below this is wrong,
  int max_mhz;             // as is one above this
  int mhz;                 // replaces a wrong clock
  double bytes_per_cycle;  // bandwidth of one compute unit, to and from large buffers
  double max_gbytes_per_s;
  double launch_ns;
  double round_trip_ns;
};

Usual usual_rates(DeviceClass value) {
  switch (value) {
    case DeviceClass::kCpu8:
    case DeviceClass::kCpu16:
      return {400, 7000, 2500, 6.0, 200.0, 2e3, 30e3};
    case DeviceClass::kGpuLocal:
      return {200, 4000, 1200, 12.0, 4000.0, 6e3, 12e3};
    case DeviceClass::kGpu:
      break;
  }
  return {100, 2000, 700, 5.0, 60.0, 20e3, 80e3};
}

bool is_for(const KernelRecord& kernel, std::optional<DeviceClass> value) {
  return value &&
         std::find(kernel.classes.begin(), kernel.classes.end(), *value) != kernel.classes.end();
}

// Parameters that scale with the speed of one compute unit.
constexpr std::array kOfUnit = {&KernelModel::even_ps, &KernelModel::whole_ps,
                                &KernelModel::group_ps, &KernelModel::element_ps,
                                &KernelModel::narrow_ps};

// Removes all kernels for which `wanted` returns false, and their models.
template <class Wanted>
void keep(Profile& profile, const Wanted& wanted) {
  std::erase_if(profile.kernels, [&](const KernelRecord& kernel) { return !wanted(kernel); });
  std::erase_if(profile.models, [&](const KernelModel& model) {
    return find_kernel(profile, model.kernel) == nullptr;
  });
}

// Scales a model for one compute unit at 1 GHz to `units` units at `ghz`. All units share the
// memory bandwidth.
void scale(KernelModel& model, double ghz, double units) {
  for (const auto parameter : kOfUnit) model.*parameter /= ghz;
  for (const auto parameter : {&KernelModel::byte_ps, &KernelModel::far_ps}) {
    model.*parameter /= ghz * units;
  }
}

void guess(Profile& profile, DeviceClass value, const DeviceInfo& device) {
  const Usual usual = usual_rates(value);
  const bool sane = device.identity.max_clock_mhz >= usual.min_mhz &&
                    device.identity.max_clock_mhz <= usual.max_mhz;
  const double ghz = 1e-3 * (sane ? device.identity.max_clock_mhz : usual.mhz);
  const double units = std::max(device.identity.compute_units, 1);
  for (KernelModel& model : profile.models) scale(model, ghz, units);
  profile.device.compute_units = device.identity.compute_units;
  profile.device.max_clock_mhz = device.identity.max_clock_mhz;
  profile.rates.copy_gbytes_per_s =
      std::min(usual.bytes_per_cycle * ghz * units, usual.max_gbytes_per_s);
  profile.rates.launch_ns = usual.launch_ns;
  profile.rates.round_trip_ns = usual.round_trip_ns;
}

// Adds the kernels for another precision. `longer` is their run time relative to single precision.
void add_retyped(Profile& profile, const Profile& single, Precision precision, double longer) {
  Profile other = retyped(single, precision);
  keep(other, [&](const KernelRecord& kernel) { return !find_kernel(profile, kernel.name); });
  for (KernelModel& model : other.models) {
    for (const auto parameter : kOfUnit) model.*parameter *= longer;
  }
  std::move(other.kernels.begin(), other.kernels.end(), std::back_inserter(profile.kernels));
  std::move(other.models.begin(), other.models.end(), std::back_inserter(profile.models));
}

// True if the accumulators of a work-item fit, as doubles, into the registers of a CPU with vectors
// of 16 floats.
bool fits_as_doubles(const KernelRecord& kernel) {
  constexpr std::size_t kRegisters = 32 * 16 * sizeof(float);
  return static_cast<std::size_t>(kernel.tile.m) * kernel.tile.n * sizeof(double) <= kRegisters;
}

// Adds the same kernels for other precisions. A vector holds half as many doubles as floats, so on
// devices with long vectors, doubles use the panels that are meant for shorter ones.
void add_precisions(Profile& profile, const Profile& half_as_wide, bool has_double) {
  const Profile single = profile;
  add_retyped(profile, single, Precision::kHalf, 1.0);
  if (!has_double) return;
  if (half_as_wide.kernels.empty()) {
    return add_retyped(profile, single, Precision::kDouble, floats_per_sum(Precision::kDouble));
  }
  Profile fits = single;
  keep(fits, fits_as_doubles);
  add_retyped(profile, fits, Precision::kDouble, floats_per_sum(Precision::kDouble));
  add_retyped(profile, half_as_wide, Precision::kDouble, 1.0);
}

Profile for_class(Profile generic, const DeviceInfo& device, std::optional<DeviceClass> value) {
  Profile half_as_wide;
  if (value == DeviceClass::kCpu16) {
    half_as_wide = generic;
    keep(half_as_wide, [](const KernelRecord& kernel) {
      const bool panels = kernel.role == Role::kGemm && !kernel.layout_b->is_plain();
      return is_for(kernel, DeviceClass::kCpu8) && (panels || kernel.role == Role::kPack);
    });
    guess(half_as_wide, *value, device);
  }
  std::erase_if(generic.kernels, [&](const KernelRecord& kernel) {
    return !kernel.classes.empty() && !is_for(kernel, value);
  });
  std::erase_if(generic.models, [&](const KernelModel& model) {
    const KernelRecord* kernel = find_kernel(generic, model.kernel);
    return kernel == nullptr || !(is_for(*kernel, value) || value == DeviceClass::kGpu);
  });
  std::stable_partition(generic.kernels.begin(), generic.kernels.end(),
                        [](const KernelRecord& kernel) { return !kernel.classes.empty(); });
  if (value) guess(generic, *value, device);
  add_precisions(generic, half_as_wide, device.has_double);
  return generic;
}

}  // namespace

const Profile& GenericProfile::get() const {
  if (!*parsed_) *parsed_ = parse_profile(generic_profile_text(), "built-in profile");
  return **parsed_;
}

std::optional<KernelRecord> built_in_kernel(const Profile& generic, std::string_view name) {
  const auto found = [&](KernelRecord kernel) {
    kernel.classes.clear();
    kernel.built_in = true;
    return kernel;
  };
  if (const KernelRecord* kernel = find_kernel(generic, name)) return found(*kernel);
  for (const Precision precision : {Precision::kDouble, Precision::kHalf}) {
    if (name.substr(0, 1) != to_text(precision)) continue;
    for (const KernelRecord& kernel : generic.kernels) {
      // The names of kernels differ in the letter of the precision, which those of products have.
      const std::string_view own = std::string_view(kernel.name).substr(is_product(kernel.role));
      if (name.substr(1) != own) continue;
      if (auto other = retyped(kernel, precision)) return found(*std::move(other));
    }
  }
  return std::nullopt;
}

Profile for_device(Profile generic, const DeviceInfo& device) {
  return for_class(std::move(generic), device, likeliest_class(device));
}

Profile built_in_profile(const DeviceInfo& device) {
  return for_device(GenericProfile().get(), device);
}

Profile built_in_profile(const DeviceInfo& device, const Profile& tuned,
                         const GenericProfile& generic) {
  Profile profile = for_device(generic.get(), device);
  keep(profile, [&](const KernelRecord& kernel) {
    return std::none_of(tuned.failing_built_in.begin(), tuned.failing_built_in.end(),
                        [&](const auto& failing) { return failing.name == kernel.name; });
  });
  return profile;
}

Profile built_in_profile(const DeviceInfo& device, DeviceClass value) {
  return for_class(GenericProfile().get(), device, value);
}

}  // namespace tilewright
