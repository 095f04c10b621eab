// The original kernels do not handle edges (their matrices are padded), so these points have
// edges=padded. The originals compute array indices in each step, hence addressing=indices.
// Pointers to float4 become access=aligned. If id 0 counts along m, work-groups do so too:
// group_order=columns.
#include "codelets/space/named_points.hpp"

namespace tilewright {
namespace {

std::vector<NamedPoint> mali_t600_points() {
  return {
      {"scalarNN", "op=NN work_group_m=32 work_group_n=4 edges=padded addressing=indices",
       "Mali-T600 paper, 1.4.3, Listing 1.9",
       "One element of C per work-item. The paper does not give the work-group; this is (4, 32) of "
       "section 1.4.6."},
      {"scalarNT", "op=NT work_group_m=32 work_group_n=4 edges=padded addressing=indices",
       "Mali-T600 paper, 1.4.3, Listing 1.10",
       "One element of C per work-item, both operands contiguous along k. Same work-group as "
       "scalarNN."},
      {"blockedNN",
       "op=NN tile_n=4 tile_k=4 vector_width=4 work_group_m=32 work_group_n=4 edges=padded "
       "access=aligned addressing=indices",
       "Mali-T600 paper, 1.4.5, Listing 1.11",
       "The 1x4x4 kernel (m x k x n) with the work-group (4, 32) that section 1.4.6 analyses."},
      {"blockedNT",
       "op=NT tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot work_group_m=4 work_group_n=16 "
       "id_order=mn group_order=columns edges=padded access=aligned addressing=indices",
       "Mali-T600 paper, 1.4.5, Listing 1.12",
       "The 2x4x2 kernel. The paper does not give the work-group; with 4 x 16 the thesis (7.2.2) "
       "reproduced the paper's best figures."},
      {"cacheblockedNT",
       "op=NT tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot work_group_m=16 work_group_n=8 "
       "cache_block_k=128 edges=padded access=aligned addressing=indices",
       "Mali-T600 paper, 1.4.8, Listing 1.13",
       "The 2x4x2 kernel with a barrier every 32 float4 of k. The paper does not give the "
       "work-group; this is (8, 16), that is, the 128 work-items of a core."},
      {"cacheblockedNN",
       "op=NN tile_n=4 tile_k=4 vector_width=4 work_group_m=32 work_group_n=4 cache_block_k=128 "
       "edges=padded access=aligned addressing=indices",
       "Mali-T600 paper, 1.4.8 and Table 1.3",
       "Column cbNN, which has no listing: blockedNN with the barrier of cacheblockedNT."},
      {"blockedNT-1x4x4",
       "op=NT tile_n=4 tile_k=4 vector_width=4 inner=dot work_group_m=16 work_group_n=8 "
       "edges=padded access=aligned addressing=indices",
       "Mali-T600 paper, Table 1.4",
       "The 1x4x4 kernel for NT, which has no listing. Same work-group as cacheblockedNT."},
      {"cacheblockedNT-1x4x4",
       "op=NT tile_n=4 tile_k=4 vector_width=4 inner=dot work_group_m=16 work_group_n=8 "
       "cache_block_k=128 edges=padded access=aligned addressing=indices",
       "Mali-T600 paper, Table 1.4", "The same with the barrier of cacheblockedNT."},
  };
}

std::vector<NamedPoint> thesis_points() {
  return {
      {"baseline-rm-rm",
       "op=NN work_group_m=64 id_order=mn group_order=columns edges=padded addressing=indices",
       "low-power thesis, 6.1, Source 6.1",
       "One element of C per work-item. In the original the driver chooses the work-group; here it "
       "has 64 work-items along dimension 0."},
      {"baseline-rm-cm",
       "op=NT layout_c=C work_group_m=64 id_order=mn group_order=columns edges=padded "
       "addressing=indices",
       "low-power thesis, 7.1, Source 7.1",
       "The same with column-major B and C. Same work-group as baseline-rm-rm."},
      {"grouped-rm-rm",
       "op=NN work_group_m=4 work_group_n=16 id_order=mn group_order=columns edges=padded "
       "addressing=indices",
       "low-power thesis, 7.2, Figure 7.3", "baseline-rm-rm with the work-group of 4 x 16."},
      {"grouped-rm-cm",
       "op=NT layout_c=C work_group_m=4 work_group_n=16 id_order=mn group_order=columns "
       "edges=padded "
       "addressing=indices",
       "low-power thesis, 7.2",
       "baseline-rm-cm with the work-group of 4 x 16, four of which form a square."},
      {"vectorised-rm-cm",
       "op=NT layout_c=C tile_k=4 vector_width=4 inner=dot work_group_m=4 work_group_n=16 "
       "id_order=mn group_order=columns edges=padded access=aligned addressing=indices",
       "low-power thesis, 7.3, Source 7.2", "grouped-rm-cm with dot() of float4."},
      {"blocked-rm-rm",
       "op=NN tile_n=4 tile_k=4 vector_width=4 work_group_m=8 work_group_n=8 id_order=mn "
       "group_order=columns edges=padded access=aligned addressing=indices",
       "low-power thesis, 7.4.1, Source 12.2",
       "blockedNN with the global ids exchanged and a work-group of 8 x 8."},
      {"blocked-rm-cm",
       "op=NT layout_c=C tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot work_group_m=4 "
       "work_group_n=16 id_order=mn group_order=columns edges=padded access=aligned "
       "addressing=indices",
       "low-power thesis, 7.4.2, Source 12.3",
       "blockedNT with column-major C: the baseline of Tables 8.1 and 8.2."},
      {"morton-4-2",
       "layout_a=R2x4R layout_b=C4x2C layout_c=C4x2C tile_m=2 tile_n=2 tile_k=4 vector_width=4 "
       "inner=dot work_group_m=4 work_group_n=16 id_order=mn group_order=columns edges=padded "
       "access=aligned "
       "addressing=indices",
       "low-power thesis, Table 8.1, Source 12.5",
       "The fastest kernel of the thesis. Table 8.1 gives the layout of C as R 4 2 C; its listing, "
       "like this kernel, stores C 4 2 C, which the next layer reads."},
      {"morton-4-4",
       "layout_a=R4x4R layout_b=C4x4C layout_c=C4x4C tile_m=2 tile_n=2 tile_k=4 vector_width=4 "
       "inner=dot work_group_m=4 work_group_n=16 id_order=mn group_order=columns edges=padded "
       "access=aligned "
       "addressing=indices",
       "low-power thesis, Table 8.1, Source 12.4", "Blocks of a quarter of a cache line."},
  };
}

// The paper leaves open which global id counts along n (here: 0), which form of multiply-add its
// micro-benchmarks chose (here: mad), and how a staged tile is unrolled (here: completely).
std::vector<NamedPoint> raijin_points() {
  return {
      {"raijin-gcn",
       "op=TN tile_m=8 tile_n=8 vector_width=4 multiply_add=mad work_group_m=8 work_group_n=8 "
       "assignment=offset edges=padded access=aligned",
       "RaijinCL paper, Table III (a)",
       "Best for AMD GCN (Radeon HD 7970): tile (8,8,1), without local memory."},
      {"raijin-northern-islands",
       "op=TN tile_m=8 tile_n=8 tile_k=2 vector_width=4 multiply_add=mad work_group_m=8 "
       "work_group_n=8 assignment=offset edges=padded access=aligned",
       "RaijinCL paper, Table III (a)",
       "Best for AMD Northern Islands (Radeon HD 8650G): tile (8,8,2), without local memory."},
      {"raijin-fermi",
       "op=TN tile_m=8 tile_n=4 unroll_k=16 vector_width=4 multiply_add=mad work_group_m=8 "
       "work_group_n=8 assignment=offset cache_block_k=16 local_a=yes local_b=yes image_a=yes "
       "image_b=yes edges=padded",
       "RaijinCL paper, Table III (a)",
       "Best for Nvidia Fermi (Tesla C2050): tile (8,4,16), staged in local memory from images."},
      {"raijin-kepler",
       "op=TN tile_m=8 tile_n=4 unroll_k=16 vector_width=2 multiply_add=mad work_group_m=16 "
       "work_group_n=16 assignment=offset cache_block_k=16 local_a=yes local_b=yes image_a=yes "
       "image_b=yes edges=padded",
       "RaijinCL paper, Table III (a)",
       "Best for Nvidia Kepler (GT 650M): tile (8,4,16), staged in local memory from images."},
      {"raijin-ivy-bridge",
       "op=TN tile_m=8 tile_n=8 unroll_k=4 vector_width=4 multiply_add=mad work_group_m=4 "
       "work_group_n=8 assignment=offset cache_block_k=4 local_a=yes local_b=yes image_b=yes "
       "edges=padded",
       "RaijinCL paper, Table III (a)",
       "Best for Intel Ivy Bridge (HD 4000): tile (8,8,4), staged in local memory, B from an image."},
      {"raijin-hybrid",
       "op=TN tile_m=8 tile_n=4 unroll_k=8 vector_width=4 multiply_add=mad work_group_m=8 "
       "work_group_n=16 assignment=offset cache_block_k=8 local_a=yes local_b=yes edges=padded "
       "access=aligned",
       "RaijinCL paper, Table V",
       "Best for Ivy Bridge while its CPU computes the other rows: tile (8,4,8), staged in local "
       "memory."},
  };
}

}  // namespace

const std::vector<NamedPoint>& named_points() {
  static const std::vector<NamedPoint> points = [] {
    std::vector<NamedPoint> all;
    for (const auto& part : {mali_t600_points(), thesis_points(), raijin_points()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return points;
}

const NamedPoint* find_named_point(std::string_view name) {
  for (const NamedPoint& point : named_points()) {
    if (point.name == name) return &point;
  }
  return nullptr;
}

}  // namespace tilewright
