// A user's program in C++17 that computes a product and a network. It uses only the files of the
// packages.
#include <cstdio>
#include <tilewright/library.hpp>
#include <tilewright/mlp.hpp>
#include <vector>

namespace {

bool multiplies(tilewright::Library& library, const cl::Context& context,
                const cl::CommandQueue& queue) {
  std::vector<float> a{1, 2, 3, 4}, c(4);
  const std::size_t bytes = 16;
  const cl::Buffer device_a(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, a.data());
  const cl::Buffer device_c(context, CL_MEM_READ_WRITE, bytes);
  tilewright::GemmCall call;
  call.m = call.n = call.k = 2;
  library.gemm(queue, call, {device_a, 0, 2}, {device_a, 0, 2}, {device_c, 0, 2});
  queue.enqueueReadBuffer(device_c, CL_TRUE, 0, bytes, c.data());
  return c == std::vector<float>{7, 10, 15, 22};
}

bool compares_networks() {
  tilewright::MlpModel net;
  net.layers = {tilewright::AffineLayer{"", 1, 1, {2.0f}, {}}, tilewright::ActivationLayer{}};
  tilewright::MlpModel other = net;
  std::get<tilewright::AffineLayer>(other.layers[0]).weights[0] = 3.0f;
  return net == tilewright::MlpModel(net) && !(net == other);
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
    tilewright::Library library = tilewright::Library::open(context, devices[0]);
    std::puts(library.profile_origin().c_str());
    const bool passed =
        multiplies(library, context, cl::CommandQueue(context)) && compares_networks();
    std::puts(passed ? "PASS" : "FAIL");
    return passed ? 0 : 2;
  } catch (const tilewright::Error& error) {
    std::puts(error.what());
    return 2;
  }
}
