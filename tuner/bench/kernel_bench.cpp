#include "tuner/bench/kernel_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "codelets/point/validity.hpp"
#include "codelets/space/emit.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/profile_search.hpp"
#include "runtime/plan/plan_times.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/measure/device/profile_choice.hpp"
#include "tuner/measure/rates/copy_job.hpp"
#include "tuner/measure/rates/device_rates.hpp"

namespace tilewright {
namespace {

constexpr int kMinPointRounds = 5;
constexpr int kMinPackRounds = 9;
constexpr int kMaxPackRounds = 51;
// Extents are multiples of this, so that tiles and chunks divide them. Most multiples are not
// powers of two, with which columns would compete for the same cache sets.
constexpr std::int64_t kTiles = 192;
constexpr int kCopyWidths[] = {1, 4, 16};

bool is_crash(OutcomeClass result) {
  return result == OutcomeClass::kBuildCrash || result == OutcomeClass::kLaunch ||
         result == OutcomeClass::kHang;
}

// Returns the outcome of each kernel of the request, in order. Kernels that failed are added to the
// report; `where` says on which shape.
std::vector<Outcome> measure(DeviceWorker& worker, const MeasureRequest& request,
                             const std::string& where, BenchReport& report) {
  auto answer = worker.measure(request);
  auto* measured = std::get_if<Outcomes>(&answer);
  if (measured == nullptr) {
    throw std::runtime_error("stopped before the measurements were complete");
  }
  report.device_time = request.options.event_time && worker.opened().has_timer;
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < request.kernels.size(); ++i) {
    const auto found = measured->find(i);
    Outcome outcome;
    if (found != measured->end()) {
      outcome = std::move(found->second);
    } else {
      outcome.result = OutcomeClass::kHang;
      outcome.reason = "it was not measured, because too many other kernels crashed";
    }
    if (outcome.result != OutcomeClass::kOk) {
      report.missing.push_back(
          fmt::format("{}{}: {}", request.kernels[i].label(), where, outcome.reason));
      if (worker.lost_process() && found != measured->end() && is_crash(outcome.result)) {
        ++report.crashes;
      }
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

// A kernel that was too large or too slow for one shape may work on another.
bool may_be_tried_again(OutcomeClass result) {
  return result == OutcomeClass::kOk || result == OutcomeClass::kLimits ||
         result == OutcomeClass::kSlow;
}

// ---- points

// Returns why the point has no kernel on this device.
std::optional<std::string> unmet_limit(const ChosenPoint& chosen, const DeviceInfo& device) {
  const ParameterPoint& point = chosen.point;
  if (const Rule* rule = broken_structural_rule(point)) {
    return fmt::format("{} ({})", rule->name, rule->reason);
  }
  if (describe(point).images != Images{} && !device.identity.limits.image_support) {
    return "the device has no images";
  }
  return std::nullopt;
}

// Adds the samples. If the product was measured in slices, adds a sentence to the report.
void add_point(const ShapeSamples& samples, const MeasureOptions& options, BenchFigure& figure,
               BenchReport& report) {
  figure.samples_ns = samples.ns;
  if (samples.slice_m == 0) return;
  report.in_part.push_back(fmt::format(
      "{} on {}: measured on {} rows at a time, to keep launches below {:.0f} ms", figure.name,
      to_text(samples.shape), samples.slice_m, 1e-6 * options.max_dispatch_ns));
}

MeasureRequest point_request(const std::vector<ChosenPoint>& points,
                             const std::vector<std::size_t>& running, const GemmShape& shape,
                             const KernelBenchOptions& options) {
  MeasureRequest request;
  for (const std::size_t i : running) {
    request.kernels.push_back({KernelId(points[i].point), points[i].name});
  }
  request.shapes = {shape};
  request.is_new = false;
  request.options = options.measure;
  request.options.samples = kMinPointRounds;
  request.seconds = options.seconds;
  return request;
}

// Measures the points in `running`, and removes those that must not be tried again.
BenchResult measure_points(DeviceWorker& worker, const std::vector<ChosenPoint>& points,
                           const GemmShape& shape, const KernelBenchOptions& options,
                           std::vector<std::size_t>& running, BenchReport& report) {
  BenchResult result;
  result.shape = shape;
  for (const ChosenPoint& point : points) {
    result.figures.push_back({FigureKind::kKernel, point.name, {}, flops(shape)});
  }
  if (running.empty()) return result;
  MeasureRequest request = point_request(points, running, shape, options);
  request.verify = report.results.empty();
  const std::vector<Outcome> outcomes = measure(worker, request, " on " + to_text(shape), report);
  std::vector<std::size_t> still;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].result == OutcomeClass::kOk) {
      add_point(outcomes[i].shapes.at(0), options.measure, result.figures[running[i]], report);
    }
    if (may_be_tried_again(outcomes[i].result)) still.push_back(running[i]);
  }
  running = std::move(still);
  return result;
}

// ---- packs

MeasureRequest pack_request(const FoundProfile& found, const MeasureOptions& options) {
  MeasureRequest request;
  request.profile =
      found.path.empty() ? kBuiltInProfile : std::filesystem::absolute(found.path).string();
  request.is_new = false;
  request.options = options;
  const Profile& profile = found.profile;
  if (profile.kind != ProfileKind::kGeneric) request.options.event_time = profile.rates.event_time;
  return request;
}

// Returns the pack kernels of the profile that are correct.
std::vector<const KernelRecord*> verified_packs(DeviceWorker& worker, const FoundProfile& found,
                                                const MeasureOptions& options,
                                                BenchReport& report) {
  MeasureRequest request = pack_request(found, options);
  std::vector<const KernelRecord*> packs;
  for (const KernelRecord& record : found.profile.kernels) {
    if (record.role != Role::kPack) continue;
    packs.push_back(&record);
    request.kernels.push_back({{}, record.name});
  }
  if (packs.empty()) {
    throw Error(TW_NO_PROFILE, found.origin + ": the profile has no pack kernels");
  }
  const std::vector<Outcome> outcomes = measure(worker, request, "", report);
  std::vector<const KernelRecord*> right;
  for (std::size_t i = 0; i < packs.size(); ++i) {
    if (outcomes[i].result == OutcomeClass::kOk) right.push_back(packs[i]);
  }
  return right;
}

double square_elements(std::int64_t extent) {
  return static_cast<double>(extent) * static_cast<double>(extent);
}

// Returns true if plans use this pack kernel for matrices of that size.
bool is_taken(const KernelRecord& record, const std::vector<const KernelRecord*>& packs,
              const MeasuredTimes& times, std::int64_t extent) {
  const auto own = times.auxiliary_rate(record, square_elements(extent));
  return std::none_of(packs.begin(), packs.end(), [&](const KernelRecord* pack) {
    const KernelRecord& other = *pack;
    const bool same = other.layout_a == record.layout_a && other.layout_c == record.layout_c &&
                      other.images == record.images && other.precision == record.precision;
    const auto rate = times.auxiliary_rate(other, square_elements(extent));
    return same && rate && (!own || rate->distance < own->distance);
  });
}

// Removes pack kernels that must not be tried again.
BenchResult measure_packs(DeviceWorker& worker, const FoundProfile& found,
                          const KernelBenchOptions& options, std::int64_t extent,
                          std::vector<const KernelRecord*>& packs, BenchReport& report) {
  const MeasuredTimes times({&found.profile});
  MeasureRequest request = pack_request(found, options.measure);
  BenchResult result;
  result.shape = {extent, extent, 1};
  const auto add = [&](FigureKind kind, const std::string& name, Precision precision) {
    request.kernels.push_back({{}, name});
    BenchFigure figure{kind, name};
    figure.work = packed_bytes_per_element(precision) * square_elements(extent);
    result.figures.push_back(std::move(figure));
  };
  for (const KernelRecord* pack : packs) {
    if (is_taken(*pack, packs, times, extent)) {
      add(FigureKind::kKernel, pack->name, pack->precision);
    }
  }
  for (const int width : kCopyWidths) {
    add(FigureKind::kCopy, copy_name(width), Precision::kSingle);
  }
  request.shapes = {result.shape};
  request.verify = false;
  request.options.samples = kMinPackRounds;
  request.max_rounds = kMaxPackRounds;
  request.seconds = options.seconds;
  const std::vector<Outcome> outcomes = measure(worker, request, "", report);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].result == OutcomeClass::kOk) {
      result.figures[i].samples_ns = outcomes[i].shapes.at(0).ns;
    } else if (!may_be_tried_again(outcomes[i].result)) {
      std::erase_if(
          packs, [&](const KernelRecord* pack) { return pack->name == request.kernels[i].name; });
    }
  }
  return result;
}

// Removes all copies except the fastest, and figures that were not measured.
void keep_best_copy(BenchResult& result) {
  double best = 0.0;
  for (const BenchFigure* copy : result.all(FigureKind::kCopy)) {
    best = std::max(best, copy->rate().median);
  }
  std::erase_if(result.figures, [&](const BenchFigure& figure) {
    return !figure.is_measured() ||
           (figure.kind == FigureKind::kCopy && figure.rate().median < best);
  });
}

}  // namespace

void bench_points(DeviceWorker& worker, const std::vector<ChosenPoint>& points,
                  const std::vector<GemmShape>& shapes, const KernelBenchOptions& options,
                  BenchReport& report, const ResultDone& done) {
  std::vector<std::size_t> running;
  for (std::size_t i = 0; i < points.size(); ++i) {
    report.competitors.push_back(points[i].name);
    if (const auto reason = unmet_limit(points[i], worker.facts())) {
      report.missing.push_back(fmt::format("{}: {}", points[i].name, *reason));
    } else {
      running.push_back(i);
    }
  }
  for (const GemmShape& shape : shapes) {
    report.results.push_back(measure_points(worker, points, shape, options, running, report));
    done(report);
  }
}

void bench_packs(DeviceWorker& worker, const std::string& profile,
                 const KernelBenchOptions& options, BenchReport& report, const ResultDone& done) {
  const FoundProfile found =
      find_profile(choose_profile(profile), default_search_path(), worker.facts().identity);
  std::vector<const KernelRecord*> packs = verified_packs(worker, found, options.measure, report);
  // A matrix that no cache holds.
  const double large = std::sqrt(static_cast<double>(worker.opened().large_bytes) / sizeof(float));
  const std::int64_t large_extent =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(large) / kTiles) * kTiles;
  for (const std::int64_t extent : {std::int64_t{kMovedExtent}, large_extent}) {
    report.results.push_back(measure_packs(worker, found, options, extent, packs, report));
    keep_best_copy(report.results.back());
    done(report);
  }
}

double pack_gbytes_per_s(double ns_per_element, Precision precision) {
  return ns_per_element > 0.0 ? packed_bytes_per_element(precision) / ns_per_element : 0.0;
}

}  // namespace tilewright
