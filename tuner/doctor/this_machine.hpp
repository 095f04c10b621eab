// Runs the examination on this machine, or on a copy of another machine's files.
#pragma once

#include <string>
#include <vector>

#include "tuner/doctor/finding.hpp"
#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// For "/", reads the files of this machine and queries its drivers in worker processes. For another
// root, only reads the files below it. Throws UsageError if the root is not a folder.
Findings findings_below(const std::string& root);

// Selects the findings to show before a tuning: all problems, and the notes that concern the
// device. It leaves out that there is no profile yet (the tuning creates one), for CPUs all notes
// about GPUs, and what the device's own warning says already.
Findings findings_before_tuning(const Findings& findings, const DeviceInfo& device);
// Returns findings_before_tuning() as text: "note: seen", with the advice on a second line.
std::vector<std::string> lines_before_tuning(const Findings& findings, const DeviceInfo& device);

}  // namespace tilewright
