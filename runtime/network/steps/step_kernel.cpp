#include "runtime/network/steps/step_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "profiles/type_prelude.hpp"
#include "runtime/network/steps/step_text.hpp"

namespace tilewright {
namespace {

constexpr int kWorkItems = 64;

// The smallest power of two that is not below `extent`, but at most `max_width`.
int vector_width(std::int64_t extent, int max_width) {
  int width = 1;
  while (width < max_width && width < extent) width *= 2;
  return width;
}

}  // namespace

KernelRecord step_kernel(const KernelStep& step, const NetworkSteps& steps, Precision precision,
                         int max_vector_width) {
  const int width = vector_width(step.combined ? step.terms : step.columns, max_vector_width);
  KernelRecord record;
  record.entry = "network_step";
  record.name = step.combined ? "network_rows" : "network_elements";
  record.role = Role::kStep;
  record.precision = precision;
  record.source = type_prelude(record, {"ELEMENT", "LOAD", "STORE", fmt::format("LOAD{}", width),
                                        fmt::format("STORE{}", width)}) +
                  step_text(step, steps, precision, width);
  if (!step.combined) record.tile.n = width;
  // The kernel is correct in work-groups of any size; the executor reduces this one if necessary.
  int items = 1;
  while (items < kWorkItems && items * record.tile.n < step.columns) items *= 2;
  record.work_group = {items, kWorkItems / items};
  return record;
}

int step_vector_width(const DeviceInfo& device) {
  constexpr int kMinWidth = 4;
  constexpr int kMaxWidth = 16;
  if (device.kind != DeviceKind::kCpu) return kMinWidth;
  return vector_width(std::max(device.native_vector_width, kMinWidth), kMaxWidth);
}

}  // namespace tilewright
