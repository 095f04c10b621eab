#include "tuner/measure/auxiliary_verification.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/call/opencl_error.hpp"
#include "runtime/check/kernel_check.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/device/own_buffer.hpp"
#include "tuner/measure/reduce_verification.hpp"

namespace tilewright {
namespace {

std::vector<double> read_back(const cl::CommandQueue& queue, const DeviceMatrix& matrix,
                              const Storage& storage, std::size_t elements) {
  std::vector<double> got(elements);
  if (storage.image) {
    std::vector<float> pixels(elements);
    const std::array<cl::size_type, 3> origin = {0, 0, 0};
    const std::array<cl::size_type, 3> region = {storage.image_width(), storage.image_height(), 1};
    check_opencl(queue.enqueueReadImage(cl::Image2D(matrix.memory(), true), CL_TRUE, origin, region,
                                        0, 0, pixels.data()),
                 "clEnqueueReadImage");
    got.assign(pixels.begin(), pixels.end());
  } else {
    check_opencl(read_elements(queue, cl::Buffer(matrix.memory(), true), storage.precision, got),
                 "reading a buffer");
  }
  return got;
}

std::optional<Rejection> verify_pack_once(const Executor& executor, const cl::CommandQueue& queue,
                                          LoadedKernel& kernel, bool on_lines) {
  const KernelRecord& record = kernel.record();
  constexpr std::int64_t rows = 37;
  constexpr std::int64_t columns = 53;
  const Storage from_storage =
      whole_chunks(record.layout_a, false, rows, columns, record.precision);
  // With padding: at least a row and a column.
  const Storage to_storage =
      whole_chunks(record.layout_c, record.images.c, rows + 1, columns + 1, record.precision);
  // Up to 1961: a half tells all integers up to 2048 apart.
  const ElementOf value = [](std::int64_t i, std::int64_t j) {
    return static_cast<double>(i * columns + j + 1);
  };
  const ElementOf nothing = [](std::int64_t, std::int64_t) { return -2.0; };
  const Placement placement{3, 5, 7};
  const Placement to_placement = on_lines ? on_cache_lines(to_storage) : placement;
  const DeviceMatrix from = upload(executor.context(), from_storage,
                                   lay_out(from_storage, rows, columns, value, placement, -1.0));
  const DeviceMatrix to =
      upload(executor.context(), to_storage,
             lay_out(to_storage, to_storage.rows, to_storage.columns, nothing, to_placement, -1.0));
  const HostStorage want = lay_out(to_storage, rows, columns, value, to_placement, -1.0);
  const Launched launched =
      executor.launch(queue, kernel,
                      PackProblem{rows, columns, to_storage.rows, to_storage.columns,
                                  from.argument(), to.argument()},
                      {});
  if (const auto* rejection = std::get_if<Rejection>(&launched)) return *rejection;
  const cl_int code = std::get<cl::Event>(launched).wait();
  if (code != CL_SUCCESS) {
    return Rejection{Stage::kLaunch, record.name + ": " + opencl_code_text(code), code};
  }
  const std::vector<double> got = read_back(queue, to, to_storage, want.data.size());
  const auto [wrong, right] = std::mismatch(got.begin(), got.end(), want.data.begin());
  if (wrong == got.end()) return std::nullopt;
  return Rejection{Stage::kWrong, fmt::format("{}: element {} is {} instead of {}", record.name,
                                              wrong - got.begin(), *wrong, *right)};
}

}  // namespace

std::optional<Rejection> verify_pack(const Executor& executor, const cl::CommandQueue& queue,
                                     LoadedKernel& kernel) {
  if (auto rejection = verify_pack_once(executor, queue, kernel, false)) return rejection;
  return verify_pack_once(executor, queue, kernel, true);
}

std::optional<Rejection> verify_auxiliary(const Executor& executor, const cl::CommandQueue& queue,
                                          LoadedKernel& kernel) {
  switch (kernel.record().role) {
    case Role::kReduce:
      return verify_reduce(executor, queue, kernel);
    case Role::kActivation:
    case Role::kSoftmax:
      // The library's own check leaves nothing out of what such kernels do.
      return check_kernel(executor, queue, kernel);
    default:
      return verify_pack(executor, queue, kernel);
  }
}

}  // namespace tilewright
