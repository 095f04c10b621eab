// Lists the devices for a command, with messages about those that failed.
#pragma once

#include <string>
#include <vector>

#include "tuner/measure/device/device_choice.hpp"

namespace tilewright {

// Prints each failure on standard error, once in a process. `failures`: DeviceList::failures.
void print_failures(const std::vector<std::string>& failures);

// The result of enumerate_devices(). Prints its failures.
DeviceList list_devices();

}  // namespace tilewright
