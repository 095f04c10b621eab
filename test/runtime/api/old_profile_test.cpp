// Tests that profiles of released versions are still read, and that their kernels run. The files
// in test/runtime/old_profiles never change.
#include <algorithm>

#include "panel_library.hpp"

namespace tilewright {
namespace {

const std::string kOldProfile = TILEWRIGHT_OLD_PROFILES "/tuned-0.1.0.toml";
const std::string kProduct = "sgemm_R_R_m8_n16_v16_wm2_wn2_aligned";

// Its rows are aligned as the kernel requires.
constexpr GemmCall kAlignedCall{.m = 37, .n = 48, .k = 64, .alpha = 1.5f, .beta = 0.5f};

void check_product(const TestDevice& d, Library& library) {
  const BlasCase test(kAlignedCall, 0, 0, 1);
  const Matrix c = upload(d, test.c);
  const cl::Event done =
      library.gemm(d.queue, kAlignedCall, upload(d, test.a), upload(d, test.b), c);
  CHECK(test.wrong(download(d, c, {done})) == "");
}

TEST_CASE("a profile of version 0.1.0 is read, and its kernels run") {
  const Profile profile = load_profile(kOldProfile);
  CHECK(profile.kind == ProfileKind::kTuned);
  CHECK(profile.provenance.tool_version == "0.1.0");
  std::vector<KernelRecord> kernels = profile.kernels;
  std::erase_if(kernels, [](const KernelRecord& kernel) { return kernel.built_in; });
  CHECK(kernels.size() == 4);
  REQUIRE(kernels.front().name == kProduct);
  const auto measured = [](const ShapeResult& result) { return result.kernel == kProduct; };
  CHECK(std::count_if(profile.results.begin(), profile.results.end(), measured) == 2);

  const TestDevice d;
  const LibraryHandle library = make_library(d, kernels);
  CHECK(library->kernels_for(kAlignedCall) == std::vector<std::string>{kProduct});
  check_product(d, *library);
}

TEST_CASE("a library opens a profile of version 0.1.0 of another device, if that is allowed") {
  const TestDevice d;
  check_product(d, *Library::open(d.context, d.device, ProfileSource::file(kOldProfile).forced()));
}

}  // namespace
}  // namespace tilewright
