// Runs the micro-benchmarks on a device: memory rates, and all benchmarks in sequence.
#include <algorithm>
#include <numeric>
#include <set>

#include "runtime/device/device_identity.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/measure/rates/device_rates.hpp"
#include "tuner/measure/rates/device_rates_kernels.hpp"
#include "tuner/measure/rates/launch_bench.hpp"
#include "tuner/measure/rates/micro_benchmark.hpp"

namespace tilewright {
namespace {

constexpr int kRateSamples = 9;        // samples of each rate
constexpr double kLongLaunchNs = 2e6;  // launches grow until they take this long
// Copies may take longer, because the buffer must grow beyond the caches.
constexpr double kLongCopyNs = 25e6;
constexpr std::int64_t kMaxIterations = 1 << 20;  // iterations of the loop in a kernel
// Work-group size for reads of local memory and images. It is smaller if the kernel demands it:
// some devices allow only small work-groups for kernels that use many registers.
constexpr std::int64_t kLocalWorkGroup = 64;
constexpr int kCopyWidths[] = {4, 16, 1};  // vector widths, the most useful one first
constexpr std::int64_t kGpuItems = 1024;   // per compute unit: enough to keep it busy
constexpr std::int64_t kCpuGroups = 4;     // per compute unit

// Launches of one size.
struct Samples {
  double bytes = 0.0;  // moved by each launch
  std::vector<LaunchTimes> launches;
};

// Returns the median rate in GB/s, by event times or wall times; 0 if there are no samples.
double median_rate(const Samples& samples, bool event_time) {
  std::vector<double> rates;
  for (const LaunchTimes& launch : samples.launches) {
    const double ns =
        event_time ? static_cast<double>(launch.end_ns - launch.start_ns) : launch.wall_ns;
    if (ns > 0.0) rates.push_back(samples.bytes / ns);
  }
  return rates.empty() ? 0.0 : quantile(rates, 0.5);
}

using LaunchOfSize = std::function<std::optional<LaunchTimes>(std::int64_t size)>;

// Measures memory rates. A result has no samples if something does not build or run.
class MemoryBench {
 public:
  MemoryBench(const ListedDevice& device, const LaunchBench& launches)
      : device_(device),
        launches_(launches),
        side_by_side_(device_kind(device.device) == DeviceKind::kGpu) {}

  std::vector<Samples> copies(const IsOver& is_over) const;  // One result per vector width
  Samples local_reads() const;
  Samples image_reads() const;

 private:
  std::optional<cl::Image2D> image() const;
  bool fill(const cl::Buffer& buffer, std::int64_t floats) const;
  Samples copy(int vector_width, const cl::Buffer& in, const cl::Buffer& out,
               std::int64_t bytes) const;
  std::int64_t items(std::int64_t work_group) const;

  const ListedDevice& device_;
  const LaunchBench& launches_;
  bool side_by_side_;
};

std::optional<cl::Image2D> MemoryBench::image() const {
  constexpr std::size_t kSide = kImageSide;
  std::vector<float> pixels(kSide * kSide * 4);
  std::iota(pixels.begin(), pixels.end(), 0.0f);
  cl_int code = CL_SUCCESS;
  cl::Image2D result(launches_.executor().context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                     cl::ImageFormat(CL_RGBA, CL_FLOAT), kSide, kSide, 0, pixels.data(), &code);
  return code == CL_SUCCESS ? std::optional(result) : std::nullopt;
}

// Grows the size until a run takes at least `long_enough_ns` (grown_size()), then samples that
// size.
Samples take_samples(const LaunchOfSize& launch, std::int64_t first, std::int64_t most,
                     double long_enough_ns, double bytes_per_size) {
  const RunOfSize wall_ns = [&](std::int64_t size) -> std::optional<double> {
    const auto times = launch(size);
    return times ? std::optional(times->wall_ns) : std::nullopt;
  };
  const auto size = grown_size(wall_ns, first, most, long_enough_ns);
  if (!size) return {};
  Samples samples;
  samples.bytes = bytes_per_size * static_cast<double>(*size);
  for (int round = 0; round < kRateSamples; ++round) {
    const auto times = launch(*size);
    if (!times) return {};
    samples.launches.push_back(*times);
  }
  return samples;
}

bool MemoryBench::fill(const cl::Buffer& buffer, std::int64_t floats) const {
  auto kernel = launches_.build(fill_source(), "fill");
  if (!kernel || kernel->setArg(0, buffer) != CL_SUCCESS) return false;
  const auto size = static_cast<std::size_t>(floats);
  return launches_
      .launch(*kernel, cl::NDRange(size),
              cl::NDRange(static_cast<std::size_t>(launches_.work_group(*kernel))))
      .has_value();
}

Samples MemoryBench::copy(int vector_width, const cl::Buffer& in, const cl::Buffer& out,
                          std::int64_t bytes) const {
  auto kernel = launches_.build(copy_source(vector_width), "copy");
  if (!kernel || kernel->setArg(0, in) != CL_SUCCESS || kernel->setArg(1, out) != CL_SUCCESS) {
    return {};
  }
  const std::int64_t group = launches_.work_group(*kernel);
  const std::int64_t group_bytes = group * vector_width * static_cast<std::int64_t>(sizeof(float));
  const LaunchOfSize launch_groups = [&](std::int64_t groups) {
    return launches_.launch(*kernel, cl::NDRange(static_cast<std::size_t>(groups * group)),
                            cl::NDRange(static_cast<std::size_t>(group)));
  };
  return take_samples(launch_groups, 4, bytes / group_bytes, kLongCopyNs,
                      2.0 * static_cast<double>(group_bytes));
}

std::vector<Samples> MemoryBench::copies(const IsOver& is_over) const {
  const std::int64_t floats_at_once = LaunchBench::kWorkGroup * 16;
  const MemoryFacts facts = read_memory_facts(device_.device);
  const std::int64_t floats = copy_buffer_bytes(facts) / static_cast<std::int64_t>(sizeof(float)) /
                              floats_at_once * floats_at_once;
  const std::int64_t bytes = floats * static_cast<std::int64_t>(sizeof(float));
  if (bytes == 0) return {};
  const auto in = launches_.buffer(bytes);
  const auto out = launches_.buffer(bytes);
  if (!in || !out || !fill(*in, floats) || !fill(*out, floats)) return {};
  std::vector<Samples> samples;
  for (const int width : kCopyWidths) {
    if (is_over()) break;
    samples.push_back(copy(width, *in, *out, bytes));
  }
  return samples;
}

// Returns the number of work-items that fill the device, in whole work-groups.
std::int64_t MemoryBench::items(std::int64_t work_group) const {
  const std::int64_t units = std::max(1, device_.identity.compute_units);
  return units * (side_by_side_ ? std::max(kGpuItems, work_group) : kCpuGroups * work_group);
}

Samples MemoryBench::local_reads() const {
  const DeviceLimits& limits = device_.identity.limits;
  const std::int64_t group = power_of_two(
      kLocalWorkGroup, std::min(limits.max_work_group_size, limits.max_work_item_sizes[0]));
  if (limits.local_memory_bytes < local_source_bytes(static_cast<int>(group))) {
    return {};
  }
  auto kernel = launches_.build(local_source(static_cast<int>(group)), "read_local");
  const std::int64_t all = items(group);
  const auto out = launches_.buffer(all * static_cast<std::int64_t>(sizeof(float)));
  if (!kernel || !out || kernel->setArg(1, *out) != CL_SUCCESS) return {};
  const LaunchOfSize launch_iterations =
      [&](std::int64_t iterations) -> std::optional<LaunchTimes> {
    if (kernel->setArg(0, static_cast<cl_int>(iterations)) != CL_SUCCESS) return std::nullopt;
    return launches_.launch(*kernel, cl::NDRange(static_cast<std::size_t>(all)),
                            cl::NDRange(static_cast<std::size_t>(group)));
  };
  constexpr double kBytes = 4.0 * sizeof(float) * kLocalReads;
  return take_samples(launch_iterations, 1, kMaxIterations, kLongLaunchNs,
                      kBytes * static_cast<double>(all));
}

Samples MemoryBench::image_reads() const {
  if (!device_.identity.limits.image_support) return {};
  auto kernel = launches_.build(image_source(), "read_image");
  if (!kernel) return {};
  const std::int64_t group = std::min(kLocalWorkGroup, launches_.work_group(*kernel));
  const std::int64_t lines = std::clamp<std::int64_t>(items(group) / kImageSide, 1, kImageSide);
  const auto pixels = image();
  const auto out = launches_.buffer(kImageSide * lines * static_cast<std::int64_t>(sizeof(float)));
  if (!pixels || !out || kernel->setArg(0, *pixels) != CL_SUCCESS ||
      kernel->setArg(2, *out) != CL_SUCCESS) {
    return {};
  }
  const LaunchOfSize launch_iterations =
      [&](std::int64_t iterations) -> std::optional<LaunchTimes> {
    if (kernel->setArg(1, static_cast<cl_int>(iterations)) != CL_SUCCESS) return std::nullopt;
    return launches_.launch(*kernel, cl::NDRange(kImageSide, static_cast<std::size_t>(lines)),
                            cl::NDRange(static_cast<std::size_t>(group), 1));
  };
  constexpr double kBytes = 4.0 * sizeof(float) * kImageReads;
  return take_samples(launch_iterations, 1, kMaxIterations, kLongLaunchNs,
                      kBytes * static_cast<double>(kImageSide * lines));
}

// Returns the types in which the device multiplies for products of the precisions. Sets
// rates.half_is_emulated if it has no half-precision arithmetic.
std::set<Precision> arithmetic_types(const std::vector<Precision>& precisions,
                                     const ListedDevice& device, DeviceRates& rates) {
  std::set<Precision> types;
  for (const Precision precision : precisions) {
    if (has_extension(device.device, required_extension(precision)))
      types.insert(sum_precision(precision));
    if (precision != Precision::kHalf) continue;
    rates.half_is_emulated = !has_extension(device.device, kHalfArithmetic);
    if (!rates.half_is_emulated) types.insert(Precision::kHalf);
  }
  return types;
}

}  // namespace

MemoryFacts read_memory_facts(const cl::Device& device) {
  const auto answer = [](cl_ulong bytes) {
    return static_cast<std::int64_t>(std::min<cl_ulong>(bytes, 1ULL << 62));
  };
  return {answer(device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>()),
          answer(device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>()),
          answer(device.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>())};
}

MeasuredRates measure_device_rates(const ListedDevice& device, const IsOver& is_over,
                                   const DeviceRates& known,
                                   const std::vector<Precision>& precisions) {
  LaunchBench launches(device);
  const MemoryBench bench(device, launches);
  MeasuredRates reply{known, false};
  DeviceRates& rates = reply;
  if (rates.launch_ns == 0.0) rates.launch_ns = launches.launch_ns();
  if (rates.round_trip_ns == 0.0) rates.round_trip_ns = launches.round_trip_ns();
  const IsOver cut_short = [&] {
    reply.partial = reply.partial || is_over();
    return reply.partial;
  };
  std::vector<Samples> copies;
  if (rates.copy_gbytes_per_s == 0.0) copies = bench.copies(cut_short);
  const auto unless_known = [&](double rate, const auto& measure) {
    return rate > 0.0 || cut_short() ? Samples() : measure();
  };
  const Samples local = unless_known(rates.local_gbytes_per_s, [&] { return bench.local_reads(); });
  const Samples image = unless_known(rates.image_gbytes_per_s, [&] { return bench.image_reads(); });
  std::vector<LaunchTimes> work;
  const auto add = [&](const Samples& samples) {
    work.insert(work.end(), samples.launches.begin(), samples.launches.end());
  };
  for (const Samples& samples : copies) add(samples);
  add(local);
  add(image);
  rates.event_time = rates.event_time && timestamps_make_sense(work);
  if (rates.event_time && rates.timer_step_ns == 0.0) {
    rates.timer_step_ns = timer_step_ns(launches.empty_launches());
  }
  const auto learn = [&](double& rate, const Samples& samples) {
    rate = std::max(rate, median_rate(samples, rates.event_time));
  };
  for (const Samples& samples : copies) learn(rates.copy_gbytes_per_s, samples);
  learn(rates.local_gbytes_per_s, local);
  learn(rates.image_gbytes_per_s, image);
  for (const Precision arithmetic : arithmetic_types(precisions, device, rates)) {
    MultiplyAdds multiply_adds = measure_multiply_adds(
        launches.executor(), device, rates.event_time, is_over, rates.multiply_adds, arithmetic);
    reply.partial = reply.partial || multiply_adds.partial;
    rates.multiply_adds = std::move(multiply_adds.rates);
  }
  for (const MultiplyAddRate& rate : rates.multiply_adds) {
    double& peak = arithmetic_peak(rates, rate.precision);
    peak = std::max(peak, rate.gflops);
  }
  if (rates.multiply_adds.empty() && rates.launch_ns == 0.0 && work.empty()) {
    throw Error(
        TW_OPENCL_ERROR,
        "no kernel runs on " + device.identity.name +
            ", not even an empty one, so the driver does not work; check with clinfo, and reinstall "
            "the driver or restart the machine");
  }
  return reply;
}

}  // namespace tilewright
