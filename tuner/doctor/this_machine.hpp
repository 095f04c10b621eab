// What does the doctor find on this machine, or in the copy of another's files?
#pragma once

#include <string>

#include "tuner/doctor/finding.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

// Asks this machine's drivers in processes of their own, and reads its files ("/"), or reads those
// below another root. Throws UsageError if the root is no folder.
Findings findings_below(const std::string& root);

// What a person should know before a device is tuned: all problems, and notes that concern it. Not
// that it has no profile yet, which a tuning mends; nor, for a CPU, what is about GPUs; nor what
// the device's own warning says.
Findings told_before_tuning(const Findings& findings, const DeviceInfo& device);

}  // namespace tilewright
