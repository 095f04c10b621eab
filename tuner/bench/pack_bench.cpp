#include "tuner/bench/pack_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "profiles/profile_text.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/own_buffer.hpp"
#include "runtime/device/profile_search.hpp"
#include "runtime/plan/plan_times.hpp"
#include "tuner/measure/launch_job.hpp"
#include "tuner/measure/open_device.hpp"
#include "tuner/measure/pack_tuning.hpp"
#include "tuner/measure/turns.hpp"
#include "tuner/rates/device_rates.hpp"
#include "tuner/rates/device_rates_kernels.hpp"

namespace tilewright {
namespace {

constexpr int kMostRounds = 51;
// What tiles and chunks divide; its multiples are seldom powers of two, whose columns lie badly.
constexpr std::int64_t kTiles = 192;
constexpr int kCopyWidths[] = {1, 4, 16};
constexpr std::size_t kCopyGroup = 64;
// Of a machine that is slow beyond doubt: what waits for it is to be patient.
constexpr double kSlowFloatsPerSecond = 1e7;
constexpr double kUnknownSample_s = 5.0;

// Something that moves bytes, again and again.
struct Auxiliary {
  std::string what;
  Launch launch;
  double bytes = 0.0;  // of one launch
  double expected_ns = 0.0;
  std::vector<cl::Buffer> memory = {};  // what a launch needs and does not keep
  std::vector<double> gbytes_per_s = {};
};

class PackBench {
 public:
  PackBench(const ListedDevice& device, const PackBenchOptions& options, const Profile& profile,
            const Announce& announce)
      : device_(device),
        options_(options),
        announce_(announce),
        random_(options.seed),
        open_(device.device, ""),
        times_({&profile}) {
    measure_.seed = options.seed;
    if (profile.kind != ProfileKind::kGeneric) measure_.event_time = profile.rates.event_time;
    for (const KernelRecord& record : profile.kernels) {
      if (record.role == Role::kPack) enter(record);
    }
  }

  PackBenchSize measure(std::int64_t extent);
  std::int64_t large_extent() const;
  std::string timer() const { return open_.timer(measure_); }
  std::vector<std::string> missing;

 private:
  void enter(const KernelRecord& record);
  bool serves(const KernelRecord& record, std::int64_t extent) const;
  std::optional<Auxiliary> pack(LoadedKernel& kernel, std::int64_t extent);
  std::optional<Auxiliary> copy(int width, const cl::Buffer& in, const cl::Buffer& out,
                                std::int64_t floats);
  std::vector<Auxiliary> copies(std::int64_t extent);
  bool sample(Auxiliary& auxiliary);

  const ListedDevice& device_;
  const PackBenchOptions& options_;
  const Announce& announce_;
  std::mt19937_64 random_;
  MeasureOptions measure_;
  OpenDevice open_;
  MeasuredTimes times_;
  struct Pack {
    const KernelRecord* record;  // of the profile
    std::unique_ptr<LoadedKernel> kernel;
  };
  std::vector<Pack> packs_;
};

// Whether plans would take it for matrices of this size.
bool PackBench::serves(const KernelRecord& record, std::int64_t extent) const {
  const double elements = static_cast<double>(extent) * static_cast<double>(extent);
  const auto own = times_.moved_rate(record, elements);
  return std::none_of(packs_.begin(), packs_.end(), [&](const Pack& pack) {
    const KernelRecord& other = *pack.record;
    const bool same = other.layout_a == record.layout_a && other.layout_c == record.layout_c &&
                      other.images == record.images;
    const auto rate = times_.moved_rate(other, elements);
    return same && rate && (!own || rate->distance < own->distance);
  });
}

void PackBench::enter(const KernelRecord& record) {
  announce_({PhaseKind::kBuild, record.name});
  Loaded loaded = open_.executor().load(record);
  if (const auto* rejection = std::get_if<Rejection>(&loaded)) {
    missing.push_back(fmt::format("{}: {}", record.name, rejection->reason));
    return;
  }
  auto& kernel = std::get<std::unique_ptr<LoadedKernel>>(loaded);
  announce_({PhaseKind::kLaunch, record.name});
  if (const auto rejection = verify_pack(open_.executor(), open_.queue(), *kernel)) {
    missing.push_back(fmt::format("{}: {}", record.name, rejection->reason));
    return;
  }
  packs_.push_back({&record, std::move(kernel)});
}

std::int64_t PackBench::large_extent() const {
  const auto answer = [](cl_ulong bytes) {
    return static_cast<std::int64_t>(std::min<cl_ulong>(bytes, 1ULL << 62));
  };
  const cl::Device& d = device_.device;
  const std::int64_t bytes =
      copy_buffer_bytes({answer(d.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>()),
                         answer(d.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>()),
                         answer(d.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>())});
  const double extent = std::sqrt(static_cast<double>(bytes) / sizeof(float));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(extent) / kTiles) * kTiles;
}

std::optional<Auxiliary> PackBench::pack(LoadedKernel& kernel, std::int64_t extent) {
  const auto miss = [&](const std::string& reason) {
    missing.push_back(fmt::format("{} of {}x{}: {}", kernel.record().name, extent, extent, reason));
    return std::nullopt;
  };
  const double floats = static_cast<double>(extent) * static_cast<double>(extent);
  announce_({PhaseKind::kLaunch, fmt::format("{} of {}x{}", kernel.record().name, extent, extent),
             floats / kSlowFloatsPerSecond});
  PooledPack pooled = open_.pool(options_.seed).packing(kernel.record(), extent, extent);
  if (const auto* rejection = std::get_if<Rejection>(&pooled)) return miss(rejection->reason);
  const LaunchJob job = packing_job(open_.executor(), open_.queue(), kernel,
                                    std::move(std::get<Pooled<PackProblem>>(pooled)));
  LearnedRate rate;
  const Reached reached = reach(open_.sampler(measure_), job, measure_.max_dispatch_ns, rate);
  if (const auto* rejection = std::get_if<Rejection>(&reached)) return miss(rejection->reason);
  if (const auto* slow = std::get_if<TooSlow>(&reached)) return miss(slow->reason);
  const Reach& part = std::get<Reach>(reached);
  const auto whole = static_cast<double>(extent) * static_cast<double>(extent);
  return Auxiliary{kernel.record().name, [job, part] { return job.launch(part.part); },
                   kPackedBytesPerElement * whole / part.scale, part.expected_ns};
}

std::optional<Auxiliary> PackBench::copy(int width, const cl::Buffer& in, const cl::Buffer& out,
                                         std::int64_t floats) {
  cl_int code = CL_SUCCESS;
  const cl::Program program(open_.executor().context(), copy_source(width), false, &code);
  if (code != CL_SUCCESS || program.build({device_.device}) != CL_SUCCESS) return std::nullopt;
  cl::Kernel kernel(program, "copy", &code);
  if (code != CL_SUCCESS || kernel.setArg(0, in) != CL_SUCCESS ||
      kernel.setArg(1, out) != CL_SUCCESS) {
    return std::nullopt;
  }
  const std::size_t group = std::min<std::size_t>(
      kCopyGroup, kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device_.device));
  const std::size_t items =
      static_cast<std::size_t>(floats) / static_cast<std::size_t>(width) / group * group;
  const cl::CommandQueue queue = open_.queue();
  const std::string what = fmt::format("copy by vectors of {}", width);
  const Launch launch = [kernel, queue, what, items, group]() -> Launched {
    cl::Event done;
    const cl_int launched = queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items),
                                                       cl::NDRange(group), nullptr, &done);
    if (launched == CL_SUCCESS) return done;
    return Rejection{Stage::kLaunch, what + ": " + opencl_code_text(launched), launched};
  };
  const double bytes =
      2.0 * sizeof(float) * static_cast<double>(width) * static_cast<double>(items);
  return Auxiliary{what, launch, bytes, 0.0, {in, out}};
}

std::vector<Auxiliary> PackBench::copies(std::int64_t extent) {
  const std::int64_t floats = extent * extent;
  announce_(
      {PhaseKind::kBuild, "a plain copy", static_cast<double>(floats) / kSlowFloatsPerSecond});
  std::vector<float> noise(static_cast<std::size_t>(floats));
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<float>(i % 1024);
  std::vector<cl::Buffer> buffers;
  for (int i = 0; i < 2; ++i) {
    buffers.push_back(own_buffer(open_.executor().context(), CL_MEM_READ_WRITE,
                                 noise.size() * sizeof(float), "copy"));
    check_opencl(write_floats(open_.queue(), buffers.back(), 0, noise), "filling a buffer (copy)");
  }
  std::vector<Auxiliary> auxiliaries;
  for (const int width : kCopyWidths) {
    if (auto auxiliary = copy(width, buffers[0], buffers[1], floats))
      auxiliaries.push_back(*auxiliary);
  }
  return auxiliaries;
}

// What fails is out, for a reason that is given.
bool PackBench::sample(Auxiliary& auxiliary) {
  announce_({PhaseKind::kLaunch, auxiliary.what,
             auxiliary.expected_ns > 0.0 ? auxiliary.expected_ns / 1e9 : kUnknownSample_s});
  const Sampled sampled =
      open_.sampler(measure_).sample(auxiliary.launch, auxiliary.expected_ns, auxiliary.what);
  if (const auto* rejection = std::get_if<Rejection>(&sampled)) {
    missing.push_back(fmt::format("{}: {}", auxiliary.what, rejection->reason));
    auxiliary.gbytes_per_s.clear();
    return false;
  }
  auxiliary.expected_ns = std::get<Sample>(sampled).ns;
  auxiliary.gbytes_per_s.push_back(auxiliary.bytes / auxiliary.expected_ns);
  return true;
}

PackBenchSize PackBench::measure(std::int64_t extent) {
  std::vector<Auxiliary> packs;
  for (const Pack& each : packs_) {
    if (!serves(*each.record, extent)) continue;
    if (auto auxiliary = pack(*each.kernel, extent)) packs.push_back(std::move(*auxiliary));
  }
  std::vector<Auxiliary> plain = copies(extent);
  std::vector<Auxiliary*> all;
  for (std::vector<Auxiliary>* kind : {&packs, &plain}) {
    for (Auxiliary& auxiliary : *kind) {
      if (!sample(auxiliary)) continue;
      auxiliary.gbytes_per_s.clear();  // the first launches compile, on some drivers: no samples
      all.push_back(&auxiliary);
    }
  }
  take_rounds(all.size(), {.most = kMostRounds, .seconds = options_.seconds_per_size}, random_,
              [&](std::size_t i) { return sample(*all[i]); });
  PackBenchSize size;
  size.extent = extent;
  for (const Auxiliary& auxiliary : plain) {
    if (auxiliary.gbytes_per_s.empty()) continue;
    const Summary rate = summarize(auxiliary.gbytes_per_s);
    if (rate.median > size.copy_gbytes_per_s.median) size.copy_gbytes_per_s = rate;
  }
  for (const Auxiliary& auxiliary : packs) {
    if (auxiliary.gbytes_per_s.empty()) continue;
    size.rows.push_back({auxiliary.what, summarize(auxiliary.gbytes_per_s)});
  }
  return size;
}

}  // namespace

double pack_gbytes_per_s(double ns_per_element) {
  return ns_per_element > 0.0 ? kPackedBytesPerElement / ns_per_element : 0.0;
}

PackBenchReport run_pack_benchmark(const ListedDevice& device, const PackBenchOptions& options,
                                   const Announce& announce,
                                   const std::function<void(const PackBenchReport&)>& done) {
  const FoundProfile found = find_profile(options.profile, default_search_path(), device.identity);
  const Profile& profile = found.profile;
  if (std::none_of(profile.kernels.begin(), profile.kernels.end(),
                   [](const KernelRecord& record) { return record.role == Role::kPack; })) {
    throw Error(TW_NO_PROFILE, found.origin + ": the profile has no pack kernels");
  }
  PackBenchReport report;
  report.conditions = conditions_of(device.identity, options.command);
  report.profile = found.origin;
  report.profile_digest = digest_of(profile);
  report.rates = profile.rates;
  PackBench bench(device, options, profile, announce);
  report.timer = bench.timer();
  for (const std::int64_t extent : {std::int64_t{kMovedExtent}, bench.large_extent()}) {
    report.sizes.push_back(bench.measure(extent));
    report.missing = bench.missing;
    done(report);
  }
  return report;
}

}  // namespace tilewright
