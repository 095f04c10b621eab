#include "codelets/model/occupancy_model.hpp"

#include <algorithm>

namespace tilewright {
namespace {

// Registers for pointers, loop counters and loads in flight, as used by the open-source compilers
// for Mali. A scalar architecture needs two registers for each 64-bit pointer.
constexpr int kVectorAddresses = 2;
constexpr int kScalarAddresses = 8;

int in_registers(int floats, int width) {
  return (floats + width - 1) / width;
}

}  // namespace

int resident_work_items(const GpuFacts& gpu, int registers) {
  for (std::size_t i = 0; i < gpu.registers.size(); ++i) {
    if (registers <= gpu.registers[i]) return gpu.resident_work_items[i];
  }
  return 0;
}

int expected_registers(const GemmPoint& p, const GpuFacts& gpu) {
  const int width = std::max(1, gpu.vector_width);
  const int along_k = p.inner == Inner::kPartial ? p.vector_width : 1;
  const int sums = p.tile_m * p.tile_n * along_k;
  // A vector that is narrower than a register occupies a whole register.
  const int floats = floats_per_sum(p.precision);
  const int narrow = std::max(1, width / (p.vector_width * floats));
  const int lines = (p.tile_m + p.tile_n) * p.tile_k;
  const bool packs = p.inner == Inner::kDot;  // a kernel of the papers packs the sums into vectors
  const int addresses = width > 1 ? kVectorAddresses : kScalarAddresses;
  return in_registers(sums * floats * (packs ? 1 : narrow), width) +
         in_registers(lines * floats, width) + addresses;
}

int expected_residents(const GemmPoint& point, const GpuFacts& gpu) {
  const int residents = resident_work_items(gpu, expected_registers(point, gpu));
  return residents > 0 ? residents : gpu.resident_work_items.back();
}

}  // namespace tilewright
