#include "tuner/measure/operand_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <random>

#include "runtime/call/opencl_error.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "runtime/device/device_matrix.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/measure/measurement.hpp"

namespace tilewright {
namespace {

// Length of the random data. It is not a multiple of usual row lengths, so that rows differ.
constexpr std::size_t kNoiseFloats = (1 << 20) + 7;
constexpr std::size_t kMaxImages = 6;        // that are kept for further kernels
constexpr std::size_t kMinFloats = 1 << 16;  // of a buffer
// Each buffer is larger than needed by a random number of pages, which differs in each process. The
// relative addresses of the operands change the speed by some hundredths where caches are indexed
// by address, and a process tends to get exactly the same pages as the process before it.
constexpr std::size_t kGapPages = 64;
constexpr std::size_t kPageFloats = 1024;
// Kernels pad differently; with this margin one growth of the buffer is usually enough for all.
constexpr double kGrowth = 1.0625;

// Returns random floats. Read as half-precision elements, they are random values as well.
std::vector<float> noise(std::uint64_t seed) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> floats(kNoiseFloats);
  // The low 16 bits of each float, read as a half-precision element, have a magnitude from 0.5 to
  // 1.
  for (float& value : floats) {
    const auto bits = std::bit_cast<std::uint32_t>(uniform(random));
    value = std::bit_cast<float>((bits & 0xffff83ffU) | 0x3800U);
  }
  return floats;
}

int compute_units(const cl::Device& device) {
  return static_cast<int>(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
}

KernelError shape_error(const std::string& name, const std::string& why) {
  return {FailureKind::kLimits, fmt::format("{}: {}", name, why)};
}

}  // namespace

OperandPool::OperandPool(const Executor& executor, const cl::CommandQueue& queue,
                         std::uint64_t seed)
    : executor_(executor), queue_(queue), noise_(noise(seed)), gaps_(std::random_device()()) {}

cl::Buffer OperandPool::buffer(PooledOperand operand, std::size_t elements) {
  cl::Buffer& buffer = buffers_[static_cast<std::size_t>(operand)];
  if (buffer() != nullptr && buffer.getInfo<CL_MEM_SIZE>() / sizeof(float) >= elements) {
    return buffer;
  }
  buffer = cl::Buffer();  // Frees the old buffer before the new one is allocated.
  const auto wanted =
      static_cast<std::size_t>(kGrowth * static_cast<double>(std::max(elements, kMinFloats))) +
      kPageFloats * (gaps_() % kGapPages);
  const std::size_t most =
      executor_.device().getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>() / sizeof(float);
  const std::size_t floats = std::clamp(wanted, elements, std::max(elements, most));
  const cl::Buffer larger =
      allocate_buffer(executor_.context(), CL_MEM_READ_WRITE, floats * sizeof(float), "operands");
  for (std::size_t at = 0; at < floats; at += noise_.size()) {
    const std::size_t count = std::min(noise_.size(), floats - at);
    check_opencl(write_floats(queue_, larger, at, std::span(noise_).first(count)),
                 "filling a buffer (operands)");
  }
  return buffer = larger;
}

cl::Image2D OperandPool::image(PooledOperand operand, std::size_t width, std::size_t height) {
  const auto known = std::find_if(images_.begin(), images_.end(), [&](const Image& image) {
    return image.operand == operand && image.width == width && image.height == height;
  });
  if (known != images_.end()) {
    images_.splice(images_.begin(), images_, known);
    return images_.front().image;
  }
  if (images_.size() >= kMaxImages) images_.pop_back();
  cl_int code = CL_SUCCESS;
  const cl::Image2D image(executor_.context(), CL_MEM_READ_WRITE,
                          cl::ImageFormat(CL_RGBA, CL_FLOAT), width, height, 0, nullptr, &code);
  check_opencl(code, "clCreateImage (operands)");
  const std::size_t rows_at_once = std::max<std::size_t>(1, noise_.size() / (4 * width));
  for (std::size_t row = 0; row < height; row += rows_at_once) {
    const std::array<cl::size_type, 3> origin = {0, row, 0};
    const std::array<cl::size_type, 3> region = {width, std::min(rows_at_once, height - row), 1};
    check_opencl(queue_.enqueueWriteImage(image, CL_TRUE, origin, region, 0, 0, noise_.data()),
                 "clEnqueueWriteImage (operands)");
  }
  images_.push_front({operand, width, height, image});
  return image;
}

cl::Memory OperandPool::memory_for(PooledOperand operand, const Storage& storage) {
  // On 32-bit machines a matrix can have more bytes than the address space.
  if (static_cast<double>(storage.rows) * static_cast<double>(storage.columns) *
          static_cast<double>(bytes_per_element(storage.precision)) >
      static_cast<double>(std::numeric_limits<std::ptrdiff_t>::max())) {
    throw Error(TW_OUT_OF_MEMORY,
                fmt::format("no memory for a matrix of {} x {}", storage.rows, storage.columns));
  }
  // Buffers are counted in floats: twice the number for double precision. Half-precision elements
  // get twice the memory that they need. The random bits are suitable values in any precision.
  if (!storage.image) {
    return buffer(operand,
                  storage.elements * static_cast<std::size_t>(floats_per_sum(storage.precision)));
  }
  if (const auto lack = memory_shortage(executor_.device(), storage)) {
    throw Error(TW_OUT_OF_MEMORY, "it needs " + *lack);
  }
  // An empty matrix still needs an image of at least one pixel.
  return image(operand, std::max<std::size_t>(1, storage.image_width()),
               std::max<std::size_t>(1, storage.image_height()));
}

PooledGemm OperandPool::product(const KernelRecord& record, const GemmShape& shape) {
  const std::string name = fmt::format("{} on {}", record.name, to_text(shape));
  Pooled<GemmProblem> pooled;
  GemmProblem& problem = pooled.problem;
  problem.op = op_from_layouts(record.layout_a, record.layout_b.value_or(Layout::R()));
  problem.shape = shape;
  problem.precision = record.precision;
  // Allocates an operand in the layout that a pack kernel would produce, or the caller's own layout
  // if the kernel reads it in place.
  const auto place = [&](PooledOperand operand, const Storage& storage) {
    pooled.memory.push_back(memory_for(operand, storage));
    return MatrixArgument{pooled.memory.back()(), 0, storage.ld};
  };
  const Storage a = storage_a(record, shape);
  const Storage b = storage_b(record, shape);
  const Storage c = record.split_k > 1 ? storage_parts(record, shape, {0, record.split_k})
                                       : storage_c(record, shape);
  try {
    problem.a = place(PooledOperand::kA, a);
    problem.b = place(PooledOperand::kB, b);
    problem.c = place(PooledOperand::kC, c);
    if (record.stream_k > 0) {
      problem.division = divide_for_units(record, shape, compute_units(executor_.device()));
      problem.parts = place(PooledOperand::kParts,
                            storage_parts(record, shape, partial_products(*problem.division)));
    }
    if (record.bias != Dimension::kNone) {
      Storage bias;
      bias.elements = static_cast<std::size_t>(std::max(shape.m, shape.n));
      // Any floats are suitable as bias.
      problem.bias = VectorArgument{place(PooledOperand::kA, bias).buffer, 0};
    }
  } catch (const Error& error) {
    return shape_error(name, error.what());
  }
  if (!supports(record, shape)) return shape_error(name, "its vectors would exceed the matrix");
  return pooled;
}

PooledPack OperandPool::packing(const KernelRecord& pack, std::int64_t rows, std::int64_t columns,
                                const Storage& to) {
  const std::string name = fmt::format("{} of {}x{}", pack.name, rows, columns);
  if (pack.role != Role::kPack || pack.layout_c != to.layout || pack.images.c != to.image) {
    return shape_error(name, "it packs into another layout");
  }
  const Storage from = whole_chunks(pack.layout_a, false, rows, columns, pack.precision);
  try {
    Pooled<PackProblem> pooled;
    pooled.memory = {memory_for(PooledOperand::kA, from), memory_for(PooledOperand::kC, to)};
    pooled.problem = pack_problem(to, rows, columns, {pooled.memory[0](), 0, from.ld});
    pooled.problem.to.buffer = pooled.memory[1]();
    return pooled;
  } catch (const Error& error) {
    return shape_error(name, error.what());
  }
}

PooledPack OperandPool::packing(const KernelRecord& pack, std::int64_t rows, std::int64_t columns) {
  return packing(pack, rows, columns,
                 whole_chunks(pack.layout_c, pack.images.c, rows, columns, pack.precision));
}

PooledPack OperandPool::packing(const KernelRecord& pack, PooledOperand operand,
                                const KernelRecord& gemm, const GemmShape& shape) {
  return operand == PooledOperand::kA ? packing(pack, shape.m, shape.k, storage_a(gemm, shape))
                                      : packing(pack, shape.k, shape.n, storage_b(gemm, shape));
}

PooledReduce OperandPool::reducing(const KernelRecord& reduce, const KernelRecord& gemm,
                                   const GemmShape& shape) {
  const std::string name = fmt::format("{} on {}", reduce.name, to_text(shape));
  if (reduce.role != Role::kReduce || gemm.split_k <= 1) {
    return shape_error(name, "there are no parts to add up");
  }
  const Storage parts = storage_parts(gemm, shape, {0, gemm.split_k});
  const Storage c = whole_chunks(Layout::R(), false, shape.m, shape.n, reduce.precision);
  try {
    Pooled<ReduceProblem> pooled;
    pooled.memory = {memory_for(PooledOperand::kA, parts), memory_for(PooledOperand::kC, c)};
    ReduceProblem& problem = pooled.problem;
    problem.m = shape.m;
    problem.n = shape.n;
    problem.num_parts = gemm.split_k;
    problem.parts = {pooled.memory[0](), 0, parts.ld};
    problem.c = {pooled.memory[1](), 0, c.ld};
    if (reduce.bias != Dimension::kNone) {
      pooled.memory.push_back(
          buffer(PooledOperand::kA, static_cast<std::size_t>(std::max(shape.m, shape.n))));
      problem.bias = VectorArgument{pooled.memory.back()(), 0};
    }
    return pooled;
  } catch (const Error& error) {
    return shape_error(name, error.what());
  }
}

template <class Problem>
std::variant<Pooled<Problem>, KernelError> OperandPool::layer(const KernelRecord& record, Role role,
                                                              std::int64_t rows,
                                                              std::int64_t columns) {
  const std::string name = fmt::format("{} on {}x{}", record.name, rows, columns);
  if (record.role != role) return shape_error(name, "it has another role");
  const Storage storage = whole_chunks(record.layout_a, false, rows, columns, record.precision);
  try {
    Pooled<Problem> pooled;
    pooled.memory = {memory_for(PooledOperand::kC, storage)};
    Problem& problem = pooled.problem;
    problem.m = rows;
    problem.n = columns;
    problem.padded_m = storage.rows;
    problem.padded_n = storage.columns;
    problem.x = problem.y = {pooled.memory[0](), 0, storage.ld};
    return pooled;
  } catch (const Error& error) {
    return shape_error(name, error.what());
  }
}

PooledActivation OperandPool::activation(const KernelRecord& record, std::int64_t rows,
                                         std::int64_t columns,
                                         const ActivationArguments& arguments) {
  auto pooled = layer<ActivationProblem>(record, Role::kActivation, rows, columns);
  auto* known = std::get_if<Pooled<ActivationProblem>>(&pooled);
  if (known == nullptr) return pooled;
  known->problem.arguments = arguments;
  if (record.bias == Dimension::kNone) return pooled;
  try {
    known->memory.push_back(
        buffer(PooledOperand::kA, static_cast<std::size_t>(std::max(rows, columns))));
  } catch (const Error& error) {
    return shape_error(record.name, error.what());
  }
  known->problem.bias = VectorArgument{known->memory.back()(), 0};
  return pooled;
}

PooledSoftmax OperandPool::softmax(const KernelRecord& record, std::int64_t rows,
                                   std::int64_t columns) {
  return layer<SoftmaxProblem>(record, Role::kSoftmax, rows, columns);
}

}  // namespace tilewright
