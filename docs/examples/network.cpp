// How does a C++ program run a fully-connected network?
//
//   network_cpp [PROFILE|-] [DEVICE]
//
// PROFILE and DEVICE are as for sgemm_cpp. The program creates a network of two affine layers,
// followed by ReLU and softmax, with made-up weights. It runs two batches, prints the steps of
// each, compares the results with plain loops, and prints PASS or FAIL; its exit code is 0
// or 1.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#include <CL/opencl.hpp>

#include <tilewright/network.hpp>

namespace {

constexpr std::size_t inputs = 64;
constexpr std::size_t hidden = 50;
constexpr std::size_t outputs = 10;

void require_opencl(cl_int code, const char* call) {
  if (code != CL_SUCCESS) {
    throw std::runtime_error(std::string(call) + " failed with OpenCL code " +
                             std::to_string(code));
  }
}

cl::Device find_device(std::size_t number) {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    if (number < devices.size()) return devices[number];
    number -= devices.size();
  }
  throw std::runtime_error("there is no such OpenCL device");
}

std::vector<float> values(std::size_t count, unsigned seed) {
  std::vector<float> result(count);
  for (float& value : result) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
  return result;
}

cl::Buffer to_device(const cl::Context& context, std::vector<float>& host) {
  cl_int code = CL_SUCCESS;
  cl::Buffer buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, host.size() * sizeof(float),
                    host.data(), &code);
  require_opencl(code, "clCreateBuffer");
  return buffer;
}

// y = x W + b, of one sample.
std::vector<double> affine(const tw::Layer& layer, const std::vector<double>& x) {
  std::vector<double> y(layer.bias.begin(), layer.bias.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) y[j] += x[i] * layer.weights[i * y.size() + j];
  }
  return y;
}

// Are these the network's probabilities for a sample?
bool is_right(const std::vector<tw::Layer>& layers, const float* x, const float* probabilities) {
  auto y = affine(layers[0], std::vector<double>(x, x + inputs));
  for (double& value : y) value = std::max(value, 0.0);
  y = affine(layers[2], y);
  double sum = 0.0;
  for (double& value : y) sum += value = std::exp(value);
  for (std::size_t j = 0; j < outputs; ++j) {
    if (!(std::fabs(probabilities[j] - y[j] / sum) <= 1e-5)) return false;  // a NaN, too
  }
  return true;
}

bool run_batch(const tw::Network& net, const std::vector<tw::Layer>& layers,
               const cl::Context& context, const cl::CommandQueue& queue, std::size_t batch) {
  std::printf("batch %zu:\n%s", batch, net.explain(batch).c_str());
  std::vector<float> x = values(batch * inputs, 7);
  std::vector<float> y(batch * outputs, std::nanf(""));
  const cl::Buffer output = to_device(context, y);
  const cl::Buffer input = to_device(context, x);
  const std::vector<cl::Event> done{net.forward(queue, batch, input, output)};
  require_opencl(
      queue.enqueueReadBuffer(output, CL_TRUE, 0, y.size() * sizeof(float), y.data(), &done),
      "clEnqueueReadBuffer");
  bool right = true;
  for (std::size_t i = 0; i < batch; ++i) {
    right = right && is_right(layers, x.data() + i * inputs, y.data() + i * outputs);
  }
  return right;
}

// Without a file, or with "-", tilewright finds a profile itself.
tw::Options with_profile(const std::string& file) {
  return file == "-" ? tw::Options() : tw::Options().profile_path(file);
}

bool run(const std::string& profile, std::size_t number) {
  const cl::Device device = find_device(number);
  cl_int code = CL_SUCCESS;
  const cl::Context context(device, nullptr, nullptr, nullptr, &code);
  require_opencl(code, "clCreateContext");
  const cl::CommandQueue queue(context, device, 0, &code);
  require_opencl(code, "clCreateCommandQueue");
  const tw::Library library(context, device, with_profile(profile));
  std::printf("profile: %s\n", library.profile_origin().c_str());

  // 1. The network as data.
  const std::vector<tw::Layer> layers = {
      tw::Layer::affine(inputs, hidden, values(inputs * hidden, 1), values(hidden, 2), "first"),
      {TW_LAYER_RELU},
      tw::Layer::affine(hidden, outputs, values(hidden * outputs, 3), values(outputs, 4), "second"),
      {TW_LAYER_SOFTMAX}};

  // 2. The network on the device.
  const tw::Network net(library, layers);

  // 3. Any number of batches, of any sizes.
  const bool many = run_batch(net, layers, context, queue, 100);
  const bool one = run_batch(net, layers, context, queue, 1);
  return many && one;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 3) throw std::invalid_argument("usage: network_cpp [PROFILE|-] [DEVICE]");
    const bool passed = run(argc > 1 ? argv[1] : "-", argc > 2 ? std::stoul(argv[2]) : 0);
    std::puts(passed ? "PASS" : "FAIL");
    return passed ? 0 : 1;
  } catch (const tw::Error& error) {
    std::fprintf(stderr, "%s: %s\nFAIL\n", tw_status_name(error.status()), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\nFAIL\n", error.what());
  }
  return 1;
}
