#include "runtime/device/device_identity.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("a driver's revision is not part of the OpenCL C version") {
  // Values of CL_DEVICE_OPENCL_C_VERSION from drivers of Mali, PoCL and NVIDIA.
  CHECK(language_version("OpenCL C 1.2 v1.r14p0-01rel0-git(a79caef).004e51") == "OpenCL C 1.2");
  CHECK(language_version("OpenCL C 1.2 PoCL") == "OpenCL C 1.2");
  CHECK(language_version("OpenCL C 1.2") == "OpenCL C 1.2");
  CHECK(language_version("OpenCL C 1.1 ") == "OpenCL C 1.1");
  CHECK(language_version("").empty());
  CHECK(language_version("something else 1.2") == "something else 1.2");
}

}  // namespace
}  // namespace tilewright
