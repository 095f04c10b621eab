#include "tuner/energy/joules_text.hpp"

#include <fmt/format.h>

namespace tilewright {

std::string joules_text(double joules, double low, double high) {
  const double scale = joules < 1e-3 ? 1e6 : joules < 1.0 ? 1e3 : 1.0;
  const char* const unit = joules < 1e-3 ? "uJ" : joules < 1.0 ? "mJ" : "J";
  return fmt::format("{:.4g} ({:.4g}-{:.4g}) {}", scale * joules, scale * low, scale * high, unit);
}

}  // namespace tilewright
