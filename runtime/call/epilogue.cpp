#include "runtime/call/epilogue.hpp"

namespace tilewright {

bool implements_epilogue(const KernelRecord& record, const LayerEpilogue& epilogue) {
  if (record.activation != epilogue.activation) return false;
  if (record.bias == Dimension::kNone) return !epilogue.bias;
  return record.bias == Dimension::kN && !epilogue.empty();
}

}  // namespace tilewright
