// Starting points for CPUs, where a core runs the work-items of a group one after the other in
// vector registers.
#include <algorithm>
#include <bit>

#include "codelets/space/starting_rules.hpp"

namespace tilewright {
namespace {

// The widest vectors of OpenCL. A row of the tile is one or a few of them; compilers split them
// into registers.
constexpr int kRow = 16;
// Maximum number of parts of k; each part is written and read once more.
constexpr int kMaxCpuParts = 8;

}  // namespace

void add_filled_registers(const DeviceInfo& device, const GemmPoint& start, GemmPoints& points) {
  constexpr std::size_t kTiles = 3;
  const VectorRegisters registers = vector_registers(device);
  const std::vector<RegisterTile> tiles = vector_tiles(registers);
  for (std::size_t i = 0; i < std::min(kTiles, tiles.size()); ++i) {
    GemmPoint point = with_tile(start, tiles[i], kRow);
    // Without further requirements (alignment), so that it runs on all shapes even if the tuning
    // has little time.
    if (i == 0) points.push_back(with_group(point, 16, 1));
    point.access = Access::kAligned;
    GemmPoint columns = with_group(point, 4, 1);
    columns.group_order = GroupOrder::kColumns;
    point.addressing = Addressing::kIndices;
    point.id_order = IdOrder::kMN;
    point.unroll_k = 2;
    points.push_back(with_group(point, 8, 2));
    points.push_back(columns);
    if (i > 0) continue;
    points.push_back(with_group(with_tile(point, tiles[i], registers.width), 16, 1));
    points.push_back(with_group(point, 32, 2));
  }
}

void add_small_tiles(const DeviceInfo& device, const GemmPoint& start, GemmPoints& points) {
  const VectorRegisters registers = vector_registers(device);
  for (const RegisterTile& tile : vector_tiles(registers)) {
    if (tile.n != registers.width) continue;
    const GemmPoint half = with_tile(start, {tile.m / 2, tile.n}, kRow);
    points.push_back(with_group(half, 8, 1));
    points.push_back(with_group(half, 2, 2));
    points.back().access = Access::kAligned;
  }
}

void add_sums_along_k(const DeviceInfo& device, const GemmPoint& start, GemmPoints& points) {
  constexpr std::size_t kTiles = 2;
  const VectorRegisters registers = vector_registers(device);
  const std::vector<RegisterTile> tiles = partial_tiles(registers);
  for (std::size_t i = 0; i < std::min(kTiles, tiles.size()); ++i) {
    GemmPoint point = start;
    point.inner = Inner::kPartial;
    point.tile_m = tiles[i].m;
    point.tile_n = tiles[i].n;
    point.tile_k = point.vector_width = registers.width;
    points.push_back(with_group(point, 16, 1));
    point.id_order = IdOrder::kMN;
    point.access = Access::kAligned;
    point.group_order = GroupOrder::kTiled;
    points.push_back(with_group(point, 16, 4));
  }
}

void add_wide_panels(const DeviceInfo& device, const GemmPoint& start, GemmPoints& points) {
  constexpr std::size_t kTiles = 3;
  const std::vector<RegisterTile> tiles = vector_tiles(vector_registers(device));
  for (const bool of_a : {false, true}) {
    for (std::size_t i = 0; i < std::min(kTiles, tiles.size()); ++i) {
      GemmPoint point = with_group(with_tile(start, tiles[i], kRow), 16, 1);
      point.id_order = IdOrder::kMN;
      point.group_order = GroupOrder::kColumns;
      point.addressing = Addressing::kIndices;
      points.push_back(with_panels(point, of_a));
    }
  }
}

void add_parts_for_cores(const DeviceInfo& device, const GemmPoint& start, GemmPoints& points) {
  const int parts = std::min(kMaxCpuParts, device.identity.compute_units);
  const std::vector<RegisterTile> tiles = vector_tiles(vector_registers(device));
  if (parts < 2 || tiles.empty()) return;
  GemmPoint point = with_group(with_tile(start, tiles.front(), kRow), 1, 1);
  point.split_k = static_cast<int>(std::bit_floor(static_cast<unsigned>(parts)));
  points.push_back(point);
}

}  // namespace tilewright
