// A program for tests of the fault layer. It builds and launches a kernel `probe` twice and prints
// the result of each step. "fault_probe binary" builds it from a binary the second time;
// "fault_probe team", "fault_probe team-buffers" and "fault_probe library" run the functions of
// team_probe.hpp instead.
#include <CL/opencl.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

#include "team_probe.hpp"

namespace {

constexpr char kSource[] =
    "__kernel void probe(const int m, const int n, const int k, const float alpha,\n"
    "                    __global float *c) {\n"
    "  float sum = 0.0f;\n"
    "  for (int i = 0; i < k; ++i) sum += alpha;\n"
    "  c[get_global_id(0)] = sum;\n"
    "}\n";
constexpr std::size_t kItems = 64;
constexpr cl_int kSteps = 10;

void print_value(const char* what, long long value) {
  std::printf("%s %lld\n", what, value);
  std::fflush(stdout);  // the next call may be the last
}

int launch(const cl::Context& context, const cl::CommandQueue& queue, cl::Kernel& kernel) {
  const cl::Buffer c(context, CL_MEM_READ_WRITE, kItems * sizeof(float));
  kernel.setArg(0, cl_int{1});
  kernel.setArg(1, cl_int{1});
  kernel.setArg(2, kSteps);
  kernel.setArg(3, 0.5f);
  kernel.setArg(4, c);
  cl::Event event;
  const cl_int code = queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(kItems),
                                                 cl::NDRange(8), nullptr, &event);
  print_value("launch", code);
  if (code != CL_SUCCESS) return 1;
  queue.finish();
  print_value("finished", 0);
  std::vector<float> result(kItems);
  queue.enqueueReadBuffer(c, CL_TRUE, 0, kItems * sizeof(float), result.data());
  bool right = true;
  for (const float element : result) right = right && element == 0.5f * kSteps;
  print_value("right", right ? 1 : 0);
  print_value("ns",
              static_cast<long long>(event.getProfilingInfo<CL_PROFILING_COMMAND_END>()) -
                  static_cast<long long>(event.getProfilingInfo<CL_PROFILING_COMMAND_START>()));
  return 0;
}

int build_and_launch(const cl::Context& context, const cl::Device& device,
                     const cl::CommandQueue& queue, cl::Program& program) {
  const cl_int code = program.build(std::vector<cl::Device>{device});
  print_value("build", code);
  if (code != CL_SUCCESS) {
    std::printf("log %s\n", program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device).c_str());
    print_value("status", program.getBuildInfo<CL_PROGRAM_BUILD_STATUS>(device));
    return 1;
  }
  cl::Kernel kernel(program, "probe");
  return launch(context, queue, kernel);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "team") == 0) return run_team_probe();
  if (argc > 1 && std::strcmp(argv[1], "team-buffers") == 0) return run_team_in_buffers_probe();
  if (argc > 1 && std::strcmp(argv[1], "library") == 0) return run_library_probe();
  const bool binary = argc > 1 && std::strcmp(argv[1], "binary") == 0;
  const cl::Device device = cl::Device::getDefault();
  cl_int code = CL_SUCCESS;
  const cl::Context context(device, nullptr, nullptr, nullptr, &code);
  print_value("context", code);
  if (code != CL_SUCCESS) return 1;
  const cl::CommandQueue queue(context, device, CL_QUEUE_PROFILING_ENABLE);
  cl::Program first(context, kSource);
  const int failed = build_and_launch(context, device, queue, first);
  if (binary && !failed) {
    cl::Program second(context, {device}, first.getInfo<CL_PROGRAM_BINARIES>());
    return build_and_launch(context, device, queue, second);
  }
  cl::Program second(context, kSource);
  return build_and_launch(context, device, queue, second) | failed;
}
