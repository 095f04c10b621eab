#include "tuner/measure/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>

#include "runtime/call/opencl_error.hpp"
#include "runtime/call/storage.hpp"
#include "runtime/check/check_data.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "runtime/device/device_matrix.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/measure/sampler.hpp"

namespace tilewright {
namespace {

Matrix upload_random(const cl::Context& context, Precision precision, std::int64_t rows,
                     std::int64_t columns, std::mt19937& random) {
  // On 32-bit machines a matrix can have more bytes than the address space.
  if (static_cast<double>(rows) * static_cast<double>(columns) * sizeof(double) >
      static_cast<double>(std::numeric_limits<std::ptrdiff_t>::max())) {
    throw Error(TW_OUT_OF_MEMORY, fmt::format("no memory for a matrix of {} x {}", rows, columns));
  }
  return {upload(context, precision, random_matrix(rows, columns, random, precision)), 0,
          static_cast<std::size_t>(columns)};
}

}  // namespace

// Operands that the kernel expects packed were created for it, so only plain ones are checked.
bool can_take(const KernelRecord& record, const GemmProblem& problem) {
  const auto fits = [](const Layout& layout, bool image, bool takes) {
    return takes || image || !layout.is_plain();
  };
  const bool padded = record.edges == Edges::kPadded;
  return supports(record, problem.shape) &&
         (padded || (fits(record.layout_a, record.images.a, accepts_a(record, problem)) &&
                     fits(*record.layout_b, record.images.b, accepts_b(record, problem))));
}

std::optional<double> event_ns(const cl::Event& event) {
  cl_int start_code = CL_SUCCESS;
  cl_int end_code = CL_SUCCESS;
  const cl_ulong start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>(&start_code);
  const cl_ulong end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>(&end_code);
  if (start_code != CL_SUCCESS || end_code != CL_SUCCESS || end <= start) return std::nullopt;
  return static_cast<double>(end - start);
}

std::vector<float> download(const cl::CommandQueue& queue, const cl::Buffer& buffer) {
  std::vector<float> host(buffer.getInfo<CL_MEM_SIZE>() / sizeof(float));
  check_opencl(read_floats(queue, buffer, host), "reading a buffer");
  return host;
}

std::vector<double> download(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                             Precision precision) {
  std::vector<double> host(buffer.getInfo<CL_MEM_SIZE>() / bytes_per_element(precision));
  check_opencl(read_elements(queue, buffer, precision, host), "reading a buffer");
  return host;
}

Workload::Workload(const cl::Context& context, Precision precision, Op op, const GemmShape& shape,
                   std::uint64_t seed, bool complex) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  const auto make = [&](std::int64_t rows, std::int64_t columns, bool transposed) {
    if (transposed) std::swap(rows, columns);
    if (!complex) return upload_random(context, precision, rows, columns, random);
    Matrix matrix = upload_random(context, precision, rows, 2 * columns, random);
    matrix.ld /= 2;
    return matrix;
  };
  a_ = make(shape.m, shape.k, op_layout_a(op) == Layout::C());
  b_ = make(shape.k, shape.n, op_layout_b(op) == Layout::C());
  c_ = make(shape.m, shape.n, false);
  problem_.op = op;
  problem_.shape = shape;
  problem_.precision = precision;
  if (complex) problem_.complex = ComplexPart{};
  problem_.a = {a_.buffer(), 0, a_.ld};
  problem_.b = {b_.buffer(), 0, b_.ld};
  problem_.c = {c_.buffer(), 0, c_.ld};
}

Timed time_kernel(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
                  const GemmProblem& problem, double min_sample_ns, double expected_ns) {
  if (!can_take(kernel.record(), problem)) {
    return KernelError{FailureKind::kLimits,
                       fmt::format("{} on {}: it needs aligned or packed operands",
                                   kernel.record().name, to_text(problem.shape))};
  }
  const Launch launch = [&] { return executor.launch(queue, kernel, problem, {}); };
  return time_launches(queue, launch, {min_sample_ns, true, {}}, expected_ns,
                       fmt::format("{} on {}", kernel.record().name, to_text(problem.shape)));
}

}  // namespace tilewright
