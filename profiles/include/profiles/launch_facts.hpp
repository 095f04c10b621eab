// The launch facts of a kernel, by their keys in the text format.
#pragma once

#include <map>
#include <string>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// Key and value of each fact as in a profile's text ("[8, 8]", "\"nm\""). Facts that the text
// omits, such as layout_b of a pack kernel, are omitted here, too. The kernel's name is not a fact.
std::map<std::string, std::string> launch_facts(const KernelRecord&);

}  // namespace tilewright
