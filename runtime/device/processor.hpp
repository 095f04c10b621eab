// Identifies the processor of the host, which is the device that an OpenCL driver for CPUs runs on.
//
// The names of such devices do not tell processors apart: PoCL gives one name to Zen 4 and Zen 5,
// whose peaks differ by a factor of 2.3.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// Returns the processor that a text in the format of /proc/cpuinfo describes:
//   x86: "AuthenticAMD family 25 model 17", the first core
//   ARM: "implementer 0x41 part 0xd03", all different cores in ascending order, separated by a
//        comma and a blank
// The stepping (x86), and the variant and revision (ARM) are left out. Empty if the text describes
// neither.
std::string parse_cpuinfo(std::string_view text);

// The processor of this machine. Empty if it is unknown, for example without /proc.
std::string host_processor();

}  // namespace tilewright
