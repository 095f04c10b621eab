// Tests that emitted kernels are correct on the device: every op, every layout, every named kernel.
// random_points_test.cpp tests points from the whole space.
#include "catch.hpp"
#include "codelets/space/named_points.hpp"
#include "point_verdict.hpp"
#include "runtime/device/device_identity.hpp"
#include "session.hpp"

namespace tilewright {
namespace {

TEST_CASE("the extremes of the space: scalar, wide, tall, deep, each inner loop and multiply-add") {
  const TestDevice d;
  Verifier verifier(d);
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
    for (const std::string rest :
         {"", "tile_m=16", "tile_n=16 vector_width=16 multiply_add=fma",
          "tile_k=16 vector_width=4 tile_n=4",
          "tile_m=8 tile_n=48 vector_width=16 multiply_add=mad", "tile_m=3 tile_n=3 tile_k=2",
          "tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot work_group_m=4 work_group_n=8 "
          "id_order=mn",
          "tile_m=6 tile_n=4 tile_k=8 vector_width=2 inner=dot",
          "tile_m=4 tile_n=3 tile_k=16 vector_width=16 inner=partial multiply_add=fma",
          "tile_m=1 tile_n=2 tile_k=8 vector_width=2 inner=partial work_group_n=32",
          "tile_m=12 tile_n=32 vector_width=16 id_order=mn"}) {
      const ParameterPoint point = parse_point("op=" + std::string(to_text(op)) + " " + rest);
      INFO(to_text(point));
      REQUIRE(broken_structural_rule(point) == nullptr);
      if (const Rule* rule = broken_rule(point, generous_limits(d))) {
        count_skipped_part(to_text(point) + ": " + std::string(rule->reason));
        continue;
      }
      CHECK(verifier.verdict(point) == "right");
    }
  }
}

TEST_CASE("each way to compile a kernel, with the point's and the driver's work-group size") {
  const TestDevice d;
  Verifier verifier(d);
  for (const std::string kernel :
       {"op=NN tile_m=4 tile_n=8 vector_width=8", "op=TN split_k=2 tile_n=4",
        "op=NT tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot bias=n activation=sigmoid",
        "gemv tile_narrow=2 tile_k=8 vector_width=8", "activation activation=gelu_tanh bias=m",
        "activation tile_n=8 vector_width=8 id_order=flat activation=sigmoid"}) {
    for (const char* forms :
         {"math=mad", "group_size=hint", "group_size=driver", "math=mad group_size=driver"}) {
      INFO(kernel << " " << forms);
      CHECK(verifier.verdict(parse_point(kernel + " " + forms)) == "right");
    }
  }
  for (const char* point : {"softmax math=mad", "softmax work_group_n=8 math=mad activation=log"}) {
    INFO(point);
    CHECK(verifier.verdict(parse_point(point)) == "right");
  }
}

TEST_CASE("every named kernel is correct at sizes that are not multiples of anything") {
  const TestDevice d;
  Verifier verifier(d);
  const SpaceLimits limits = generous_limits(d);
  for (const NamedPoint& named : named_points()) {
    const Rule* rule = broken_rule(named.point(), limits);
    if (rule != nullptr && rule->name == "images_exist") {
      count_skipped_part(std::string(named.name) + ": the device does not support images");
      continue;
    }
    INFO(named.name);
    CHECK((rule == nullptr ? "" : rule->name) == "");
    CHECK(verifier.verdict(named.point()) == "right");
  }
}

TEST_CASE("pack kernels are correct for every size") {
  const TestDevice d;
  const auto most = identify(d.device).limits.max_work_group_size;
  for (const auto& [tile, work_group] : {std::pair{1, 1}, {2, 4}, {4, 8}, {8, 8}, {16, 1}}) {
    if (work_group * work_group > most) {
      count_skipped_part(std::to_string(work_group) + " x " + std::to_string(work_group) +
                         " work-items: the device has no such work-group");
      continue;
    }
    PackPoint point;
    point.tile_m = point.tile_n = point.vector_width = tile;
    point.work_group_m = point.work_group_n = work_group;
    CHECK(Verifier(d).verdict(point) == "right");
  }
}

}  // namespace
}  // namespace tilewright
