// Runs the multiply-add micro-benchmark on a device: generates, loads and launches its kernels.
//
// No product uses these kernels, so they are not codelets.
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "profiles/version.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "runtime/device/device_identity.hpp"
#include "tuner/measure/device/device_queue.hpp"
#include "tuner/measure/measurement.hpp"
#include "tuner/measure/rates/micro_benchmark.hpp"

namespace tilewright {
namespace {

// The widths that most kernels use come first, since there may be no time for all.
constexpr int kVectorWidths[] = {4, 8, 16, 1, 2};
// Multiply-adds of each chain per loop iteration: enough to hide the cost of the loop counter.
constexpr int kUnroll = 4;
constexpr int kMaxChains = 8;
constexpr std::int64_t kGpuWorkGroup = 64;
constexpr int kChainsGpuItems = 1024;  // per compute unit: enough to keep it busy
constexpr int kChainsCpuItems = 4;     // per compute unit

// Independent chains of multiply-adds on vectors.
struct MultiplyAddChains {
  Precision arithmetic = Precision::kSingle;
  int vector_width = 1;
  int count = 2;
  int work_group_size = 1;
};

const char* type_name(Precision precision) {
  switch (precision) {
    case Precision::kDouble:
      return "double";
    case Precision::kHalf:
      return "half";
    case Precision::kSingle:
      break;
  }
  return "float";
}

std::string scalar_type(const MultiplyAddChains& chains) {
  return type_name(chains.arithmetic);
}

std::string vector_type(const MultiplyAddChains& chains) {
  const int width = chains.vector_width;
  return scalar_type(chains) + (width == 1 ? "" : std::to_string(width));
}

// Returns a vector with different elements, so that the compiler cannot reduce it to one lane.
std::string counting_vector(const MultiplyAddChains& chains) {
  std::vector<std::string> lanes;
  for (int lane = 0; lane < chains.vector_width; ++lane) {
    lanes.push_back(fmt::format("({}){}.0f", scalar_type(chains), lane));
  }
  return fmt::format("({})({})", vector_type(chains), fmt::join(lanes, ", "));
}

// Returns the sum of all lanes. All results must contribute to the output, or the compiler would
// remove their computation.
std::string sum_of_lanes(int width) {
  if (width == 1) return "sum";
  std::vector<std::string> lanes;
  for (int lane = 0; lane < width; ++lane) lanes.push_back(fmt::format("sum.s{:x}", lane));
  return fmt::format("{}", fmt::join(lanes, " + "));
}

std::string kernel_body(MultiplyAdd form, const MultiplyAddChains& chains) {
  const std::string type = vector_type(chains);
  const std::string scalar = scalar_type(chains);
  std::string text = fmt::format(
      "  const {0} x = ({0})(({1})alpha);\n  const {0} y = ({0})(({1})beta);\n", type, scalar);
  for (int i = 0; i < chains.count; ++i) {
    // A global id may exceed the range of half precision.
    text += fmt::format("  {} c{} = {} + ({})(get_global_id(0) & 1023) + ({}){}.0f;\n", type, i,
                        counting_vector(chains), scalar, scalar, i * chains.vector_width);
  }
  text += "  for (int p = 0; p < k; ++p) {\n";
  for (int i = 0; i < chains.count * kUnroll; ++i) {
    const std::string c = fmt::format("c{}", i % chains.count);
    // The product depends on the chain, so the compiler cannot move it out of the loop.
    text += fmt::format("    {} = {};\n", c, multiply_add_text(form, c, "x", "y"));
  }
  text += fmt::format("  }}\n  {} sum = c0;\n", type);
  for (int i = 1; i < chains.count; ++i) text += fmt::format("  sum += c{};\n", i);
  return text + fmt::format(
                    "  if (get_global_id(0) < n) C[offset_c + get_global_id(0)] = ({})({});\n",
                    type_name(sum_precision(chains.arithmetic)), sum_of_lanes(chains.vector_width));
}

std::string extension_line(Precision arithmetic) {
  const std::string_view extension =
      arithmetic == Precision::kHalf ? kHalfArithmetic : required_extension(arithmetic);
  return extension.empty() ? ""
                           : fmt::format("#pragma OPENCL EXTENSION {} : enable\n\n", extension);
}

// Returns a kernel of multiply-adds. It has the arguments of a gemm kernel so that the Executor can
// launch it: k is the number of loop iterations, alpha and beta are factor and summand, and each
// work-item stores one value to C. A and B are not read. If the arithmetic is in half precision,
// the scalars and C are single precision.
KernelRecord make_kernel(MultiplyAdd form, const MultiplyAddChains& chains) {
  KernelRecord record;
  record.precision = sum_precision(chains.arithmetic);
  record.name = fmt::format("multiply_add_{}_{}", to_text(form), chains.vector_width);
  record.entry = record.name;
  record.work_group = {chains.work_group_size, 1};
  record.layout_b = Layout::R();
  record.source = fmt::format(
      "// tilewright {0}: how fast are multiply-adds, spelled {1}, on vectors of {2}?\n\n{3}"
      "__kernel __attribute__((reqd_work_group_size({4}, 1, 1)))\n"
      "void {5}(const int m, const int n, const int k, const {7} alpha,\n"
      "    __global const {7} *restrict A, const ulong offset_a, const int lda,\n"
      "    __global const {7} *restrict B, const ulong offset_b, const int ldb,\n"
      "    const {7} beta, __global {7} *restrict C, const ulong offset_c, const int ldc)\n"
      "{{\n{6}}}\n",
      kVersion, to_text(form), chains.vector_width, extension_line(chains.arithmetic),
      chains.work_group_size, record.entry, kernel_body(form, chains), type_name(record.precision));
  return record;
}

class MicroBenchmark {
 public:
  MicroBenchmark(const Executor& executor, const ListedDevice& device, bool event_time,
                 Precision arithmetic)
      : executor_(executor),
        arithmetic_(arithmetic),
        event_time_(event_time),
        register_floats_(describe_device(device).limits.register_floats) {
    const bool side_by_side = device_kind(device.device) == DeviceKind::kGpu;
    if (side_by_side) {
      work_group_size_ =
          static_cast<int>(std::min(kGpuWorkGroup, device.identity.limits.max_work_group_size));
    }
    items_ = device.identity.compute_units * (side_by_side ? kChainsGpuItems : kChainsCpuItems);
    queue_ = timed_queue(executor_.context(), device.device);
    out_ = allocate_buffer(
        executor_.context(), CL_MEM_READ_WRITE,
        static_cast<std::size_t>(items_) * bytes_per_element(sum_precision(arithmetic_)),
        "micro-benchmark");
  }

  // Loads the kernels of one vector width and measures them on each run().
  class Width {
   public:
    Width(MicroBenchmark& benchmark, int vector_width);
    std::vector<MultiplyAddRate> run();

   private:
    MicroBenchmark& benchmark_;
    MultiplyAddChains chains_;
    std::map<MultiplyAdd, Loaded> kernels_;
  };

 private:
  std::optional<double> time(LoadedKernel& kernel, int iterations);
  std::optional<double> wall_ns(LoadedKernel& kernel, const GemmProblem& problem);

  const Executor& executor_;
  Precision arithmetic_;
  bool event_time_;
  cl::CommandQueue queue_;
  cl::Buffer out_;
  int register_floats_;
  int work_group_size_ = 1;
  std::int64_t items_ = 1;
};

std::optional<double> MicroBenchmark::wall_ns(LoadedKernel& kernel, const GemmProblem& problem) {
  const auto start = std::chrono::steady_clock::now();
  Launched launched = executor_.launch(queue_, kernel, problem, {});
  const auto* event = std::get_if<cl::Event>(&launched);
  if (event == nullptr || event->wait() != CL_SUCCESS) return std::nullopt;
  const std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - start;
  return ns.count() > 0.0 ? std::optional(ns.count()) : std::nullopt;
}

std::optional<double> MicroBenchmark::time(LoadedKernel& kernel, int iterations) {
  GemmProblem problem;
  problem.shape = {1, items_, iterations};
  // All chains converge to 1, so there is neither overflow nor denormals.
  problem.alpha = problem.beta = 0.5f;
  problem.a = problem.b = problem.c = {out_(), 0, static_cast<std::size_t>(items_)};
  if (!event_time_) return wall_ns(kernel, problem);
  const Timed timed = time_kernel(executor_, queue_, kernel, problem, 1.0, 0.0);
  const auto* ns = std::get_if<double>(&timed);
  return ns == nullptr ? std::nullopt : std::optional(*ns);
}

MicroBenchmark::Width::Width(MicroBenchmark& benchmark, int vector_width) : benchmark_(benchmark) {
  // The chains use half of the registers; the compiler needs some for other values.
  const int floats = vector_width * floats_per_sum(benchmark.arithmetic_);
  const int count = std::clamp(benchmark.register_floats_ / 2 / floats, 2, kMaxChains);
  chains_ = {benchmark.arithmetic_, vector_width, count, benchmark.work_group_size_};
  for (const MultiplyAdd form : kMultiplyAdds) {
    kernels_.emplace(form, benchmark.executor_.load(make_kernel(form, chains_)));
  }
}

std::vector<MultiplyAddRate> MicroBenchmark::Width::run() {
  const auto time_form = [&](MultiplyAdd form, int iterations) -> std::optional<double> {
    const auto* kernel = std::get_if<std::unique_ptr<LoadedKernel>>(&kernels_.at(form));
    return kernel == nullptr ? std::nullopt : benchmark_.time(**kernel, iterations);
  };
  const double flops =
      2.0 * kUnroll * chains_.count * chains_.vector_width * static_cast<double>(benchmark_.items_);
  auto rates = median_rates(chains_.vector_width, time_forms(time_form, flops));
  for (MultiplyAddRate& rate : rates) rate.precision = chains_.arithmetic;
  return rates;
}

}  // namespace

MultiplyAdds measure_multiply_adds(const Executor& executor, const ListedDevice& device,
                                   bool event_time, const IsOver& is_over,
                                   const std::vector<MultiplyAddRate>& known,
                                   Precision arithmetic) {
  MicroBenchmark benchmark(executor, device, event_time, arithmetic);
  std::vector<MicroBenchmark::Width> widths;
  std::vector<std::vector<MultiplyAddRate>> all;
  MultiplyAdds result{known, false};
  for (const int width : kVectorWidths) {
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const auto& rate) {
      return rate.precision == arithmetic && rate.vector_width == width;
    });
    if (is_known) continue;
    result.partial = is_over();
    if (result.partial) break;
    widths.emplace_back(benchmark, width);
    all.push_back(widths.back().run());
  }
  for (std::size_t i = 0; i < widths.size() && !is_over(); ++i) {
    all[i] = faster_rates(all[i], widths[i].run());
  }
  std::vector<MultiplyAddRate>& rates = result.rates;
  for (const auto& of_width : all) rates.insert(rates.end(), of_width.begin(), of_width.end());
  std::stable_sort(rates.begin(), rates.end(), [](const auto& a, const auto& b) {
    return std::pair(a.precision, a.vector_width) < std::pair(b.precision, b.vector_width);
  });
  return result;
}

}  // namespace tilewright
