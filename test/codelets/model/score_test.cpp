#include "codelets/model/score.hpp"

#include "catch.hpp"
#include "modelled_device.hpp"

namespace tilewright {
namespace {

const DeviceInfo kGpu = modelled_device(1, 32, true, true);

double score(const std::string& point, const DeviceInfo& device) {
  return expected_score(parse_point(point), device);
}

TEST_CASE("the expected score is higher for vector widths of the device") {
  const std::string scalar = "op=NN";
  const std::string small = "op=NN tile_m=4 tile_n=4 tile_k=4 vector_width=4";
  const std::string wide = "op=NN tile_m=8 tile_n=48 vector_width=16";
  CHECK(score(scalar, modelled_device(16, 1)) < score(small, modelled_device(16, 1)));
  CHECK(score(small, modelled_device(16, 1)) < score(wide, modelled_device(16, 1)));
  // If work-items are lanes, vectors do not increase the number of multiply-adds at a time.
  CHECK(score(wide, modelled_device(1, 1)) < 1.0);
  CHECK(score(wide, modelled_device(16, 1)) > 8.0);
  // A work-group that leaves lanes idle has a lower score.
  CHECK(score("work_group_n=8", modelled_device(1, 32)) ==
        Approx(score("work_group_n=32", modelled_device(1, 32)) / 4));
  // NT with vectors along n must assemble each vector; along k it loads them.
  CHECK(score("op=NT tile_m=4 tile_n=16 tile_k=16 vector_width=16", modelled_device(16, 1)) <
        score("op=NT tile_m=4 tile_n=4 tile_k=16 vector_width=16 inner=partial",
              modelled_device(16, 1)));
  // In a panel layout, the elements of a vector are contiguous.
  CHECK(score("layout_b=C tile_m=4 tile_n=16 vector_width=16", modelled_device(16, 1)) <
        score("layout_b=C1x16R tile_m=4 tile_n=16 vector_width=16", modelled_device(16, 1)));
}

TEST_CASE("local memory helps if it is dedicated and many work-items share its contents") {
  const std::string tile = "tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8";
  const std::string local = tile + " cache_block_k=16 local_a=yes local_b=yes";
  CHECK(score(local, kGpu) > score(tile, kGpu));
  CHECK(score(local, modelled_device(4, 1)) < 0.5 * score(tile, modelled_device(4, 1)));
  CHECK(score(local, modelled_device(1, 32, true, false)) <
        score(tile, modelled_device(1, 32, true, false)));
  const std::string alone = "tile_m=4 tile_n=4 work_group_n=32 cache_block_k=16 local_a=no";
  CHECK(score(alone + " local_b=yes", kGpu) < score(alone, kGpu));
}

TEST_CASE("features that cost something on every problem but help only on some have lower scores") {
  const std::string tile = "tile_m=4 tile_n=4 work_group_m=8 work_group_n=8";
  for (const char* choice : {" split_k=2", " group_order=morton", " cache_block_k=16"}) {
    INFO(choice);
    CHECK(score(tile + choice, kGpu) < score(tile, kGpu));
  }
  CHECK(score(tile + " split_k=8", kGpu) < score(tile + " split_k=2", kGpu));
  CHECK(score(tile + " unroll_k=4", kGpu) > score(tile, kGpu));
  CHECK(score(tile + " lanes_m=4 lanes_n=8", kGpu) == score(tile, kGpu));
  CHECK(score(tile + " lanes_m=4 lanes_n=8", modelled_device(8, 1)) <
        score(tile, modelled_device(8, 1)));
}

TEST_CASE("products with few columns: vectors on CPUs, adjacent loads on GPUs") {
  const DeviceInfo cpu = modelled_device(16, 1);
  const std::string dots = "gemv op=NT narrow=n tile_wide=4 tile_k=16";
  CHECK(score(dots + " vector_width=16", cpu) > score(dots + " vector_width=4", cpu));
  CHECK(score(dots + " vector_width=4", cpu) > score(dots, cpu));
  // y across memory is assembled element by element.
  CHECK(score("gemv op=NT narrow=n tile_narrow=4 tile_wide=4 tile_k=16 vector_width=16", cpu) >
        score("gemv op=NN narrow=n tile_narrow=4 tile_wide=4 tile_k=16 vector_width=16", cpu));
  // Work-items that share k must add up their sums at the end; on a CPU this has no immediate
  // benefit.
  CHECK(score(dots + " vector_width=16 work_group_k=4", cpu) <
        score(dots + " vector_width=16", cpu));
  // Rows along k are read by neighbouring work-items along k, columns by neighbouring work-items
  // along the wide dimension.
  const std::string rows = "gemv op=NN narrow=n tile_k=4 vector_width=4";
  CHECK(score(rows + " work_group_k=32", kGpu) > score(rows + " work_group_wide=32", kGpu));
  const std::string columns = "gemv op=TN narrow=n tile_wide=4 vector_width=4";
  CHECK(score(columns + " work_group_k=32", kGpu) < score(columns + " work_group_wide=32", kGpu));
  // A work-group that leaves lanes idle.
  CHECK(score(rows + " work_group_k=8", kGpu) ==
        Approx(score(rows + " work_group_k=32", kGpu) / 4));
}

TEST_CASE("all points of other codelets have the same score") {
  CHECK(score("reduce vector_width=4", kGpu) == score("pack", kGpu));
}

}  // namespace
}  // namespace tilewright
