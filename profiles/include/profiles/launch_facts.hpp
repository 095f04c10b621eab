// The launch facts of a kernel, by the keys of the text format.
#pragma once

#include <map>
#include <string>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// Key and value of each fact, as a profile's text has them ("[8, 8]", "\"nm\""). Facts that the
// text leaves out, such as layout_b of a pack kernel, are left out here, too. Names are no facts.
std::map<std::string, std::string> launch_facts(const KernelRecord&);

}  // namespace tilewright
