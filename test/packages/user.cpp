// A user's program in C++17 that computes a product and a network. It uses only the files of the
// packages.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#include <CL/opencl.hpp>
#include <cstdio>
#include <tilewright/network.hpp>
#include <vector>

namespace {

bool multiplies(const tw::Library& library, const cl::Context& context,
                const cl::CommandQueue& queue) {
  std::vector<float> a{1, 2, 3, 4}, c(4);
  const std::size_t bytes = 16;
  const cl::Buffer device_a(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, a.data());
  const cl::Buffer device_c(context, CL_MEM_READ_WRITE, bytes);
  library.gemm<float>(queue, {2, 2, 2}, device_a, device_a, device_c);
  queue.enqueueReadBuffer(device_c, CL_TRUE, 0, bytes, c.data());
  return c == std::vector<float>{7, 10, 15, 22};
}

bool runs_a_network(const tw::Library& library, const cl::Context& context,
                    const cl::CommandQueue& queue) {
  const tw::Network net(library, {tw::Layer::affine(1, 1, {2.0f}), {TW_LAYER_RELU}});
  float x[] = {3.0f, -3.0f}, y[2];
  const cl::Buffer device_x(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(x), x);
  const cl::Buffer device_y(context, CL_MEM_READ_WRITE, sizeof(y));
  net.forward(queue, 2, device_x, device_y);
  queue.enqueueReadBuffer(device_y, CL_TRUE, 0, sizeof(y), y);
  return y[0] == 6.0f && y[1] == 0.0f;
}

}  // namespace

int main() {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  std::vector<cl::Device> devices;
  if (!platforms.empty()) platforms[0].getDevices(CL_DEVICE_TYPE_ALL, &devices);
  if (devices.empty()) {
    std::puts("no OpenCL device");
    return 1;
  }
  try {
    const cl::Context context(devices[0]);
    const cl::CommandQueue queue(context);
    const tw::Library library(context, devices[0]);
    std::puts(library.profile_origin().c_str());
    const bool passed =
        multiplies(library, context, queue) && runs_a_network(library, context, queue);
    std::puts(passed ? "PASS" : "FAIL");
    return passed ? 0 : 2;
  } catch (const tw::Error& error) {
    std::puts(error.what());
    return 2;
  }
}
