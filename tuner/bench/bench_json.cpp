#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tuner/bench/bench_report.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/measure/rates/roofline.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

Json summary_to_json(const Summary& summary) {
  return {{"median", summary.median}, {"low", summary.low}, {"high", summary.high}};
}

Json with_samples(const Summary& summary) {
  Json json = summary_to_json(summary);
  json["samples"] = summary.samples;
  return json;
}

Json in_us(const Summary& ns) {
  return summary_to_json(Summary{1e-3 * ns.median, 1e-3 * ns.low, 1e-3 * ns.high, ns.samples});
}

Json predicted_us(const BenchFigure& figure) {
  if (figure.predicted_ns > 0.0) return 1e-3 * figure.predicted_ns;
  return nullptr;
}

// Of a net or a step, whose peak may not be known.
void add_rate(Json& json, const BenchFigure& figure, double peak_gflops) {
  if (!figure.is_measured() || !(figure.work > 0.0)) return;
  json["gflops"] = figure.work / figure.ns().median;
  if (peak_gflops > 0.0) json["peak_share"] = figure.work / figure.ns().median / peak_gflops;
}

// Our own figure, and those of competitors, in the unit of the report.
Json end_to_end(const BenchReport& report, const BenchFigure& figure) {
  if (!figure.is_measured()) return nullptr;
  return report.kind == BenchKind::kNet ? in_us(figure.ns()) : summary_to_json(figure.rate());
}

void add_competitors(Json& json, const BenchReport& report, const BenchResult& result) {
  json["rivals"] = Json::object();
  for (const BenchFigure* figure : result.all(FigureKind::kCompetitor)) {
    Json& of = json["rivals"][figure->name];
    if (report.kind == BenchKind::kNet) {
      of["forward_us"] = end_to_end(report, *figure);
    } else {
      of = end_to_end(report, *figure);
    }
    if (const auto ratio = result.ratio(figure->name)) of["ratio"] = *ratio;
  }
  json["launch_floor_us"] = in_us(result.figure(FigureKind::kLaunchFloor).ns());
  json["launch_share"] = nullptr;
  if (const auto share = result.launch_share()) json["launch_share"] = *share;
}

Json product_json(const BenchReport& report, const DeviceRates& rates, const BenchResult& result) {
  const BenchFigure& own = result.figure(FigureKind::kOwn);
  Json json{{"op", to_text(result.op)},
            {"m", result.shape.m},
            {"n", result.shape.n},
            {"k", result.shape.k},
            {"kernel", fmt::format("{}", fmt::join(own.kernels, "+"))},
            {"gflops", end_to_end(report, own)},
            {"samples", own.samples_ns.size()}};
  add_competitors(json, report, result);
  // Operands of complex numbers are not what the roofline counts.
  const double roof = report.complex ? 0.0 : roofline_gflops(rates, result.shape, report.precision);
  if (roof > 0.0) json["roofline_gflops"] = roof;
  for (const BenchFigure* plan : result.all(FigureKind::kPlan)) {
    json["plans"].push_back({{"kernel", plan->name},
                             {"predicted_us", predicted_us(*plan)},
                             {"gflops", summary_to_json(plan->rate())}});
  }
  if (!result.left_out.empty()) json["left_out"] = result.left_out;
  return json;
}

Json step_json(const BenchFigure& step, double peak_gflops) {
  Json json{{"step", step.name},
            {"kernels", step.kernels},
            {"inputs", step.inputs},
            {"outputs", step.outputs},
            {"flops", step.work},
            {"device_us", nullptr},
            {"predicted_us", predicted_us(step)}};
  if (step.is_measured()) json["device_us"] = in_us(step.ns());
  add_rate(json, step, peak_gflops);
  return json;
}

Json net_json(const BenchReport& report, const BenchResult& result) {
  const BenchFigure& own = result.figure(FigureKind::kOwn);
  Json json{{"batch", result.batch},
            {"flops", own.work},
            {"forward_us", end_to_end(report, own)},
            {"samples", own.samples_ns.size()}};
  add_rate(json, own, report.peak_gflops());
  add_competitors(json, report, result);
  json["workspace_bytes"] = result.workspace_bytes;
  json["steps"] = Json::array();
  for (const BenchFigure* step : result.all(FigureKind::kStep)) {
    json["steps"].push_back(step_json(*step, report.peak_gflops()));
  }
  return json;
}

Json points_json(const BenchResult& result) {
  Json gflops = Json::object();
  for (const BenchFigure& point : result.figures) {
    Json& of = gflops[point.name];
    of = nullptr;
    if (!point.is_measured()) continue;
    of = with_samples(point.rate());
    for (const double ns : point.samples_ns) of["rounds"].push_back(point.work / ns);
  }
  return {{"m", result.shape.m}, {"n", result.shape.n}, {"k", result.shape.k}, {"gflops", gflops}};
}

Json packs_json(const BenchResult& result) {
  const Summary copied = result.figure(FigureKind::kCopy).rate();
  Json kernels = Json::array();
  for (const BenchFigure* pack : result.all(FigureKind::kKernel)) {
    const Summary rate = pack->rate();
    kernels.push_back({{"kernel", pack->name}, {"gbytes_per_s", with_samples(rate)}});
    if (copied.median > 0.0) kernels.back()["share_of_copy"] = rate.median / copied.median;
  }
  return {{"rows", result.shape.m},
          {"columns", result.shape.n},
          {"copy_gbytes_per_s", with_samples(copied)},
          {"kernels", kernels}};
}

Json result_json(const BenchReport& report, const DeviceRates& rates, const BenchResult& result) {
  switch (report.kind) {
    case BenchKind::kProducts:
      return product_json(report, rates, result);
    case BenchKind::kNet:
      return net_json(report, result);
    case BenchKind::kPoints:
      return points_json(result);
    case BenchKind::kPacks:
      break;
  }
  return packs_json(result);
}

std::string result_unit(const BenchReport& report) {
  const char* timer = report.device_time ? "device time" : "wall time";
  switch (report.kind) {
    case BenchKind::kProducts:
      return "GFLOPS, wall time of one call to finished C";
    case BenchKind::kNet:
      return "us: forward_us, wall time of one forward to its finished output; device_us, of a "
             "step's commands";
    case BenchKind::kPoints:
      return fmt::format("GFLOPS, {} of the kernel alone", timer);
    case BenchKind::kPacks:
      break;
  }
  return fmt::format("GB/s read and written, {} of the kernel alone", timer);
}

// Without those that were not measured.
Json rates_json(const DeviceRates& rates, Precision precision) {
  Json json = Json::object();
  const auto add = [&](const char* key, double value) {
    if (value > 0.0) json[key] = value;
  };
  add("peak_gflops", product_peak(rates, precision));
  if (is_raised_peak(rates, precision)) json["peak_is_lower_bound"] = true;
  add("copy_gbytes_per_s", rates.copy_gbytes_per_s);
  add("local_gbytes_per_s", rates.local_gbytes_per_s);
  add("image_gbytes_per_s", rates.image_gbytes_per_s);
  add("launch_us", 1e-3 * rates.launch_ns);
  add("round_trip_us", 1e-3 * rates.round_trip_ns);
  return json;
}

// Of what the figures are.
Json head_json(const BenchReport& report, const DeviceRates& rates) {
  const BenchConditions& conditions = report.conditions;
  Json json{{"device", conditions.device},
            {"platform", conditions.platform},
            {"driver", conditions.driver},
            {"tool_version", conditions.tool_version},
            {"date", conditions.date},
            {"command", conditions.command},
            {"environment", conditions.environment}};
  if (report.kind == BenchKind::kNet) json["model"] = report.model;
  if (report.kind == BenchKind::kNet || report.kind == BenchKind::kProducts) {
    json["precision"] = blas_letter(report.precision, report.complex);
  }
  if (report.kind == BenchKind::kNet) {
    json["widths"] = report.widths;
    json["parameters"] = report.parameters;
  }
  if (report.kind != BenchKind::kPoints) {
    json["profile"] = report.profile;
    json["profile_digest"] = report.profile_digest;
    json["rates"] = rates_json(
        rates, report.kind == BenchKind::kNet ? sum_precision(report.precision) : report.precision);
  }
  json["unit"] = result_unit(report);
  return json;
}

}  // namespace

std::string to_json(const BenchReport& report) {
  const DeviceRates rates = report.raised_rates();
  Json json = head_json(report, rates);
  if (report.kind == BenchKind::kProducts || report.kind == BenchKind::kNet) {
    json["missing_rivals"] = Json::array();
    for (const auto& [name, why] : report.not_here) json["missing_rivals"].push_back(name);
    json["rival_details"] = report.details;
  }
  if (report.kind == BenchKind::kPoints) json["points"] = report.competitors;
  json["missing"] = report.missing;
  if (!report.in_part.empty()) json["in_part"] = report.in_part;
  Json& results = json[report.kind == BenchKind::kPacks ? "packs" : "results"];
  results = Json::array();
  for (const BenchResult& result : report.results) {
    results.push_back(result_json(report, rates, result));
  }
  return pretty(json);
}

}  // namespace tilewright
