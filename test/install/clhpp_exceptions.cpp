// A program whose CLHPP functions throw exceptions, which those of tilewright do not. Needs a
// device.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#include <CL/opencl.hpp>

#include <cstdio>
#include <exception>
#include <vector>

#include <tilewright/tilewright.hpp>

namespace {

constexpr std::size_t kSize = 16;

// Does the program's own CLHPP throw?
bool throws(const cl::Context& context) {
  try {
    const cl::Buffer none(context, CL_MEM_READ_WRITE, 0);
  } catch (const cl::Error& error) {
    return error.err() == CL_INVALID_BUFFER_SIZE;
  }
  return false;
}

bool multiplies(const tw::Library& library, const cl::CommandQueue& queue) {
  std::vector<float> ones(kSize * kSize, 1.0f), result(kSize * kSize);
  const cl::Buffer a(queue, ones.begin(), ones.end(), true);
  const cl::Buffer c(queue, result.begin(), result.end(), false);
  const cl::Event done = library.gemm<float>(queue, {kSize, kSize, kSize}, a, a, c);
  done.wait();
  cl::copy(queue, c, result.begin(), result.end());
  return result == std::vector<float>(kSize * kSize, static_cast<float>(kSize));
}

// Errors of the library are tw::Error.
bool reports(const tw::Library& library, const cl::Context& context,
             const cl::CommandQueue& queue) {
  std::vector<float> ones(kSize * kSize, 1.0f);
  const cl::Buffer a(queue, ones.begin(), ones.end(), true);
  try {
    library.gemm<float>(
        queue, {kSize, kSize, kSize, 1.0, 0.0, TW_NO_TRANS, TW_NO_TRANS, static_cast<tw_layout>(7)},
        a, a, cl::Buffer(context, CL_MEM_READ_WRITE, 1024));
  } catch (const tw::Error& error) {
    return error.status() == TW_INVALID_VALUE && error.opencl_code() == CL_SUCCESS;
  }
  return false;
}

}  // namespace

int main() {
  try {
    const cl::Context context(CL_DEVICE_TYPE_ALL);
    const cl::CommandQueue queue(context);
    const tw::Library library(queue);
    const bool passed =
        throws(context) && multiplies(library, queue) && reports(library, context, queue);
    std::puts(passed ? "PASS" : "FAIL");
    return passed ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
