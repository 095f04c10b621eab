#include "runtime/executor.hpp"

#include <fmt/format.h>

#include "runtime/opencl_error.hpp"

namespace tilewright {
namespace {

// Sets the arguments of a kernel from left to right and remembers the first failure.
class Arguments {
 public:
  explicit Arguments(cl_kernel kernel) : kernel_(kernel) {}

  Arguments& extent(std::int64_t value) { return set(static_cast<cl_int>(value)); }
  Arguments& scalar(float value) { return set(value); }
  Arguments& matrix(const MatrixArgument& matrix) {
    return set(matrix.buffer)
        .set(static_cast<cl_ulong>(matrix.offset))
        .set(static_cast<cl_int>(matrix.ld));
  }
  cl_int code() const { return code_; }

 private:
  template <class Value>
  Arguments& set(const Value& value) {
    if (code_ == CL_SUCCESS) code_ = clSetKernelArg(kernel_, index_++, sizeof(value), &value);
    return *this;
  }

  cl_kernel kernel_;
  cl_uint index_ = 0;
  cl_int code_ = CL_SUCCESS;
};

Rejection rejection(Stage stage, const KernelRecord& record, const char* call, cl_int code) {
  return {stage, fmt::format("{}: {} failed with {}", record.name, call, opencl_code_text(code)),
          code};
}

std::string build_log(const cl::Program& program, const cl::Device& device) {
  cl_int code = CL_SUCCESS;
  std::string log = program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device, &code);
  return code == CL_SUCCESS ? log : "";
}

Launched enqueue(const cl::CommandQueue& queue, const cl::Kernel& kernel,
                 const KernelRecord& record, std::array<std::size_t, 2> global,
                 const std::vector<cl::Event>& wait_list) {
  cl::Event event;
  const cl_int code =
      queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(global[0], global[1]),
                                 cl::NDRange(static_cast<std::size_t>(record.work_group[0]),
                                             static_cast<std::size_t>(record.work_group[1])),
                                 wait_list.empty() ? nullptr : &wait_list, &event);
  if (code != CL_SUCCESS) return rejection(Stage::kLaunch, record, "clEnqueueNDRangeKernel", code);
  return event;
}

std::size_t round_up(std::int64_t value, int tile, int group) {
  const auto items = static_cast<std::size_t>((value + tile - 1) / tile);
  const auto size = static_cast<std::size_t>(group);
  return (items + size - 1) / size * size;
}

}  // namespace

const char* to_text(Stage stage) {
  switch (stage) {
    case Stage::kLimits:
      return "limits";
    case Stage::kBuild:
      return "build";
    case Stage::kLaunch:
      return "launch";
    case Stage::kWrong:
      return "wrong";
  }
  return "?";
}

std::array<std::size_t, 2> global_size(const KernelRecord& record, std::int64_t m, std::int64_t n) {
  const bool nm = record.id_order == IdOrder::kNM;
  return {round_up(nm ? n : m, nm ? record.tile.n : record.tile.m, record.work_group[0]),
          round_up(nm ? m : n, nm ? record.tile.m : record.tile.n, record.work_group[1])};
}

Loaded Executor::load(const KernelRecord& record) const {
  cl_int code = CL_SUCCESS;
  const cl::Program program(context_, record.source, false, &code);
  check_opencl(code, "clCreateProgramWithSource");
  code = program.build(std::vector<cl::Device>{device_}, record.build_options.c_str());
  if (code != CL_SUCCESS) {
    Rejection failed = rejection(Stage::kBuild, record, "clBuildProgram", code);
    failed.reason += "\n" + build_log(program, device_);
    return failed;
  }
  const cl::Kernel kernel(program, record.entry.c_str(), &code);
  if (code != CL_SUCCESS) return rejection(Stage::kBuild, record, "clCreateKernel", code);
  // Registers may leave room for fewer work-items than the device allows in general.
  const auto limit = kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device_, &code);
  if (code != CL_SUCCESS) return rejection(Stage::kBuild, record, "clGetKernelWorkGroupInfo", code);
  const auto wanted = static_cast<std::size_t>(record.work_group[0]) *
                      static_cast<std::size_t>(record.work_group[1]);
  if (wanted > limit) {
    return Rejection{
        Stage::kLimits,
        fmt::format("{}: its work-group has {} work-items, the device runs at most {} of it",
                    record.name, wanted, limit)};
  }
  return std::make_unique<LoadedKernel>(record, kernel);
}

Launched Executor::gemm(const cl::CommandQueue& queue, LoadedKernel& kernel,
                        const GemmProblem& problem, const std::vector<cl::Event>& wait_list) const {
  const GemmShape& shape = problem.shape;
  const std::lock_guard lock(kernel.mutex_);
  const cl_int code = Arguments(kernel.kernel_())
                          .extent(shape.m)
                          .extent(shape.n)
                          .extent(shape.k)
                          .scalar(problem.alpha)
                          .matrix(problem.a)
                          .matrix(problem.b)
                          .scalar(problem.beta)
                          .matrix(problem.c)
                          .code();
  if (code != CL_SUCCESS) return rejection(Stage::kLaunch, kernel.record_, "clSetKernelArg", code);
  return enqueue(queue, kernel.kernel_, kernel.record_,
                 global_size(kernel.record_, shape.m, shape.n), wait_list);
}

Launched Executor::pack(const cl::CommandQueue& queue, LoadedKernel& kernel, std::int64_t rows,
                        std::int64_t columns, const MatrixArgument& from, const MatrixArgument& to,
                        const std::vector<cl::Event>& wait_list) const {
  const std::lock_guard lock(kernel.mutex_);
  const cl_int code =
      Arguments(kernel.kernel_()).extent(rows).extent(columns).matrix(from).matrix(to).code();
  if (code != CL_SUCCESS) return rejection(Stage::kLaunch, kernel.record_, "clSetKernelArg", code);
  return enqueue(queue, kernel.kernel_, kernel.record_, global_size(kernel.record_, rows, columns),
                 wait_list);
}

}  // namespace tilewright
