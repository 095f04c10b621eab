// Tests the library on a device with kernels that read operands through images.
#include <algorithm>

#include "operands_case.hpp"
#include "session.hpp"

namespace tilewright {
namespace {

// Found by scripts/drivers. Such a kernel never becomes part of a profile, because candidates are
// verified first.
bool mixes_up_images(const cl::Device& device) {
  return device.getInfo<CL_DEVICE_NAME>().starts_with("llvmpipe");
}

TEST_CASE("operands are read through images") {
  const TestDevice d;
  if (!identify(d.device).limits.image_support) SKIP_CASE("the device does not support images");
  for (const Images images :
       {Images{true, false, false}, {false, true, false}, {true, true, false}}) {
    if (images.a && images.b && mixes_up_images(d.device)) {
      count_skipped_part(
          "Rusticl on llvmpipe (Mesa 25.0.7) is wrong where a kernel reads two images");
      continue;
    }
    for (const Op op : {Op::kNN, Op::kTT}) {
      INFO(to_text(images) << " " << to_text(op));
      KernelRecord gemm =
          written_gemm("gemm", op == Op::kNN ? "R" : "C", op == Op::kNN ? "R" : "C", "R");
      gemm.images = images;
      gemm.multiples = {3, 4, 2};
      std::vector<KernelRecord> kernels = {with_source(gemm)};
      for (const char* from : {"R", "C"}) {
        for (const char* to : {"R", "C"}) {
          kernels.push_back(written_pack(std::string("image_") + from + to, from, to, true));
        }
      }
      kernels.push_back(written_pack("rc", "R", "C"));
      LibraryHandle library = make_library(d, kernels);
      CHECK(library->kernels_for(kCall).size() ==
            (op == Op::kTT || (images.a && images.b) ? 3u : 2u));
      check_products(d, library);
    }
  }
}

TEST_CASE("an operand that is larger than any image uses another plan") {
  const TestDevice d;
  if (!identify(d.device).limits.image_support) SKIP_CASE("the device does not support images");
  KernelRecord gemm = written_gemm("gemm", "R", "R", "R");
  gemm.images.b = true;
  LibraryHandle library =
      make_library(d, {with_source(gemm), written_pack("image", "R", "R", true)});
  const std::size_t rows = d.device.getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>();
  CHECK(library->kernels_for({.m = 2, .n = 3, .k = rows}) == Names{"image", "gemm"});
  const Names other = library->kernels_for({.m = 2, .n = 3, .k = rows + 1});
  CHECK(std::find(other.begin(), other.end(), "gemm") == other.end());
  CHECK(run_case(d, library, BlasCase({.m = 2, .n = 3, .k = rows + 1}, 0, 0, 1)) == "");
}

}  // namespace
}  // namespace tilewright
