// Rules for spaces of GemmPoints that do not change when the codelet's do.
#pragma once

#include <vector>

#include "codelets/validity.hpp"

namespace tilewright {

// As many parameters are tied together as in the codelet's own rules, local memory included.
const std::vector<Rule>& sample_rules();

}  // namespace tilewright
