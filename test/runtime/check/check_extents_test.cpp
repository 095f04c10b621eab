// Tests that the sizes of kernel checks distinguish m from n, whatever the work-group.
#include "runtime/check/check_extents.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "runtime/device/launch.hpp"

namespace tilewright {
namespace {

KernelRecord record_with(Role role, IdOrder order, std::array<int, 2> group, int tile_m,
                         int tile_n) {
  KernelRecord record;
  record.role = role;
  record.id_order = order;
  record.work_group = group;
  record.tile = {tile_m, tile_n, 1};
  return record;
}

// Returns the error in the extents for the record, or "".
std::string fault(const KernelRecord& record, CheckExtents multiple) {
  const auto [m, n] = check_extents(record, multiple);
  const std::array<std::size_t, 2> global =
      global_size(record, m, record.role == Role::kSoftmax ? 1 : n);
  const std::string facts =
      fmt::format("{} {} {}x{} tile {}x{} on {}x{}", to_text(record.role), to_text(record.id_order),
                  record.work_group[0], record.work_group[1], record.tile.m, record.tile.n, m, n);
  const bool narrow_m = record.narrow == Dimension::kM;
  const bool narrow_n = record.narrow == Dimension::kN;
  if (!narrow_m && m % multiple.m != 0) return facts + ": m is no multiple";
  if (!narrow_n && n % multiple.n != 0) return facts + ": n is no multiple";
  if (!covers(record, global, m, n)) return facts + ": the kernel itself does not cover it";
  if (m * n > std::int64_t{1} << 26) return facts + ": too large";
  for (const KernelRecord& other : exchanged_facts(record)) {
    if (covers(other, global, m, n)) {
      return fmt::format("{}: {} with tile {}x{} covers it, too", facts, to_text(other.id_order),
                         other.tile.m, other.tile.n);
    }
  }
  return "";
}

constexpr int kGroups[] = {0, 1, 2, 3, 8, 32, 64, 256};
constexpr int kTiles[] = {1, 2, 3, 4, 12, 16};

template <class Check>
void for_all_facts(Check check) {
  for (const int x : kGroups) {
    for (const int y : kGroups) {
      if ((x == 0) != (y == 0) || x * y > 1024) continue;
      for (const int tile_m : kTiles) {
        for (const int tile_n : kTiles) check(std::array{x, y}, tile_m, tile_n);
      }
    }
  }
}

TEST_CASE("with the extents of a check, exchanged launch facts do not cover the result") {
  for (const Role role : {Role::kGemm, Role::kPack, Role::kReduce, Role::kActivation}) {
    for (const IdOrder order : {IdOrder::kNM, IdOrder::kMN}) {
      for (const CheckExtents multiple : {CheckExtents{1, 1}, {4, 4}, {12, 1}, {16, 48}}) {
        for_all_facts([&](std::array<int, 2> group, int tile_m, int tile_n) {
          const std::string wrong =
              fault(record_with(role, order, group, tile_m, tile_n), multiple);
          if (!wrong.empty()) FAIL_CHECK(wrong);
        });
      }
    }
  }
}

TEST_CASE("the same for narrow products, softmax and flat activations") {
  for_all_facts([&](std::array<int, 2> group, int tile_m, int tile_n) {
    std::vector<KernelRecord> records;
    for (const IdOrder order : {IdOrder::kNM, IdOrder::kMN}) {
      for (const Dimension narrow : {Dimension::kM, Dimension::kN}) {
        records.push_back(record_with(Role::kGemv, order, group, tile_m, tile_n));
        records.back().narrow = narrow;
      }
    }
    records.push_back(record_with(Role::kSoftmax, IdOrder::kNM, group, 1, tile_n));
    records.push_back(record_with(Role::kActivation, IdOrder::kFlat, {group[0], 1}, 1, tile_n));
    for (const KernelRecord& record : records) {
      const std::string wrong = fault(record, {1, 1});
      if (!wrong.empty()) FAIL_CHECK(wrong);
    }
  });
}

TEST_CASE("37 x 53 elements do not distinguish m from n with work-groups of 32 x 32") {
  const KernelRecord pack = record_with(Role::kPack, IdOrder::kNM, {8, 8}, 4, 4);
  const std::vector<KernelRecord> others = exchanged_facts(pack);
  REQUIRE(others.size() == 1);
  CHECK(others[0].id_order == IdOrder::kMN);
  CHECK(covers(others[0], global_size(pack, 37, 53), 37, 53));
  const auto [m, n] = check_extents(pack, {1, 1});
  CHECK(m == 95);
  CHECK(n == 63);
}

}  // namespace
}  // namespace tilewright
