#include "codelets/space/guessed_model.hpp"

#include <algorithm>

namespace tilewright {
namespace {

constexpr double kPsPerCycle = 1000.0;  // picoseconds per clock cycle, at 1 GHz

bool is_cpu(DeviceClass value) {
  return value == DeviceClass::kCpu8 || value == DeviceClass::kCpu16;
}

// Multiply-adds per cycle of one compute unit: two vector instructions for a CPU core, a typical
// number for GPUs.
double multiply_adds_per_cycle(DeviceClass value) {
  switch (value) {
    case DeviceClass::kCpu8:
      return 2.0 * 8;
    case DeviceClass::kCpu16:
      return 2.0 * 16;
    case DeviceClass::kGpuLocal:
      return 128.0;
    case DeviceClass::kGpu:
      break;
  }
  return 16.0;
}

// Elements that are loaded into registers per multiply-add.
double reads_per_multiply_add(const Tile& tile) {
  return 1.0 / tile.m + 1.0 / tile.n;
}

bool is_staged(const GemmPoint& point) {
  return point.local_a && point.local_b;
}

// Run time of a kernel relative to its multiply-adds alone, independent of the number of
// work-groups.
double slower(DeviceClass value, const GemmPoint& point, const KernelRecord& kernel) {
  const double reads = reads_per_multiply_add(kernel.tile);
  if (is_cpu(value)) {
    // With vectors of C along n, every element of A is loaded separately, which costs more if A is
    // column-major. With vectors along k, both operands are loaded as vectors.
    const double columns = point.layout_a == Layout::C() ? 1.25 : 1.0;
    return columns * (1.0 + (point.inner == Inner::kOuter ? 0.8 : 1.8) * reads);
  }
  if (is_staged(point)) return 1.0 + 2.0 * reads;
  // Neighbouring elements in a panel are loaded with one access.
  const bool panels = !point.layout_a.is_plain() && !point.layout_b.is_plain();
  const double along_k = point.layout_b == Layout::C() ? 1.25 : 1.0;
  const double unaligned = point.access == Access::kAligned || panels ? 1.0 : 1.15;
  return 1.0 + (panels ? 3.0 : 7.0) * along_k * unaligned * reads;
}

// Cycles that a work-group waits in each loop iteration if nothing else runs.
double iteration_wait_cycles(DeviceClass value) {
  if (is_cpu(value)) return 8.0;
  return value == DeviceClass::kGpuLocal ? 435.0 : 300.0;
}

// Number of k steps per iteration. GPU compilers unroll short loops themselves.
int steps_per_iteration(DeviceClass value, const GemmPoint& point) {
  if (is_staged(point)) return point.cache_block_k;
  const int steps = point.tile_k * point.unroll_k;
  return point.work_group_k * (value == DeviceClass::kGpuLocal ? std::max(steps, 4) : steps);
}

double group_elements(const KernelRecord& kernel) {
  const auto extent = [&](std::size_t i) { return std::max(kernel.work_group[i], 1); };
  return static_cast<double>(extent(0)) * extent(1) * kernel.tile.m * kernel.tile.n;
}

// Picoseconds for each byte that tiles read from a large operand. A plain layout spreads the data
// over many pages and cache lines.
double far_ps(DeviceClass value, const GemmPoint& point) {
  const bool panels = !point.layout_b.is_plain();
  switch (value) {
    case DeviceClass::kCpu8:
    case DeviceClass::kCpu16:
      if (panels || point.inner != Inner::kOuter) return 20.0;
      return point.layout_a == Layout::C() ? 150.0 : 120.0;
    case DeviceClass::kGpuLocal:
      if (is_staged(point)) return 1.6;
      return point.layout_b == Layout::C() ? 30.0 : 4.0;
    case DeviceClass::kGpu:
      break;
  }
  return panels ? 10.0 : 40.0;
}

double element_ps(DeviceClass value, const GemmPoint& point) {
  if (is_cpu(value)) return point.inner == Inner::kOuter ? 1000.0 : 4000.0;
  if (value == DeviceClass::kGpu) return 600.0;
  return is_staged(point) ? 150.0 : 1200.0;
}

// If C is narrow, work-items wait for one load after the other. Kernels that use local memory have
// many work-items per group; of work-items that share k, only one does the work.
double narrow_ps(DeviceClass value, const GemmPoint& point) {
  if (is_cpu(value)) return 2500.0;
  return value == DeviceClass::kGpuLocal && !is_staged(point) ? 2000.0 : 300.0;
}

KernelModel of_gemm(DeviceClass value, const GemmPoint& point, const KernelRecord& kernel) {
  KernelModel model;
  const double ps = slower(value, point, kernel) * kPsPerCycle / multiply_adds_per_cycle(value);
  model.fixed_ns = is_cpu(value) ? 7e3 : 6e3;
  // On a GPU some work-groups run in parallel, but the last wave may be almost empty.
  model.even_ps = is_cpu(value) ? 0.8 * ps : 0.5 * ps;
  model.whole_ps = ps - model.even_ps;
  model.group_ps = iteration_wait_cycles(value) * kPsPerCycle /
                   (group_elements(kernel) * steps_per_iteration(value, point));
  model.element_ps = element_ps(value, point);
  model.byte_ps = is_cpu(value) ? 40.0 : 30.0;
  model.far_ps = far_ps(value, point);
  model.narrow_ps = narrow_ps(value, point);
  return model;
}

// gemv kernels read the wide operand once and wait for it; on CPUs the multiply-adds also take
// time.
KernelModel of_gemv(DeviceClass value, const KernelRecord& kernel) {
  KernelModel model;
  model.fixed_ns = is_cpu(value) ? 7e3 : 6e3;
  if (is_cpu(value)) {
    model.even_ps =
        (1.0 + reads_per_multiply_add(kernel.tile)) * kPsPerCycle / multiply_adds_per_cycle(value);
  }
  model.element_ps = is_cpu(value) ? 1000.0 : 250.0;
  model.byte_ps = is_cpu(value) ? 60.0 : 100.0;
  model.group_ps = is_cpu(value) ? 60.0 : 0.4;
  return model;
}

}  // namespace

KernelModel guessed_model(DeviceClass value, const ParameterPoint& point,
                          const KernelRecord& kernel) {
  const auto* gemm = std::get_if<GemmPoint>(&point);
  KernelModel model = gemm != nullptr ? of_gemm(value, *gemm, kernel) : of_gemv(value, kernel);
  model.kernel = kernel.name;
  return model;
}

}  // namespace tilewright
