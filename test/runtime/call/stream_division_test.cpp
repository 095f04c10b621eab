#include "runtime/call/stream_division.hpp"
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
  CHECK(division.whole_tiles == tiles);
  CHECK(division.groups() == tiles);
  CHECK(division.direct_tiles_m == division.tiles_m);
  CHECK(division.share() == 0.0);
  CHECK(partial_products(division).count == 0);
}

TEST_CASE("tiles that do not fill a wave are shared by a whole wave") {
  // 5 x 4 tiles, 16 work-groups at a time: 16 whole tiles, and 4 with 4 parts each.
  const StreamDivision division = divide(streaming_kernel(), {160, 256, 1024}, 16);
  CHECK(division.whole_tiles == 16);
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

TEST_CASE("rows of tiles with shared ones are stored as parts, with the whole tiles in them") {
  const StreamDivision division = divide(streaming_kernel(), {160, 256, 1024}, 14);
  CHECK(division.whole_tiles == 14);
  CHECK(division.direct_tiles_m == 3);
  CHECK(division.first_shared_row == 96);
  CHECK(division.shared_tiles() == 6);
  // Two parts for each tile would leave two work-groups idle.
  CHECK(division.sharing_groups == 14);
  CHECK(division.num_parts == 4);
  CHECK(division.share() == 6.0 / 14);
}

TEST_CASE("few tiles with a large k are shared by all work-groups that can have a part") {
  const StreamDivision division = divide(streaming_kernel(), {32, 64, 100'000}, 264);
  CHECK(division.whole_tiles == 0);
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

TEST_CASE("a device runs stream_k work-groups per compute unit at a time") {
  const StreamDivision division = divide_for_units(streaming_kernel(), {160, 256, 1024}, 8);
  CHECK(division.whole_tiles == 16);
  CHECK(divide_for_units(streaming_kernel(), {160, 256, 1024}, 0).whole_tiles == 20);
}

}  // namespace
}  // namespace tilewright
