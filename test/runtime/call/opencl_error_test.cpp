#include "runtime/call/opencl_error.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("codes are printed by name") {
  CHECK(opencl_code_text(CL_OUT_OF_RESOURCES) == "CL_OUT_OF_RESOURCES (-5)");
  CHECK(opencl_code_text(-1001) == "CL_PLATFORM_NOT_FOUND_KHR (-1001)");
  CHECK(opencl_code_text(-9999) == "unknown OpenCL error code (-9999)");
}

TEST_CASE("codes for lack of memory become TW_OUT_OF_MEMORY, all others TW_OPENCL_ERROR") {
  CHECK(to_status(CL_OUT_OF_HOST_MEMORY) == TW_OUT_OF_MEMORY);
  CHECK(to_status(CL_INVALID_BUFFER_SIZE) == TW_OUT_OF_MEMORY);
  CHECK(to_status(CL_OUT_OF_RESOURCES) == TW_OPENCL_ERROR);
}

TEST_CASE("a failed call throws an error that contains the call, the code and a remedy") {
  CHECK_NOTHROW(check_opencl(CL_SUCCESS, "clFinish"));
  try {
    check_opencl(CL_OUT_OF_RESOURCES, "clFinish");
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.status() == TW_OPENCL_ERROR);
    CHECK(error.opencl_code() == CL_OUT_OF_RESOURCES);
    CHECK(std::string(error.what()).find("clFinish failed with CL_OUT_OF_RESOURCES (-5): ") == 0);
  }
  try {
    check_opencl(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clCreateBuffer");
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.status() == TW_OUT_OF_MEMORY);
  }
}

}  // namespace
}  // namespace tilewright
