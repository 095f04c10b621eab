#include "runtime/call/demand.hpp"

#include <algorithm>

namespace tilewright {

bool meets(const KernelRecord& record, const Demand& demand) {
  if (record.activation != demand.activation) return false;
  if (record.bias == Dimension::kNone) return !demand.bias;
  return record.bias == Dimension::kN && !demand.empty();
}

std::string without_demand(std::string_view point) {
  std::string rest;
  while (!point.empty()) {
    const std::size_t end = std::min(point.find(' '), point.size());
    const std::string_view word = point.substr(0, end);
    point.remove_prefix(std::min(end + 1, point.size()));
    if (word.empty() || word.starts_with("bias=") || word.starts_with("activation=")) continue;
    if (!rest.empty()) rest += ' ';
    rest += word;
  }
  return rest;
}

}  // namespace tilewright
