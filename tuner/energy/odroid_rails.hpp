// The supply rails of the Odroid XU3 and XU+E that INA231 sensors measure, by I2C address.
#pragma once

#include <string>
#include <string_view>

#include "tuner/energy/energy_sensor.hpp"

namespace tilewright {

struct OdroidRail {
  std::string_view address;  // how the name of the I2C device ends
  const char* name;
  SensorScope scope;
  const char* covers;
};

// exynos5422-odroidxu3.dts of Linux; the vendor's kernels use the same addresses.
inline constexpr OdroidRail kOdroidRails[] = {
    {"-0040", "VDD_ARM", SensorScope::kCpu, "the Cortex-A15 cores"},
    {"-0041", "VDD_MEM", SensorScope::kPart, "the memory"},
    {"-0044", "VDD_G3D", SensorScope::kGpu, "the GPU"},
    {"-0045", "VDD_KFC", SensorScope::kCpu, "the Cortex-A7 cores"},
};

// Returns the rail that the I2C device with a name such as "0-0044" measures; null if none.
inline const OdroidRail* find_odroid_rail(std::string_view i2c_device) {
  for (const OdroidRail& rail : kOdroidRails) {
    if (i2c_device.ends_with(rail.address)) return &rail;
  }
  return nullptr;
}

}  // namespace tilewright
