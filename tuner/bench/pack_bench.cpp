#include "tuner/bench/pack_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "profiles/profile_text.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/profile_search.hpp"
#include "runtime/plan/plan_times.hpp"
#include "tuner/bench/bench_request.hpp"
#include "tuner/rates/copy_job.hpp"
#include "tuner/rates/device_rates.hpp"

namespace tilewright {
namespace {

constexpr int kLeastPackRounds = 9;
constexpr int kMostRounds = 51;
// What tiles and chunks divide; its multiples are seldom powers of two, whose columns lie badly.
constexpr std::int64_t kTiles = 192;
constexpr int kCopyWidths[] = {1, 4, 16};

class PackBench {
 public:
  PackBench(DeviceWorker& worker, const PackBenchOptions& options, const FoundProfile& found)
      : worker_(worker), options_(options), found_(found), times_({&found.profile}) {
    report_.conditions = conditions_of(worker.facts().identity, options.command);
    report_.profile = found.origin;
    report_.profile_digest = digest_of(found.profile);
    report_.rates = found.profile.rates;
  }

  PackBenchReport run(const std::function<void(const PackBenchReport&)>& done) {
    const std::int64_t large_bytes = verify();
    const double large = std::sqrt(static_cast<double>(large_bytes) / sizeof(float));
    const std::int64_t large_extent =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(large) / kTiles) * kTiles;
    for (const std::int64_t extent : {std::int64_t{kMovedExtent}, large_extent}) {
      report_.sizes.push_back(measure(extent));
      done(report_);
    }
    return std::move(report_);
  }

 private:
  MeasureRequest request() const;
  MeasureReply ask(const MeasureRequest& request);
  // Of all pack kernels those that are right stay. Answers what the device calls large.
  std::int64_t verify();
  bool serves(const KernelRecord& record, std::int64_t extent) const;
  PackBenchSize measure(std::int64_t extent);

  DeviceWorker& worker_;
  const PackBenchOptions& options_;
  const FoundProfile& found_;
  MeasuredTimes times_;
  std::vector<const KernelRecord*> packs_;
  PackBenchReport report_;
};

MeasureRequest PackBench::request() const {
  MeasureRequest request;
  request.profile =
      found_.path.empty() ? kBuiltInProfile : std::filesystem::absolute(found_.path).string();
  request.is_new = false;
  request.options = options_.measure;
  const Profile& profile = found_.profile;
  if (profile.kind != ProfileKind::kGeneric) request.options.event_time = profile.rates.event_time;
  return request;
}

MeasureReply PackBench::ask(const MeasureRequest& request) {
  MeasureReply reply = measured(worker_, request);
  report_.timer = timer_of(reply);
  report_.crashes += crashes_in(reply);
  for (std::size_t i = 0; i < request.kernels.size(); ++i) {
    const auto outcome = reply.outcomes.find(i);
    const bool is_known = outcome != reply.outcomes.end();
    if (is_known && outcome->second.result == OutcomeClass::kOk) continue;
    const std::string reason =
        is_known ? outcome->second.reason : "it was not measured: too many others crashed";
    report_.missing.push_back(fmt::format("{}: {}", request.name(i), reason));
  }
  return reply;
}

std::int64_t PackBench::verify() {
  MeasureRequest request = this->request();
  std::vector<const KernelRecord*> packs;
  for (const KernelRecord& record : found_.profile.kernels) {
    if (record.role != Role::kPack) continue;
    packs.push_back(&record);
    request.add(record.name);
  }
  const MeasureReply reply = ask(request);
  for (const auto& [kernel, outcome] : reply.outcomes) {
    if (outcome.result == OutcomeClass::kOk) packs_.push_back(packs[kernel]);
  }
  return reply.large_bytes;
}

// Whether plans would take it for matrices of this size.
bool PackBench::serves(const KernelRecord& record, std::int64_t extent) const {
  const double elements = static_cast<double>(extent) * static_cast<double>(extent);
  const auto own = times_.moved_rate(record, elements);
  return std::none_of(packs_.begin(), packs_.end(), [&](const KernelRecord* pack) {
    const KernelRecord& other = *pack;
    const bool same = other.layout_a == record.layout_a && other.layout_c == record.layout_c &&
                      other.images == record.images && other.precision == record.precision;
    const auto rate = times_.moved_rate(other, elements);
    return same && rate && (!own || rate->distance < own->distance);
  });
}

PackBenchSize PackBench::measure(std::int64_t extent) {
  MeasureRequest request = this->request();
  for (const KernelRecord* pack : packs_) {
    if (serves(*pack, extent)) request.add(pack->name);
  }
  const std::size_t packs = request.kernels.size();
  for (const int width : kCopyWidths) request.add(copy_name(width));
  request.shapes = {{extent, extent, 1}};
  request.verify = false;
  request.options.samples = kLeastPackRounds;
  request.most_rounds = kMostRounds;
  request.seconds = options_.seconds_per_size;
  const MeasureReply reply = ask(request);
  PackBenchSize size;
  size.extent = extent;
  for (const auto& [kernel, outcome] : reply.outcomes) {
    if (outcome.result != OutcomeClass::kOk) {
      // What is too large for it now may not be the next time.
      std::erase_if(packs_, [&, &kernel = kernel, &outcome = outcome](const KernelRecord* pack) {
        return pack->name == request.name(kernel) && outcome.result != OutcomeClass::kLimits &&
               outcome.result != OutcomeClass::kSlow;
      });
      continue;
    }
    std::vector<double> rates;
    const double elements = static_cast<double>(extent) * static_cast<double>(extent);
    const Precision precision = kernel < packs
                                    ? find_kernel(found_.profile, request.name(kernel))->precision
                                    : Precision::kSingle;
    for (const double ns : outcome.shapes.at(0).ns) {
      rates.push_back(packed_bytes_per_element(precision) * elements / ns);
    }
    const Summary rate = summarize(rates);
    if (kernel < packs) {
      size.rows.push_back({request.name(kernel), rate});
    } else if (rate.median > size.copy_gbytes_per_s.median) {
      size.copy_gbytes_per_s = rate;
    }
  }
  return size;
}

}  // namespace

double pack_gbytes_per_s(double ns_per_element, Precision precision) {
  return ns_per_element > 0.0 ? packed_bytes_per_element(precision) / ns_per_element : 0.0;
}

PackBenchReport run_pack_benchmark(DeviceWorker& worker, const PackBenchOptions& options,
                                   const std::function<void(const PackBenchReport&)>& done) {
  const FoundProfile found =
      find_profile(options.profile, default_search_path(), worker.facts().identity);
  const auto& kernels = found.profile.kernels;
  if (std::none_of(kernels.begin(), kernels.end(),
                   [](const KernelRecord& record) { return record.role == Role::kPack; })) {
    throw Error(TW_NO_PROFILE, found.origin + ": the profile has no pack kernels");
  }
  return PackBench(worker, options, found).run(done);
}

}  // namespace tilewright
