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
constexpr float kUnwritten = std::numeric_limits<float>::quiet_NaN();

// A row-major matrix with an offset, gaps between rows and a guard behind: NaN.
struct Rows {
  HostStorage host;

  Rows(std::int64_t rows, std::int64_t columns, int alignment, float gaps, bool filled,
       std::mt19937& random) {
    const auto up = [&](std::size_t least) { return round_up(least, alignment); };
    Storage storage{Layout::R(), false, rows, columns, up(static_cast<std::size_t>(columns)), 0};
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    const ElementOf element = [&](std::int64_t, std::int64_t) {
      return filled ? uniform(random) : gaps;
    };
    host = lay_out(storage, rows, columns, element, {up(3), up(5), 7}, gaps);
  }
  std::size_t place(std::int64_t i, std::int64_t j) const {
    return host.offset + static_cast<std::size_t>(i) * host.ld + static_cast<std::size_t>(j);
  }
  double at(std::int64_t i, std::int64_t j) const {
    return static_cast<double>(host.data[place(i, j)]);
  }
};

struct ReduceCase {
  float alpha;
  float beta;
  std::int64_t columns;
  Rows parts;
  Rows c;
  Rows bias;  // one row

  ReduceCase(const KernelRecord& record, float a, float b, std::mt19937& random)
      : alpha(a),
        beta(b),
        columns(kColumns / record.alignment * record.alignment),
        parts(kRows * kParts, columns, record.alignment, kUnwritten, true, random),
        c(kRows, columns, record.alignment, kUntouched, beta != 0.0f, random),
        bias(1, kRows + kColumns, 1, kUnwritten, true, random) {}

  ProductElement expected(const KernelRecord& record, std::int64_t i, std::int64_t j) const {
    double sum = 0.0;
    double size = 0.0;
    for (int part = 0; part < kParts; ++part) {
      sum += parts.at(part * kRows + i, j);
      size += std::abs(parts.at(part * kRows + i, j));
    }
    ProductElement element{static_cast<double>(alpha) * sum,
                           std::abs(static_cast<double>(alpha)) * size};
    if (beta != 0.0f) {
      element.value += static_cast<double>(beta) * c.at(i, j);
      element.bound += std::abs(static_cast<double>(beta) * c.at(i, j));
    }
    element.bound = (kParts + 3) * std::ldexp(element.bound, -24) +
                    static_cast<double>(std::numeric_limits<float>::min());
    const auto along = record.bias == Dimension::kN ? j : i;
    return with_epilogue(element, record.bias, static_cast<float>(bias.at(0, along)),
                         record.activation, kArguments);
  }
  std::optional<Rejection> compare(const KernelRecord& record, std::vector<float> got) const;
  std::optional<Rejection> run(const Executor& executor, const cl::CommandQueue& queue,
                               LoadedKernel& kernel) const;
};

Rejection wrong(const KernelRecord& record, const std::string& what) {
  return {Stage::kWrong, fmt::format("{}: {}", record.name, what)};
}

std::optional<Rejection> ReduceCase::compare(const KernelRecord& record,
                                             std::vector<float> got) const {
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const ProductElement want = expected(record, i, j);
      float& value = got[c.place(i, j)];
      if (!(std::abs(static_cast<double>(value) - want.value) < want.bound)) {
        return wrong(record, fmt::format("C({}, {}) is {} instead of {} +- {}", i, j, value,
                                         want.value, want.bound));
      }
      value = c.host.data[c.place(i, j)];
    }
  }
  // With its own elements as they were, C's buffer must be what it was.
  if (std::memcmp(got.data(), c.host.data.data(), got.size() * sizeof(float)) == 0) {
    return std::nullopt;
  }
  return wrong(record, "something that is not part of C was written");
}

std::optional<Rejection> ReduceCase::run(const Executor& executor, const cl::CommandQueue& queue,
                                         LoadedKernel& kernel) const {
  const Storage buffer;
  const DeviceMatrix parts_on_device = upload(executor.context(), buffer, parts.host);
  const DeviceMatrix c_on_device = upload(executor.context(), buffer, c.host);
  const DeviceMatrix bias_on_device = upload(executor.context(), buffer, bias.host);
  const Launched launched = executor.launch(
      queue, kernel,
      ReduceProblem{kRows, columns, kParts, alpha, beta, parts_on_device.argument(),
                    c_on_device.argument(),
                    VectorArgument{bias_on_device.memory(), bias.host.offset}, kArguments},
      {});
  if (const auto* rejection = std::get_if<Rejection>(&launched)) return *rejection;
  const cl_int code = std::get<cl::Event>(launched).wait();
  if (code != CL_SUCCESS) {
    return Rejection{Stage::kLaunch, kernel.record().name + ": " + opencl_code_text(code), code};
  }
  return compare(kernel.record(), download(queue, cl::Buffer(c_on_device.memory(), true)));
}

}  // namespace

std::optional<Rejection> verify_reduce(const Executor& executor, const cl::CommandQueue& queue,
                                       LoadedKernel& kernel) {
  std::mt19937 random(1);
  for (const auto& [alpha, beta] : {std::pair{1.25f, 0.0f}, {-1.5f, 0.75f}}) {
    const ReduceCase test(kernel.record(), alpha, beta, random);
    if (auto rejection = test.run(executor, queue, kernel)) return rejection;
  }
  return std::nullopt;
}

}  // namespace tilewright
