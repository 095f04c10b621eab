#include "profiles/built_in.hpp"

#include <algorithm>
#include <array>

#include "profiles/profile_text.hpp"
#include "profiles/retyped.hpp"

namespace tilewright {
namespace {

// What is usual in a class.
struct Usual {
  int least_mhz;  // a clock outside is nonsense,
  int most_mhz;
  int mhz;                 // and this one more likely
  double bytes_per_cycle;  // of one compute unit, to and from large buffers
  double most_gbytes_per_s;
  double launch_ns;
  double round_trip_ns;
};

Usual usual_of(DeviceClass value) {
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

// What one compute unit does.
constexpr std::array kOfUnit = {&KernelModel::even_ps, &KernelModel::whole_ps,
                                &KernelModel::group_ps, &KernelModel::element_ps,
                                &KernelModel::narrow_ps};

// From one compute unit at 1 GHz. What comes from memory is shared by all units.
void scale(KernelModel& model, double ghz, double units) {
  for (const auto parameter : kOfUnit) model.*parameter /= ghz;
  for (const auto parameter : {&KernelModel::byte_ps, &KernelModel::far_ps}) {
    model.*parameter /= ghz * units;
  }
}

void guess(Profile& profile, DeviceClass value, const ClassFacts& facts) {
  const Usual usual = usual_of(value);
  const bool sane = facts.max_clock_mhz >= usual.least_mhz && facts.max_clock_mhz <= usual.most_mhz;
  const double ghz = 1e-3 * (sane ? facts.max_clock_mhz : usual.mhz);
  const double units = std::max(facts.compute_units, 1);
  for (KernelModel& model : profile.models) scale(model, ghz, units);
  profile.device.compute_units = facts.compute_units;
  profile.device.max_clock_mhz = facts.max_clock_mhz;
  profile.rates.copy_gbytes_per_s =
      std::min(usual.bytes_per_cycle * ghz * units, usual.most_gbytes_per_s);
  profile.rates.launch_ns = usual.launch_ns;
  profile.rates.round_trip_ns = usual.round_trip_ns;
}

// The same kernels for other types. A vector has half as many doubles as floats.
void add_precisions(Profile& profile, bool has_double) {
  const Profile single = profile;
  for (const Precision precision : {Precision::kDouble, Precision::kHalf}) {
    if (precision == Precision::kDouble && !has_double) continue;
    const Profile other = retyped(single, precision);
    profile.kernels.insert(profile.kernels.end(), other.kernels.begin(), other.kernels.end());
    for (KernelModel model : other.models) {
      for (const auto parameter : kOfUnit) model.*parameter *= floats_of(precision);
      profile.models.push_back(model);
    }
  }
}

}  // namespace

Profile for_device(Profile generic, const ClassFacts& facts) {
  const std::optional<DeviceClass> value = class_of(facts);
  std::erase_if(generic.kernels, [&](const KernelRecord& kernel) {
    return !kernel.classes.empty() && !is_for(kernel, value);
  });
  std::erase_if(generic.models, [&](const KernelModel& model) {
    const KernelRecord* kernel = find_kernel(generic, model.kernel);
    return kernel == nullptr || !(is_for(*kernel, value) || value == DeviceClass::kGpu);
  });
  std::stable_partition(generic.kernels.begin(), generic.kernels.end(),
                        [](const KernelRecord& kernel) { return !kernel.classes.empty(); });
  if (value) guess(generic, *value, facts);
  add_precisions(generic, facts.has_double);
  return generic;
}

Profile built_in_profile(const ClassFacts& facts) {
  return for_device(parse_profile(generic_profile_text(), "built-in profile"), facts);
}

}  // namespace tilewright
