#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tuner/bench/bench_report.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/measure/rates/roofline.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

Json summary_json(const Summary& summary, double scale = 1.0) {
  return {{"median", scale * summary.median},
          {"low", scale * summary.low},
          {"high", scale * summary.high}};
}

// Returns the ratios of a measured figure to other figures of its result.
void add_shares(Json& json, double peak_gflops, const BenchResult& result,
                const BenchFigure& figure) {
  switch (figure.kind) {
    case FigureKind::kCompetitor:
      if (const auto ratio = result.ratio(figure.name)) json["ratio"] = *ratio;
      return;
    case FigureKind::kOwn:
    case FigureKind::kPlan:
    case FigureKind::kStep:
      if (peak_gflops > 0.0 && figure.work > 0.0) {
        json["peak_share"] = figure.rate().median / peak_gflops;
      }
      return;
    case FigureKind::kKernel:
    case FigureKind::kLaunchFloor:
      return;
  }
}

Json figure_json(double peak_gflops, const BenchResult& result, const BenchFigure& figure) {
  Json json{{"kind", to_text(figure.kind)}, {"name", figure.name}};
  if (!figure.kernels.empty()) json["kernels"] = figure.kernels;
  if (figure.kind == FigureKind::kStep) {
    json["inputs"] = figure.inputs;
    json["outputs"] = figure.outputs;
  }
  if (figure.work > 0.0) json["work"] = figure.work;
  if (figure.predicted_ns > 0.0) json["predicted_us"] = 1e-3 * figure.predicted_ns;
  json["samples"] = figure.samples_ns.size();
  json["us"] = nullptr;
  if (!figure.is_measured()) return json;
  json["us"] = summary_json(figure.ns(), 1e-3);
  if (figure.work > 0.0) json["rate"] = summary_json(figure.rate());
  if (!figure.samples_j.empty()) {
    json["energy"] = {{"samples", figure.samples_j.size()},
                      {"watts", summary_json(figure.watts())},
                      {"joules", summary_json(figure.joules())},
                      {"gflops_per_watt", summary_json(figure.gflops_per_watt())}};
  }
  add_shares(json, peak_gflops, result, figure);
  if (figure.kind == FigureKind::kKernel) {
    for (const double ns : figure.samples_ns) json["samples_us"].push_back(1e-3 * ns);
  }
  return json;
}

// Writes the product, batch or size of a result.
Json subject_json(BenchKind kind, const BenchResult& result) {
  switch (kind) {
    case BenchKind::kProducts:
      return {{"op", to_text(result.op)},
              {"m", result.shape.m},
              {"n", result.shape.n},
              {"k", result.shape.k}};
    case BenchKind::kNetwork:
      return {{"batch", result.batch}, {"workspace_bytes", result.workspace_bytes}};
    case BenchKind::kPoints:
      break;
  }
  return {{"m", result.shape.m}, {"n", result.shape.n}, {"k", result.shape.k}};
}

Json result_json(const BenchReport& report, const DeviceRates& rates, const BenchResult& result) {
  Json json = subject_json(report.kind, result);
  if (const auto share = result.launch_share()) json["launch_share"] = *share;
  // The roofline does not count the operands of complex products.
  if (report.kind == BenchKind::kProducts && !report.complex) {
    const double roof = roofline_gflops(rates, result.shape, report.precision);
    if (roof > 0.0) json["roofline_gflops"] = roof;
  }
  const double peak_gflops = product_peak(rates, report.arithmetic());
  json["figures"] = Json::array();
  for (const BenchFigure& figure : result.figures) {
    json["figures"].push_back(figure_json(peak_gflops, result, figure));
  }
  if (!result.left_out.empty()) json["left_out"] = result.left_out;
  return json;
}

// The meaning of "us".
std::string timing(const BenchReport& report) {
  switch (report.kind) {
    case BenchKind::kProducts:
      return "wall time of one call to its finished C";
    case BenchKind::kNetwork:
      return "wall time of one forward to its finished output; of a step: device time of its "
             "commands";
    case BenchKind::kPoints:
      break;
  }
  return fmt::format("{} time of the kernel alone", report.device_time ? "device" : "wall");
}

// Omits rates that were not measured.
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

Json energy_json(const BenchEnergy& energy) {
  Json json{{"sensors", Json::array()}};
  for (const SensorInfo& sensor : energy.sensors) {
    json["sensors"].push_back({{"name", sensor.name},
                               {"covers", sensor.covers},
                               {"source", sensor.source},
                               {"measures", sensor.counts_energy ? "energy" : "power"}});
  }
  if (!energy.missing.empty()) json["missing"] = energy.missing;
  if (!energy.idle_w.empty()) json["idle_watts"] = summary_json(summarize(energy.idle_w));
  json["min_sample_s"] = energy.sample_s;
  return json;
}

Json conditions_json(const BenchReport& report, const DeviceRates& rates) {
  const BenchConditions& conditions = report.conditions;
  Json json{{"device", conditions.device}};
  if (!conditions.processor.empty()) json["processor"] = conditions.processor;
  json["platform"] = conditions.platform;
  json["driver"] = conditions.driver;
  json["tool_version"] = conditions.tool_version;
  json["date"] = conditions.date;
  json["command"] = conditions.command;
  json["environment"] = conditions.environment;
  if (report.kind == BenchKind::kNetwork || report.kind == BenchKind::kProducts) {
    json["precision"] = blas_letter(report.precision, report.complex);
  }
  if (report.kind == BenchKind::kNetwork) {
    json["model"] = report.model;
    json["widths"] = report.widths;
    if (!report.output.empty()) json["output"] = report.output;
    json["parameters"] = report.parameters;
  }
  if (report.kind != BenchKind::kPoints) {
    json["profile"] = report.profile;
    json["profile_digest"] = report.profile_digest;
    json["rates"] = rates_json(rates, report.arithmetic());
  }
  json["timing"] = timing(report);
  json["rate_unit"] = "GFLOPS";
  if (report.waits.waits > 0) {
    json["idle_waits"] = {{"samples", report.waits.waits},
                          {"longest_ms", 1e3 * report.waits.longest_s},
                          {"limit_ms", 1e3 * IdleWait::kLimit_s},
                          {"not_idle", report.waits.not_idle}};
  }
  if (report.energy.is_asked) json["energy"] = energy_json(report.energy);
  return json;
}

Json competitors_json(const BenchReport& report) {
  Json all = Json::array();
  for (const std::string& name : report.competitors) {
    Json json{{"name", name}};
    if (const auto found = report.details.find(name); found != report.details.end()) {
      json["details"] = found->second;
    }
    if (const auto found = report.not_here.find(name); found != report.not_here.end()) {
      json["missing"] = found->second;
    }
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace

std::string to_json(const BenchReport& report) {
  const DeviceRates rates = report.raised_rates();
  Json json{{"kind", to_text(report.kind)},
            {"conditions", conditions_json(report, rates)},
            {"competitors", competitors_json(report)},
            {"results", Json::array()},
            {"missing", report.missing}};
  for (const BenchResult& result : report.results) {
    json["results"].push_back(result_json(report, rates, result));
  }
  if (!report.in_part.empty()) json["in_part"] = report.in_part;
  return pretty(json);
}

}  // namespace tilewright
