#include <nlohmann/json.hpp>

#include "tuner/networks/net_bench.hpp"
#include "tuner/records/tuning_json.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

Json in_us(const Summary& ns) {
  return {{"median", 1e-3 * ns.median}, {"low", 1e-3 * ns.low}, {"high", 1e-3 * ns.high}};
}

// Shares only of a peak that is known.
void add_rate(Json& json, double gflops, double peak_gflops) {
  json["gflops"] = gflops;
  if (peak_gflops > 0.0) json["peak_share"] = gflops / peak_gflops;
}

Json json_of(const NetStepResult& result, double peak_gflops) {
  const MlpStep& step = result.step;
  Json json{{"step", step.name},       {"kernels", step.kernels}, {"inputs", step.inputs},
            {"outputs", step.outputs}, {"flops", step.flops},     {"device_us", nullptr},
            {"predicted_us", nullptr}};
  if (result.device_ns) json["device_us"] = in_us(*result.device_ns);
  if (step.predicted_ns) json["predicted_us"] = 1e-3 * *step.predicted_ns;
  if (result.gflops() > 0.0) add_rate(json, result.gflops(), peak_gflops);
  return json;
}

Json json_of(const NetResult& result, double peak_gflops) {
  Json json{{"batch", result.batch},
            {"flops", result.flops},
            {"forward_us", in_us(result.forward_ns)},
            {"samples", result.forward_ns.samples}};
  add_rate(json, result.gflops(), peak_gflops);
  json["rivals"] = Json::object();
  for (const auto& [name, ns] : result.rivals) {
    json["rivals"][name] = {{"forward_us", in_us(ns)}, {"ratio", result.ratio(name)}};
  }
  json["launch_floor_us"] = in_us(result.launch_floor_ns);
  json["launch_share"] = result.launch_share();
  json["workspace_bytes"] = result.workspace_bytes;
  json["steps"] = Json::array();
  for (const NetStepResult& step : result.steps)
    json["steps"].push_back(json_of(step, peak_gflops));
  return json;
}

}  // namespace

std::string to_json(const NetBenchReport& report) {
  Json json = report.conditions;
  json["model"] = report.model_name;
  json["precision"] = to_text(report.precision);
  json["widths"] = widths_text(report.facts);
  json["parameters"] = report.facts.parameters;
  json["profile"] = report.profile;
  json["profile_digest"] = report.profile_digest;
  // No kernel with sums in halfs serves a net.
  const Precision sums = sums_of(report.precision);
  json["rates"] = rates_json(report.rates, sums);
  json["unit"] =
      "us: forward_us, wall time of one forward to its finished output; device_us, of a step's "
      "commands";
  json["missing_rivals"] = report.missing_rivals;
  json["rival_details"] = report.rival_details;
  json["results"] = Json::array();
  for (const NetResult& result : report.results) {
    json["results"].push_back(json_of(result, peak_of(report.rates, sums)));
  }
  return pretty(json);
}

}  // namespace tilewright
