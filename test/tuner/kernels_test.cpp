// Emitted kernels are right on the device: every op, every arrangement, points drawn from the whole
// space.
#include <random>

#include "catch.hpp"
#include "codelets/gemm_codelet.hpp"
#include "codelets/pack_codelet.hpp"
#include "codelets/space.hpp"
#include "runtime/device_identity.hpp"
#include "test_device.hpp"
#include "tuner/pack_tuning.hpp"
#include "tuner/verification.hpp"

namespace tilewright {
namespace {

std::string verdict(const TestDevice& d, const ParameterPoint& point,
                    const std::vector<VerificationCase>& cases) {
  Loaded loaded = d.executor.load(emit_gemm(point));
  if (const auto* rejection = std::get_if<Rejection>(&loaded)) {
    // How many work-items fit beside a kernel's registers is the driver's to say, after compiling.
    return rejection->stage == Stage::kLimits ? "too large" : rejection->reason;
  }
  const Verified verified =
      verify_kernel(d.executor, d.queue, *std::get<std::unique_ptr<LoadedKernel>>(loaded), cases);
  const auto* rejection = std::get_if<Rejection>(&verified);
  return rejection == nullptr ? "right" : rejection->reason;
}

SpaceLimits limits_of(const TestDevice& d) {
  const DeviceLimits limits = identify(d.device).limits;
  return {limits.max_work_group_size, limits.max_work_item_sizes, 512};
}

TEST_CASE("the corners of the space: scalar, wide, tall, deep, each inner and multiply-add") {
  const TestDevice d;
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    const auto cases = verification_cases(op, 11);
    for (const char* rest :
         {"", "tile_m=16", "tile_n=16 vector_width=16 multiply_add=fma",
          "tile_k=16 vector_width=4 tile_n=4",
          "tile_m=8 tile_n=48 vector_width=16 multiply_add=mad", "tile_m=3 tile_n=3 tile_k=2",
          "tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot work_group_m=4 work_group_n=8 "
          "id_order=mn",
          "tile_m=6 tile_n=4 tile_k=8 vector_width=2 inner=dot",
          "tile_m=4 tile_n=3 tile_k=16 vector_width=16 inner=partial multiply_add=fma",
          "tile_m=1 tile_n=2 tile_k=8 vector_width=2 inner=partial work_group_n=32",
          "tile_m=12 tile_n=32 vector_width=16 id_order=mn"}) {
      ParameterPoint point = parse_point(rest);
      point.op = op;
      INFO(to_text(point));
      REQUIRE(broken_structural_rule(point) == nullptr);
      if (broken_rule(point, limits_of(d)) != nullptr) continue;  // too large for this device
      CHECK(verdict(d, point, cases) == "right");
    }
  }
}

TEST_CASE("points drawn from the whole space") {
  const TestDevice d;
  std::mt19937_64 random(20);
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    const Space space(op, limits_of(d));
    const auto cases = verification_cases(op, 12);
    int right = 0;
    for (int i = 0; i < 12; ++i) {
      const ParameterPoint point = space.points()[random() % space.points().size()];
      INFO(to_text(point));
      const std::string found = verdict(d, point, cases);
      CHECK((found == "right" || found == "too large"));
      right += found == "right" ? 1 : 0;
    }
    CHECK(right >= 4);
  }
}

TEST_CASE("pack kernels are right in every size") {
  const TestDevice d;
  const auto most = identify(d.device).limits.max_work_group_size;
  for (const PackPoint& point : {PackPoint{1, 1}, PackPoint{2, 4}, PackPoint{4, 8}, PackPoint{8, 8},
                                 PackPoint{16, 1}, PackPoint{16, 16}}) {
    if (point.work_group * point.work_group > most) continue;
    const auto kernel = load_kernel(d, emit_pack(point));
    const auto rejection = verify_pack(d.executor, d.queue, *kernel);
    INFO((rejection ? rejection->reason : ""));
    CHECK_FALSE(rejection);
  }
}

}  // namespace
}  // namespace tilewright
