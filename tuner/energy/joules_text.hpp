// Formats energies for people.
#pragma once

#include <string>

namespace tilewright {

// Returns an energy with its range, such as "5.03 (4.97-5.09) mJ": a small product needs
// microjoules.
std::string joules_text(double joules, double low, double high);

}  // namespace tilewright
