#include "runtime/call/stream_division.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "catch.hpp"

namespace tilewright {
namespace {

// A kernel whose work-groups compute 32 x 64 elements.
KernelRecord streaming_kernel() {
  KernelRecord record;
  record.role = Role::kGemm;
  record.tile = {4, 8, 1};
  record.work_group = {8, 8};
  record.id_order = IdOrder::kNM;
  record.vector_width = 4;
  record.stream_k = 2;
  return record;
}

void check_whole(const StreamDivision& division, std::int64_t tiles) {
  CHECK(division.whole_tiles() == tiles);
  CHECK(division.groups() == tiles);
  CHECK(division.direct_tiles_m == division.tiles_m);
  CHECK(division.share() == 0.0);
  CHECK(partial_products(division).count == 0);
}

TEST_CASE("tiles that do not fill a wave are shared by a whole wave") {
  // 5 x 4 tiles, 16 work-groups at a time: 16 whole tiles, and 4 with 4 parts each.
  const StreamDivision division = divide(streaming_kernel(), {160, 256, 1024}, 16);
  CHECK(division.whole_tiles() == 16);
  CHECK(division.waves == 1);
  CHECK(division.direct_tiles_m == 4);
  CHECK(division.first_shared_row == 128);
  CHECK(division.shared_tiles() == 4);
  CHECK(division.num_parts == 4);
  CHECK(division.sharing_groups == 16);
  CHECK(division.groups() == 32);
  CHECK(division.share() == 0.25);
  CHECK(partial_products(division).first_row == 128);
  CHECK(partial_products(division).count == 4);
}

TEST_CASE("all tiles in a row with shared ones are shared") {
  // 14 work-groups at a time: a wave has room for 3.5 rows of tiles.
  const StreamDivision division = divide(streaming_kernel(), {160, 256, 1024}, 14);
  CHECK(division.direct_tiles_m == 3);
  CHECK(division.whole_tiles() == 12);
  CHECK(division.waves == 12.0 / 14);
  CHECK(division.first_shared_row == 96);
  CHECK(division.shared_tiles() == 8);
  // One part for each tile would leave six work-groups idle.
  CHECK(division.sharing_groups == 14);
  CHECK(division.num_parts == 3);
  CHECK(division.share() == 8.0 / 14);
}

TEST_CASE("a row of more tiles than work-groups is shared in parts of several tiles") {
  const StreamDivision division = divide(streaming_kernel(), {32, 24 * 64, 1024}, 16);
  CHECK(division.whole_tiles() == 0);
  CHECK(division.sharing_groups == 16);
  CHECK(division.num_parts == 2);
  CHECK(division.share() == 1.5);
}

TEST_CASE("few tiles with a large k are shared by all work-groups that can have a part") {
  const StreamDivision division = divide(streaming_kernel(), {32, 64, 100'000}, 264);
  CHECK(division.whole_tiles() == 0);
  CHECK(division.waves == 0);
  CHECK(division.num_parts == 16);
  CHECK(division.groups() == 16);
  CHECK(divide(streaming_kernel(), {32, 64, 200}, 264).num_parts == 3);
}

TEST_CASE("all tiles are whole if a wide C would be stored as parts for few shared tiles") {
  // One row of 280 tiles, 264 work-groups at a time.
  check_whole(divide(streaming_kernel(), {32, 280 * 64, 1024}, 264), 280);
}

TEST_CASE("all tiles are whole where sharing them saves nothing") {
  const KernelRecord record = streaming_kernel();
  check_whole(divide(record, {160, 256, 1024}, 20), 20);  // full waves
  check_whole(divide(record, {160, 256, 1024}, 22), 20);  // almost full
  check_whole(divide(record, {160, 256, 100}, 16), 20);   // small k
  check_whole(divide(record, {160, 256, 0}, 16), 20);     // no k
  check_whole(divide(record, {3, 1280, 1024}, 16), 20);   // narrower than vectors
  check_whole(undivided(record, {160, 256, 1024}), 20);
}

// What the sharing work-groups compute, as the kernel derives it from its arguments: the parts of
// each shared tile, and how often each of its blocks of k is computed.
struct SharedWork {
  std::vector<std::set<std::int64_t>> parts;
  std::vector<std::vector<int>> times;
  bool repeats_a_part = false;
};

SharedWork shared_work(const StreamDivision& division, std::int64_t blocks) {
  const std::int64_t shared = division.shared_tiles();
  const std::int64_t num_parts = division.num_parts;
  const bool equal = division.sharing_groups == shared * num_parts;
  const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t group_blocks =
      equal ? up(blocks, num_parts)
            : std::max(up(shared * blocks, division.sharing_groups), up(blocks, num_parts - 1));
  const std::int64_t tile_blocks = equal ? group_blocks * num_parts : blocks;
  SharedWork work;
  work.parts.resize(static_cast<std::size_t>(shared));
  work.times.assign(static_cast<std::size_t>(shared),
                    std::vector<int>(static_cast<std::size_t>(blocks)));
  for (std::int64_t sharer = 0; sharer < division.sharing_groups; ++sharer) {
    std::int64_t at = sharer * group_blocks;
    const std::int64_t stop = std::min(at + group_blocks, shared * tile_blocks);
    while (at < stop) {
      const std::int64_t tile = at / tile_blocks;
      const std::int64_t first = at - tile * tile_blocks;
      const std::int64_t end = std::min(first + stop - at, tile_blocks);
      const auto place = static_cast<std::size_t>(tile);
      const std::int64_t part = sharer - tile * tile_blocks / group_blocks;
      if (!work.parts[place].insert(part).second) work.repeats_a_part = true;
      for (std::int64_t block = first; block < std::min(end, blocks); ++block) {
        ++work.times[place][static_cast<std::size_t>(block)];
      }
      at += end - first;
    }
  }
  return work;
}

TEST_CASE(
    "each block of a shared tile is computed once, and no tile has more than num_parts parts") {
  const KernelRecord record = streaming_kernel();
  int num_divided = 0;
  int num_crossing = 0;
  for (std::int64_t tiles_m = 1; tiles_m <= 7; ++tiles_m) {
    for (const std::int64_t tiles_n : {1, 2, 3, 4, 5, 6, 29}) {
      for (const std::int64_t k : {128, 200, 517, 1024, 1500}) {
        for (std::int64_t groups = 2; groups <= 40; ++groups) {
          const StreamDivision division = divide(record, {32 * tiles_m, 64 * tiles_n, k}, groups);
          if (division.shared_tiles() == 0) continue;
          ++num_divided;
          num_crossing += division.sharing_groups < division.shared_tiles() * division.num_parts;
          for (const std::int64_t block : {1, 4, 64}) {
            const std::int64_t blocks = (k + block - 1) / block;
            const SharedWork work = shared_work(division, blocks);
            const bool covered =
                std::all_of(work.times.begin(), work.times.end(), [](const auto& times) {
                  return std::all_of(times.begin(), times.end(), [](int n) { return n == 1; });
                });
            const bool fits =
                std::all_of(work.parts.begin(), work.parts.end(), [&](const auto& parts) {
                  return *parts.begin() == 0 && *parts.rbegin() < division.num_parts;
                });
            if (covered && fits && !work.repeats_a_part) continue;
            FAIL_CHECK(tiles_m << " x " << tiles_n << " tiles, k = " << k << ", " << groups
                               << " groups at a time, blocks of " << block);
          }
        }
      }
    }
  }
  CHECK(num_divided > 1000);
  CHECK(num_crossing > 100);
}

TEST_CASE("a device runs stream_k work-groups per compute unit at a time") {
  const StreamDivision division = divide_for_units(streaming_kernel(), {160, 256, 1024}, 8);
  CHECK(division.whole_tiles() == 16);
  CHECK(divide_for_units(streaming_kernel(), {160, 256, 1024}, 0).whole_tiles() == 20);
}

}  // namespace
}  // namespace tilewright
