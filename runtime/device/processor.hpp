// Identifies the processor of the host, which is the device that an OpenCL driver for CPUs runs on.
//
// The names of such devices do not tell processors apart: PoCL gives one name to Zen 4 and Zen 5,
// whose peaks differ by a factor of 2.3.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// Returns the processor that a text in the format of /proc/cpuinfo describes on ARM: all different
// cores in ascending order, separated by a comma and a blank, such as
// "implementer 0x41 part 0xd03, implementer 0x41 part 0xd09". Variants and revisions are left out.
// A last line that does not end is ignored. Empty if the text describes no such core.
std::string parse_cpuinfo(std::string_view text);

// Returns the processor of this machine. On x86 it is the vendor, family and model that the
// instruction cpuid reports, such as "AuthenticAMD family 25 model 17"; the stepping is left out.
// On other machines it is parse_cpuinfo() of /proc/cpuinfo. Empty if it is unknown.
std::string host_processor();

}  // namespace tilewright
