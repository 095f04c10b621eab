// How does a C++ program run a fully-connected network?
//
//   mlp_cpp [PROFILE|-] [DEVICE]
//
// PROFILE and DEVICE are as for sgemm_cpp. The program creates a network of two affine layers,
// followed by ReLU and softmax, with made-up weights. It runs two batches, prints the kernels of
// each step, compares the results with plain loops, and prints PASS or FAIL; its exit code is 0
// or 1.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <tilewright/mlp.hpp>

namespace {

using tilewright::ActivationLayer;
using tilewright::AffineLayer;
using tilewright::Library;
using tilewright::Mlp;
using tilewright::MlpActivation;
using tilewright::MlpModel;
using tilewright::ProfileSource;

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
std::vector<double> affine(const AffineLayer& layer, const std::vector<double>& x) {
  std::vector<double> y(layer.bias.begin(), layer.bias.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) y[j] += x[i] * layer.weights[i * y.size() + j];
  }
  return y;
}

// Are these the network's probabilities for a sample?
bool is_right(const MlpModel& model, const float* x, const float* probabilities) {
  auto y = affine(std::get<AffineLayer>(model.layers[0]), std::vector<double>(x, x + inputs));
  for (double& value : y) value = std::max(value, 0.0);
  y = affine(std::get<AffineLayer>(model.layers[2]), y);
  double sum = 0.0;
  for (double& value : y) sum += value = std::exp(value);
  for (std::size_t j = 0; j < outputs; ++j) {
    if (!(std::fabs(probabilities[j] - y[j] / sum) <= 1e-5)) return false;  // a NaN, too
  }
  return true;
}

bool run_batch(const Mlp& net, const MlpModel& model, const cl::Context& context,
               const cl::CommandQueue& queue, std::size_t batch) {
  for (const tilewright::MlpStep& step : net.describe(batch)) {
    std::printf("batch %zu: %s:", batch, step.name.c_str());
    for (const std::string& kernel : step.kernels) std::printf(" %s", kernel.c_str());
    std::puts("");
  }
  std::vector<float> x = values(batch * inputs, 7);
  std::vector<float> y(batch * outputs, std::nanf(""));
  const cl::Buffer output = to_device(context, y);
  const std::vector<cl::Event> done{
      net.forward(queue, {to_device(context, x), 0, inputs}, {output, 0, outputs}, batch)};
  require_opencl(
      queue.enqueueReadBuffer(output, CL_TRUE, 0, y.size() * sizeof(float), y.data(), &done),
      "clEnqueueReadBuffer");
  bool right = true;
  for (std::size_t i = 0; i < batch; ++i) {
    right = right && is_right(model, x.data() + i * inputs, y.data() + i * outputs);
  }
  return right;
}

bool run(const std::string& profile, std::size_t number) {
  const cl::Device device = find_device(number);
  cl_int code = CL_SUCCESS;
  const cl::Context context(device, nullptr, nullptr, nullptr, &code);
  require_opencl(code, "clCreateContext");
  const cl::CommandQueue queue(context, device, 0, &code);
  require_opencl(code, "clCreateCommandQueue");
  const Library library = Library::open(
      context, device, profile == "-" ? ProfileSource::automatic() : ProfileSource::file(profile));
  std::printf("profile: %s\n", library.profile_origin().c_str());

  // 1. The network as data.
  MlpModel model;
  model.layers.push_back(
      AffineLayer{"first", inputs, hidden, values(inputs * hidden, 1), values(hidden, 2)});
  model.layers.push_back(ActivationLayer{"", MlpActivation::kRelu});
  model.layers.push_back(
      AffineLayer{"second", hidden, outputs, values(hidden * outputs, 3), values(outputs, 4)});
  model.layers.push_back(ActivationLayer{"", MlpActivation::kSoftmax});

  // 2. The network on the device.
  const Mlp net(library, model);

  // 3. Any number of batches, of any sizes.
  const bool many = run_batch(net, model, context, queue, 100);
  const bool one = run_batch(net, model, context, queue, 1);
  return many && one;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 3) throw std::invalid_argument("usage: mlp_cpp [PROFILE|-] [DEVICE]");
    const bool passed = run(argc > 1 ? argv[1] : "-", argc > 2 ? std::stoul(argv[2]) : 0);
    std::puts(passed ? "PASS" : "FAIL");
    return passed ? 0 : 1;
  } catch (const tilewright::Error& error) {
    std::fprintf(stderr, "%s: %s\nFAIL\n", tw_status_name(error.status()), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\nFAIL\n", error.what());
  }
  return 1;
}
