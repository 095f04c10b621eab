// Tests the work-group size with which a kernel is launched.
#include "profiles/work_group.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

using Group = std::array<std::int64_t, 3>;

constexpr const char* kFree =
    "// work_group_n=16 local=no\n__kernel __attribute__((work_group_size_hint(16, 4, 1)))\n"
    "void f(__global float *y) { y[get_global_id(0)] = 0.0f; }\n";

KernelRecord make_record(const std::string& source) {
  KernelRecord record;
  record.source = source;
  record.work_group = {16, 4};
  return record;
}

TEST_CASE("a kernel that reads only global ids runs in any work-group") {
  CHECK(runs_in_any_work_group(make_record(kFree)));
  CHECK_FALSE(runs_in_any_work_group(make_record("")));
  KernelRecord staged = make_record(kFree);
  staged.local_bytes = 4;
  CHECK_FALSE(runs_in_any_work_group(staged));
  KernelRecord shares_k = make_record(kFree);
  shares_k.work_group_k = 2;
  CHECK_FALSE(runs_in_any_work_group(shares_k));
  for (const char* dependent :
       {"__attribute__((reqd_work_group_size(16, 4, 1)))", "get_local_id(0)", "get_local_size(0)",
        "get_group_id(0)", "get_num_groups(0)", "__local float x[4];", "barrier(0)",
        "work_group_all(1)", "get_sub_group_id()"}) {
    INFO(dependent);
    CHECK_FALSE(runs_in_any_work_group(make_record(kFree + std::string(dependent) + "\n")));
  }
}

TEST_CASE("a work-group is reduced to the device's limits, and divides the record's") {
  const KernelRecord free = make_record(kFree);
  const auto on = [&](std::int64_t items, const Group& sizes) {
    return launched_work_group(free, {items, sizes}).value();
  };
  CHECK(on(64, {64, 64, 64}) == Group{16, 4, 1});
  CHECK(on(1024, {1024, 1, 1}) == Group{16, 1, 1});
  CHECK(on(128, {128, 2, 2}) == Group{16, 2, 1});
  CHECK(on(63, {64, 64, 64}) == Group{16, 2, 1});
  CHECK(on(1, {1, 1, 1}) == Group{1, 1, 1});
  for (std::int64_t items = 1; items <= 64; ++items) {
    const Group group = on(items, {items, 3, 1});
    CHECK(group[0] * group[1] * group[2] <= items);
    CHECK(16 % group[0] + 4 % group[1] == 0);
    CHECK(group[1] <= 3);
  }
}

TEST_CASE("a kernel that needs its work-group is launched with it, or not at all") {
  KernelRecord fixed =
      make_record("__kernel __attribute__((reqd_work_group_size(16, 4, 1))) f() {}");
  CHECK(launched_work_group(fixed, {64, {64, 64, 1}}) == Group{16, 4, 1});
  CHECK_FALSE(launched_work_group(fixed, {63, {64, 64, 1}}));
  CHECK_FALSE(launched_work_group(fixed, {64, {64, 1, 1}}));
  fixed.work_group_k = 2;
  CHECK_FALSE(launched_work_group(fixed, {1024, {64, 64, 1}}));
  fixed.work_group = {0, 0};
  fixed.work_group_k = 1;
  CHECK(launched_work_group(fixed, {1, {1, 1, 1}}) == Group{0, 0, 1});
}

}  // namespace
}  // namespace tilewright
