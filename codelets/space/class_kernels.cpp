#include "codelets/space/class_kernels.hpp"

#include <string_view>
#include <vector>

#include "codelets/space/emit.hpp"
#include "codelets/space/guessed_model.hpp"

namespace tilewright {
namespace {

struct ClassKernel {
  DeviceClasses classes;
  std::string_view point;
};

// The points of the following functions were fastest when a device of the class was tuned. They
// avoid fma(), which some devices emulate, and features that need aligned operands.

std::vector<ClassKernel> cpu_kernels() {
  constexpr DeviceClass kCpu8 = DeviceClass::kCpu8;
  constexpr DeviceClass kCpu16 = DeviceClass::kCpu16;
  return {
      // Six rows of two vectors leave four of 16 registers free. B is packed into panels, except
      // for small products.
      {{kCpu8},
       "gemm tile_m=6 tile_n=16 unroll_k=2 vector_width=16 work_group_n=8 group_order=tiled "
       "addressing=indices"},
      {{kCpu8},
       "gemm layout_b=C1x32R tile_m=6 tile_n=16 unroll_k=4 vector_width=16 work_group_m=4 "
       "addressing=indices"},
      {{kCpu8, kCpu16},
       "gemm layout_b=C tile_m=4 tile_n=2 tile_k=8 vector_width=8 inner=partial work_group_m=8 "
       "work_group_n=4 id_order=mn"},
      {{kCpu8}, "gemm layout_a=C tile_m=4 tile_n=16 unroll_k=4 vector_width=16 work_group_m=8"},
      {{kCpu8}, "pack from=R to=C1x32R tile_m=4 tile_n=8 vector_width=4 work_group_m=128"},
      {{kCpu8}, "pack to=C1x32R tile_m=8 tile_n=4 vector_width=4 work_group_m=64"},
      {{kCpu8, kCpu16}, "pack tile_m=4 tile_n=4 vector_width=4 work_group_m=64"},
      // If C has few columns, vectors along n would be mostly empty. NT kernels have vectors along
      // k, and NN is converted to NT: packing a B with few columns is cheap. A single row of C does
      // not profit from a tile.
      {{kCpu8, kCpu16}, "pack from=R to=C work_group_m=64"},
      {{kCpu8, kCpu16}, "gemv layout_a=C tile_narrow=4 tile_wide=8 vector_width=8"},
      {{kCpu8, kCpu16}, "gemv layout_b=C narrow=m tile_wide=4 tile_k=8 vector_width=8"},
      {{kCpu8, kCpu16}, "gemv narrow=m tile_wide=16 tile_k=2 vector_width=16"},
      // Eight rows of three vectors leave eight of 32 registers free.
      {{kCpu16},
       "gemm tile_m=8 tile_n=32 vector_width=16 work_group_m=8 id_order=mn group_order=tiled "
       "addressing=indices"},
      {{kCpu16},
       "gemm layout_b=C1x48R tile_m=8 tile_n=48 vector_width=16 work_group_m=8 id_order=mn "
       "group_order=tiled addressing=indices"},
      {{kCpu16},
       "gemm layout_a=C tile_m=4 tile_n=32 vector_width=16 work_group_m=16 work_group_n=2 "
       "lanes_m=2 group_order=tiled"},
      {{kCpu16}, "pack from=R to=C1x48R tile_m=16 tile_n=16 vector_width=16"},
      {{kCpu16}, "pack to=C1x48R tile_m=4 tile_n=4 vector_width=4 work_group_m=64"},
  };
}

std::vector<ClassKernel> gpu_local_kernels() {
  constexpr DeviceClass kGpuLocal = DeviceClass::kGpuLocal;
  return {
      // Tiles in local memory: large ones, and smaller ones with split k for products with large k
      // and few tiles of C. If C is small, eight work-items share the k of a tile.
      {{kGpuLocal},
       "gemm tile_m=8 tile_n=8 vector_width=4 work_group_m=8 work_group_n=16 id_order=mn "
       "assignment=offset lanes_m=2 lanes_n=16 group_order=tiled cache_block_k=8 local_a=yes "
       "local_b=yes local_pad=4 prefetch=clamped access=elements"},
      {{kGpuLocal},
       "gemm tile_m=8 tile_n=4 vector_width=4 work_group_m=8 work_group_n=16 id_order=mn "
       "assignment=offset lanes_m=2 lanes_n=16 split_k=8 cache_block_k=8 local_a=yes local_b=yes "
       "local_pad=4 prefetch=conditional access=elements"},
      {{kGpuLocal}, "gemm tile_m=4 tile_n=4 work_group_m=4 work_group_n=8 work_group_k=8"},
      {{kGpuLocal},
       "gemm layout_b=C tile_m=8 tile_n=8 vector_width=4 work_group_m=8 work_group_n=16 "
       "id_order=mn assignment=offset lanes_m=2 lanes_n=16 group_order=columns cache_block_k=8 "
       "local_a=yes local_b=yes local_pad=4 prefetch=conditional access=elements"},
      {{kGpuLocal},
       "gemm layout_b=C tile_m=8 tile_n=4 vector_width=4 work_group_m=8 work_group_n=16 "
       "id_order=mn assignment=offset lanes_m=2 lanes_n=16 split_k=8 cache_block_k=8 local_a=yes "
       "local_b=yes local_pad=4 prefetch=conditional access=elements"},
      {{kGpuLocal},
       "gemm layout_b=C tile_m=4 tile_n=4 tile_k=4 work_group_m=4 work_group_n=8 id_order=mn "
       "assignment=offset group_order=columns work_group_k=8"},
      {{kGpuLocal},
       "gemm layout_a=C tile_m=8 tile_n=8 vector_width=4 work_group_m=8 work_group_n=16 "
       "id_order=mn assignment=offset lanes_m=2 lanes_n=8 cache_block_k=8 local_a=yes local_b=yes "
       "local_pad=4 prefetch=conditional access=elements"},
      {{kGpuLocal},
       "gemm layout_a=C tile_m=8 tile_n=4 vector_width=4 work_group_m=8 work_group_n=16 "
       "id_order=mn assignment=offset lanes_m=2 lanes_n=16 split_k=8 cache_block_k=8 local_a=yes "
       "local_b=yes local_pad=4 prefetch=conditional access=elements"},
      {{kGpuLocal},
       "gemm layout_a=C tile_m=4 tile_n=4 tile_k=2 unroll_k=2 vector_width=4 work_group_m=4 "
       "work_group_n=8 lanes_m=2 lanes_n=2 work_group_k=8"},
      // Few columns or rows of C: neighbouring work-items share k. For few rows of NN and TN, the
      // split-k kernels above are as fast.
      {{kGpuLocal}, "gemv tile_narrow=4 tile_wide=2 work_group_k=64 work_group_wide=2"},
      {{kGpuLocal}, "gemv layout_b=C tile_narrow=4 tile_wide=2 work_group_k=64 work_group_wide=2"},
      {{kGpuLocal},
       "gemv layout_b=C narrow=m tile_narrow=4 tile_wide=2 work_group_k=64 work_group_wide=2"},
      {{kGpuLocal}, "gemv layout_a=C tile_narrow=4 work_group_k=32 work_group_wide=8 k_first=no"},
      {{kGpuLocal}, "reduce work_group_n=256"},
      {{kGpuLocal}, "pack tile_m=4 work_group_m=8 work_group_n=32 local=yes"},
  };
}

// Whole vectors of both operands, adjacent in memory.
std::vector<ClassKernel> gpu_kernels() {
  constexpr DeviceClass kGpu = DeviceClass::kGpu;
  return {
      {{kGpu},
       "gemm layout_a=R4x1C layout_b=C1x4R tile_m=4 tile_n=4 vector_width=4 work_group_m=8 "
       "work_group_n=8"},
      {{kGpu}, "pack to=R4x1C tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8"},
      {{kGpu},
       "pack from=R to=R4x1C tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8"},
      {{kGpu}, "pack to=C1x4R tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8"},
      {{kGpu},
       "pack from=R to=C1x4R tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8"},
  };
}

void add_class_kernel(const ClassKernel& wanted, Profile& generic) {
  const ParameterPoint point = parse_point(wanted.point);
  KernelRecord kernel = emit(point);
  kernel.classes = wanted.classes;
  if (is_product(kernel.role)) {
    generic.models.push_back(guessed_model(wanted.classes.front(), point, kernel));
  }
  generic.kernels.push_back(std::move(kernel));
}

}  // namespace

void add_class_kernels(Profile& generic) {
  for (const KernelRecord& basic : generic.kernels) {
    if (is_product(basic.role)) {
      generic.models.push_back(guessed_model(DeviceClass::kGpu, parse_point(basic.point), basic));
    }
  }
  for (const auto& kernels : {cpu_kernels(), gpu_local_kernels(), gpu_kernels()}) {
    for (const ClassKernel& wanted : kernels) add_class_kernel(wanted, generic);
  }
}

}  // namespace tilewright
