// An artificial device for tests of the models that order candidates.
#pragma once

#include "profiles/device_info.hpp"

namespace tilewright {

inline DeviceInfo modelled_device(int native_vector_width, int min_work_group,
                                  bool side_by_side = false, bool local_is_dedicated = false,
                                  int vector_registers = 0) {
  DeviceInfo device;
  device.native_vector_width = native_vector_width;
  device.min_work_group = min_work_group;
  device.side_by_side = side_by_side;
  device.limits.local_memory_is_dedicated = local_is_dedicated;
  device.vector_registers = vector_registers;
  return device;
}

}  // namespace tilewright
