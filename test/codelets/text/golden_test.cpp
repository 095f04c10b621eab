// Nine complete kernel texts, so that a change of the generators is visible in a diff. Each shows
// features that the others do not have. Whether kernels compute correct results is tested on
// devices.
//
// After an intended change:
//
//     TILEWRIGHT_UPDATE_GOLDEN=1 build/release/test/codelets/test_codelet_texts "[golden]"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "codelets/space/emit.hpp"

namespace tilewright {
namespace {

constexpr const char* kPoints[] = {
    // Operands in local memory with prefetch; split k.
    "op=NN tile_m=4 tile_n=4 vector_width=2 work_group_m=8 work_group_n=8 split_k=2 "
    "assignment=offset lanes_m=4 lanes_n=4 cache_block_k=8 local_a=yes local_b=yes "
    "local_buffers=2 local_pad=2 prefetch=clamped",
    // The k steps of the last tiles are divided evenly among work-groups.
    "op=NN tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8 stream_k=2 "
    "cache_block_k=8 local_a=yes local_b=yes prefetch=clamped access=aligned",
    // Packed operands, aligned vectors, bias and activation.
    "layout_a=R4x1C layout_b=C1x8R tile_m=4 tile_n=8 unroll_k=2 vector_width=4 work_group_m=8 "
    "work_group_n=8 access=aligned bias=m activation=relu",
    // Sums in half precision, inner products, work-items that share k.
    "gemm precision=h op=NT tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot accumulate_k=all "
    "work_group_k=4",
    "gemv precision=d tile_wide=2 tile_k=8 vector_width=4 work_group_k=32 work_group_wide=2",
    "pack from=C to=R tile_m=4 work_group_m=8 work_group_n=32 local=yes",
    "reduce precision=h vector_width=4 work_group_n=64 bias=n activation=relu",
    // Vectors of eight in half precision.
    "activation precision=h tile_m=2 tile_n=8 vector_width=8 work_group_n=8 bias=n "
    "activation=leaky_relu",
    "softmax vector_width=4 work_group_m=2 work_group_n=32 activation=log",
};

TEST_CASE("the texts of nine kernels are unchanged", "[golden]") {
  for (const char* point : kPoints) {
    const std::string source = explained_source(parse_point(point));
    const std::string name = describe(parse_point(point)).name;
    const auto path = std::filesystem::path(TILEWRIGHT_GOLDEN) / (name + ".cl");
    if (std::getenv("TILEWRIGHT_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << source;
    std::ifstream file(path);
    INFO(path);
    REQUIRE(file);
    std::stringstream golden;
    golden << file.rdbuf();
    CHECK(source == golden.str());
  }
}

}  // namespace
}  // namespace tilewright
