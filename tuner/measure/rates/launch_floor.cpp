#include "tuner/measure/rates/launch_floor.hpp"

#include "runtime/call/opencl_error.hpp"
#include "tuner/measure/rates/device_rates_kernels.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {

LaunchFloor::LaunchFloor(const cl::Context& context, const cl::CommandQueue& queue)
    : queue_(queue) {
  cl_int code = CL_SUCCESS;
  const cl::Program program(context, empty_source(), false, &code);
  check_opencl(code, "clCreateProgramWithSource (empty kernel)");
  check_opencl(program.build({queue.getInfo<CL_QUEUE_DEVICE>()}), "clBuildProgram (empty kernel)");
  kernel_ = cl::Kernel(program, "nothing", &code);
  check_opencl(code, "clCreateKernel (empty kernel)");
}

double LaunchFloor::time_runs(int launches) {
  const double start_s = steady_now_s();
  for (int i = 0; i < launches; ++i) {
    cl::Event done;
    check_opencl(queue_.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(1), cl::NDRange(1),
                                             nullptr, &done),
                 "clEnqueueNDRangeKernel (empty kernel)");
    check_opencl(done.wait(), "clWaitForEvents");
  }
  return steady_now_s() - start_s;
}

}  // namespace tilewright
