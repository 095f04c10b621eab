#include "codelets/space/tuned_points.hpp"

#include <algorithm>
#include <string_view>

#include "profiles/device_class.hpp"

namespace tilewright {
namespace {

// In the profiles of an NVIDIA H100 or H200, or both, without their build parameters.
constexpr std::string_view kGpuLocalPoints[] = {
    // Few tiles of C and a large k: small tiles, whose work-groups copy deep blocks of k while they
    // compute with the block before.
    "gemm tile_m=2 tile_n=4 tile_k=8 vector_width=4 work_group_m=8 work_group_n=16 lanes_m=2 "
    "split_k=16 cache_block_k=64 local_a=yes local_b=yes local_buffers=2 local_pad=4 "
    "access=elements",
    "gemm tile_m=2 tile_n=4 vector_width=4 work_group_m=8 work_group_n=16 lanes_m=4 lanes_n=2 "
    "cache_block_k=64 local_a=yes local_b=yes local_buffers=2 local_pad=4 access=elements",
    "gemm tile_m=2 tile_k=2 vector_width=2 inner=partial work_group_m=4 work_group_n=8 id_order=mn "
    "lanes_m=2 lanes_n=2 cache_block_k=128 local_a=yes local_b=yes local_buffers=2 local_pad=2",
    // The same by work-items that share k.
    "gemm layout_b=C tile_m=2 tile_n=2 tile_k=2 unroll_k=4 vector_width=2 inner=partial "
    "work_group_m=4 work_group_n=4 assignment=offset group_order=columns work_group_k=8 "
    "addressing=indices",
    "gemm layout_a=C tile_m=3 tile_n=2 tile_k=4 unroll_k=2 work_group_m=4 work_group_n=4 "
    "work_group_k=16 addressing=indices",
    "gemm layout_a=C tile_m=4 tile_n=4 tile_k=4 unroll_k=2 vector_width=4 inner=dot work_group_m=4 "
    "work_group_n=8 lanes_m=2 lanes_n=2 work_group_k=8",
    // An even division of k, for products whose tiles do not fill all compute units.
    "gemm tile_m=8 tile_n=8 vector_width=4 work_group_m=8 work_group_n=16 id_order=mn "
    "assignment=offset lanes_n=16 group_order=tiled stream_k=3 cache_block_k=8 local_a=yes "
    "local_b=yes local_pad=4 prefetch=clamped access=elements",
    "gemm layout_b=C tile_m=8 tile_n=4 unroll_k=2 vector_width=4 work_group_m=8 work_group_n=16 "
    "assignment=offset lanes_m=2 lanes_n=2 stream_k=3 cache_block_k=16 local_a=yes local_b=yes "
    "local_buffers=2 local_pad=4 prefetch=clamped access=elements",
    "gemm layout_a=C tile_m=8 tile_n=4 tile_k=2 vector_width=4 work_group_m=8 work_group_n=16 "
    "id_order=mn assignment=offset lanes_m=2 lanes_n=16 stream_k=3 cache_block_k=8 local_a=yes "
    "local_b=yes local_pad=4 prefetch=conditional",
    // Large products: tiles of 128 x 128, with and without an even division of k.
    "gemm tile_m=8 tile_n=16 vector_width=4 work_group_m=16 work_group_n=8 assignment=offset "
    "lanes_m=8 lanes_n=4 cache_block_k=8 local_a=yes local_b=yes local_pad=4 prefetch=clamped "
    "access=aligned",
    "gemm tile_m=8 tile_n=16 vector_width=4 work_group_m=16 work_group_n=8 assignment=offset "
    "lanes_m=8 lanes_n=4 stream_k=2 cache_block_k=8 local_a=yes local_b=yes local_pad=4 "
    "prefetch=clamped access=aligned",
    "gemm layout_b=C tile_m=8 tile_n=16 vector_width=4 work_group_m=16 work_group_n=8 "
    "assignment=offset lanes_m=8 lanes_n=4 cache_block_k=8 local_a=yes local_b=yes "
    "local_pad=4 prefetch=clamped access=aligned",
    "gemm layout_b=C tile_m=8 tile_n=16 vector_width=4 work_group_m=16 work_group_n=8 "
    "assignment=offset lanes_m=8 lanes_n=4 stream_k=2 cache_block_k=8 local_a=yes local_b=yes "
    "local_pad=4 prefetch=clamped access=aligned",
    "gemm layout_a=C tile_m=8 tile_n=16 vector_width=4 work_group_m=16 work_group_n=8 "
    "assignment=offset lanes_m=16 lanes_n=4 cache_block_k=8 local_a=yes local_b=yes "
    "local_pad=4 prefetch=clamped access=aligned",
    "gemm layout_a=C tile_m=8 tile_n=16 vector_width=4 work_group_m=16 work_group_n=8 "
    "assignment=offset lanes_m=16 lanes_n=4 stream_k=2 cache_block_k=8 local_a=yes "
    "local_b=yes local_pad=4 prefetch=clamped access=aligned",
    // Medium products.
    "gemm layout_b=C tile_m=8 tile_n=4 unroll_k=4 vector_width=4 work_group_m=8 work_group_n=16 "
    "assignment=offset lanes_m=2 cache_block_k=16 local_a=yes local_b=yes local_pad=4 "
    "prefetch=clamped access=elements",
    "gemm layout_b=C tile_m=4 tile_n=4 tile_k=2 unroll_k=4 vector_width=4 work_group_m=8 "
    "work_group_n=16 lanes_m=8 lanes_n=2 cache_block_k=16 local_a=yes local_b=yes local_pad=2 "
    "prefetch=clamped access=aligned",
    // Few columns or rows of C.
    "gemv layout_b=C tile_narrow=16 tile_k=8 work_group_k=256",
    "gemv layout_b=C tile_narrow=16 tile_wide=2 tile_k=2 work_group_k=32 work_group_wide=2",
    "gemv layout_b=C narrow=m tile_narrow=16 tile_wide=2 tile_k=2 vector_width=2 work_group_k=64 "
    "work_group_wide=2 k_first=no",
    "gemv layout_a=C tile_narrow=16 tile_wide=2 tile_k=2 vector_width=2 work_group_k=64 "
    "work_group_wide=2 k_first=no",
    "gemv layout_a=C narrow=m tile_wide=2 tile_k=4 work_group_k=32 work_group_wide=8 k_first=no"};

}  // namespace

std::vector<ParameterPoint> tuned_points(const DeviceInfo& device) {
  const std::vector<DeviceClass> classes = likely_classes(device);
  std::vector<ParameterPoint> points;
  if (std::find(classes.begin(), classes.end(), DeviceClass::kGpuLocal) == classes.end()) {
    return points;
  }
  for (const std::string_view point : kGpuLocalPoints) points.push_back(parse_point(point));
  return points;
}

}  // namespace tilewright
