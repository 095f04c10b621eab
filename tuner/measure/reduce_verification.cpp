#include "tuner/measure/reduce_verification.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "profiles/round_up.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/call/storage.hpp"
#include "runtime/check/host_product.hpp"
#include "runtime/device/device_matrix.hpp"
#include "tuner/measure/measurement.hpp"
#include "tuner/measure/verification.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kRows = 37;
constexpr std::int64_t kColumns = 53;
constexpr int kParts = 5;
constexpr ActivationArguments kArguments = {0.25f, 0.75f};  // as slope, shift, low, high
constexpr double kUnwritten = std::numeric_limits<double>::quiet_NaN();

// A row-major matrix with an offset, gaps between rows and a guard behind: NaN.
struct Rows {
  HostStorage host;

  Rows(std::int64_t rows, std::int64_t columns, int alignment, double gaps, bool filled,
       Precision precision, std::mt19937& random) {
    const auto up = [&](std::size_t least) { return round_up(least, alignment); };
    Storage storage{Layout::R(), false, rows, columns, up(static_cast<std::size_t>(columns)), 0};
    const ElementOf element = [&](std::int64_t, std::int64_t) {
      return filled ? uniform_element(precision, random) : gaps;
    };
    host = lay_out(storage, rows, columns, element, {up(3), up(5), 7}, gaps);
  }
  std::size_t place(std::int64_t i, std::int64_t j) const {
    return host.offset + static_cast<std::size_t>(i) * host.ld + static_cast<std::size_t>(j);
  }
  double at(std::int64_t i, std::int64_t j) const { return host.data[place(i, j)]; }
};

struct ReduceCase {
  Precision precision;
  double alpha;
  double beta;
  std::int64_t columns;
  Rows parts;
  Rows c;
  Rows bias;  // one row

  ReduceCase(const KernelRecord& record, double a, double b, std::mt19937& random)
      : precision(record.precision),
        alpha(a),
        beta(b),
        columns(kColumns / record.alignment * record.alignment),
        parts(kRows * kParts, columns, record.alignment, kUnwritten, true, sums_of(precision),
              random),
        c(kRows, columns, record.alignment, kUntouchedNan, beta != 0.0, precision, random),
        bias(1, kRows + kColumns, 1, kUnwritten, true, sums_of(precision), random) {}

  ProductElement expected(const KernelRecord& record, std::int64_t i, std::int64_t j) const {
    double sum = 0.0;
    double size = 0.0;
    for (int part = 0; part < kParts; ++part) {
      sum += parts.at(part * kRows + i, j);
      size += std::abs(parts.at(part * kRows + i, j));
    }
    ProductElement element{alpha * sum, std::abs(alpha) * size};
    if (beta != 0.0) {
      element.value += beta * c.at(i, j);
      element.bound += std::abs(beta * c.at(i, j));
    }
    // In double precision the host rounds as often as the kernel.
    const bool single = sums_of(precision) == Precision::kSingle;
    const int roundings = (kParts + 3) * (single ? 1 : 2);
    element.bound = roundings * std::ldexp(element.bound, single ? -24 : -53) +
                    static_cast<double>(std::numeric_limits<float>::min());
    const auto along = record.bias == Dimension::kN ? j : i;
    element = with_epilogue(element, record.bias, bias.at(0, along), record.activation, kArguments);
    if (precision == Precision::kHalf) round_to_half(element);
    return element;
  }
  std::optional<Rejection> compare(const KernelRecord& record, std::vector<double> got) const;
  std::optional<Rejection> run(const Executor& executor, const cl::CommandQueue& queue,
                               LoadedKernel& kernel) const;
};

Rejection wrong(const KernelRecord& record, const std::string& what) {
  return {Stage::kWrong, fmt::format("{}: {}", record.name, what)};
}

std::optional<Rejection> ReduceCase::compare(const KernelRecord& record,
                                             std::vector<double> got) const {
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const ProductElement want = expected(record, i, j);
      double& value = got[c.place(i, j)];
      if (!(std::abs(value - want.value) < want.bound)) {
        return wrong(record, fmt::format("C({}, {}) is {} instead of {} +- {}", i, j, value,
                                         want.value, want.bound));
      }
      value = c.host.data[c.place(i, j)];
    }
  }
  // With its own elements as they were, C's buffer must be what it was.
  if (std::memcmp(got.data(), c.host.data.data(), got.size() * sizeof(double)) == 0) {
    return std::nullopt;
  }
  return wrong(record, "something that is not part of C was written");
}

std::optional<Rejection> ReduceCase::run(const Executor& executor, const cl::CommandQueue& queue,
                                         LoadedKernel& kernel) const {
  Storage buffer;
  buffer.precision = precision;
  Storage buffer_of_sums = buffer;
  buffer_of_sums.precision = sums_of(precision);
  const DeviceMatrix parts_on_device = upload(executor.context(), buffer_of_sums, parts.host);
  const DeviceMatrix c_on_device = upload(executor.context(), buffer, c.host);
  const DeviceMatrix bias_on_device = upload(executor.context(), buffer_of_sums, bias.host);
  const Launched launched = executor.launch(
      queue, kernel,
      ReduceProblem{kRows, columns, kParts, alpha, beta, parts_on_device.argument(),
                    c_on_device.argument(),
                    VectorArgument{bias_on_device.memory(), bias.host.offset}, kArguments},
      {});
  if (const auto* rejection = std::get_if<Rejection>(&launched)) return *rejection;
  std::vector<double> got(c.host.data.size());
  const cl_int code = read_elements(queue, cl::Buffer(c_on_device.memory(), true), precision, got,
                                    {std::get<cl::Event>(launched)});
  if (code != CL_SUCCESS) {
    return Rejection{Stage::kLaunch, kernel.record().name + ": " + opencl_code_text(code), code};
  }
  return compare(kernel.record(), std::move(got));
}

}  // namespace

std::optional<Rejection> verify_reduce(const Executor& executor, const cl::CommandQueue& queue,
                                       LoadedKernel& kernel) {
  std::mt19937 random(1);
  for (const auto& [alpha, beta] : {std::pair{1.25, 0.0}, {-1.5, 0.75}}) {
    const ReduceCase test(kernel.record(), alpha, beta, random);
    if (auto rejection = test.run(executor, queue, kernel)) return rejection;
  }
  return std::nullopt;
}

}  // namespace tilewright
