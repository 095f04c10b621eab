#include "tuner/bench/kernel_bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "codelets/point/validity.hpp"
#include "codelets/space/emit.hpp"
#include "profiles/base/usage_error.hpp"
#include "tuner/journal/records/shapes.hpp"

namespace tilewright {
namespace {

constexpr int kMinPointRounds = 5;

// Returns the outcomes of the points in `running`, in order. Points that failed are added to the
// report.
std::vector<Outcome> outcomes_of(DeviceWorker& worker, const MeasureRequest& request,
                                 const std::vector<ChosenPoint>& points,
                                 const std::vector<std::size_t>& running, BenchReport& report) {
  auto answer = worker.run(request);
  const auto* measured = std::get_if<Outcomes>(&answer);
  if (measured == nullptr) {
    throw std::runtime_error("stopped before the measurements were complete");
  }
  report.device_time = request.options.event_time && worker.opened().has_timer;
  std::vector<Outcome> outcomes;
  for (const std::size_t i : running) {
    const auto found = std::ranges::find(*measured, KernelId(points[i].point), &Outcome::kernel);
    Outcome outcome;
    if (found != measured->end()) {
      outcome = *found;
    } else {
      outcome.result = OutcomeClass::kHang;
      outcome.reason = "it was not measured, because too many other kernels crashed";
    }
    if (outcome.result != OutcomeClass::kOk) {
      report.missing.push_back(fmt::format("{} on {}: {}", points[i].name,
                                           to_text(request.shapes.front()), outcome.reason));
      const bool crashed = found != measured->end() && is_crash(outcome.result);
      if (worker.lost_process() && crashed) ++report.crashes;
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
    KernelId kernel(points[i].point);
    const bool is_new = std::ranges::find(request.kernels, kernel) == request.kernels.end();
    if (is_new) request.kernels.push_back(std::move(kernel));
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
  const std::vector<Outcome> outcomes = outcomes_of(worker, request, points, running, report);
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

}  // namespace

const NamedPoint& choose_point(const std::string& name, const char* option) {
  if (const NamedPoint* named = find_named_point(name)) return *named;
  std::vector<std::string_view> names;
  for (const NamedPoint& named : named_points()) names.push_back(named.name);
  throw UsageError(fmt::format("{}: '{}' is not one of {}", option, name, fmt::join(names, ", ")));
}

std::vector<ChosenPoint> choose_points(const std::string& list, const char* option) {
  std::vector<ChosenPoint> points;
  const auto add = [&](ChosenPoint chosen) {
    const auto same = [&](const ChosenPoint& other) { return other.name == chosen.name; };
    if (std::none_of(points.begin(), points.end(), same)) points.push_back(std::move(chosen));
  };
  if (list == "published") {
    for (const NamedPoint& named : named_points()) add({std::string(named.name), named.point()});
    return points;
  }
  std::istringstream entries(list);
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.find('=') == std::string::npos) {
      add({entry, choose_point(entry, option).point()});
      continue;
    }
    try {
      const ParameterPoint point = parse_point(entry);
      add({kernel_name(point), point});
    } catch (const ParameterError& error) {
      throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
  }
  if (points.empty()) throw UsageError(fmt::format("{}: the list of points is empty", option));
  return points;
}

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

}  // namespace tilewright
