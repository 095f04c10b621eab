#include "runtime/call/demand.hpp"

namespace tilewright {

bool meets(const KernelRecord& record, const Demand& demand) {
  if (record.activation != demand.activation) return false;
  if (record.bias == Dimension::kNone) return !demand.bias;
  return record.bias == Dimension::kN && !demand.empty();
}

}  // namespace tilewright
