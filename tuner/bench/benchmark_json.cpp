#include <nlohmann/json.hpp>

#include "tuner/bench/benchmark.hpp"
#include "tuner/rates/roofline.hpp"
#include "tuner/records/tuning_json.hpp"

namespace tilewright {
namespace {

nlohmann::ordered_json to_json(const Summary& summary) {
  return {{"median", summary.median}, {"low", summary.low}, {"high", summary.high}};
}

nlohmann::ordered_json in_us(const Summary& ns) {
  return to_json(Summary{1e-3 * ns.median, 1e-3 * ns.low, 1e-3 * ns.high, ns.samples});
}

nlohmann::ordered_json to_json(const BenchPlan& plan) {
  nlohmann::ordered_json predicted_us;  // null: never measured
  if (plan.predicted_ns) predicted_us = *plan.predicted_ns / 1e3;
  return {
      {"kernel", plan.kernels}, {"predicted_us", predicted_us}, {"gflops", to_json(plan.gflops)}};
}

nlohmann::ordered_json to_json(const BenchResult& result, const BenchReport& report,
                               const DeviceRates& rates) {
  nlohmann::ordered_json rivals = nlohmann::ordered_json::object();
  for (const auto& [name, summary] : result.rivals) {
    rivals[name] = to_json(summary);
    if (const auto ratio = result.ratio(name)) rivals[name]["ratio"] = *ratio;
  }
  nlohmann::ordered_json json{{"op", to_text(result.op)},
                              {"m", result.shape.m},
                              {"n", result.shape.n},
                              {"k", result.shape.k},
                              {"kernel", result.kernel},
                              {"gflops", to_json(result.gflops)},
                              {"samples", result.gflops.samples},
                              {"rivals", rivals},
                              {"launch_floor_us", in_us(result.launch_floor_ns)},
                              {"launch_share", result.launch_share()}};
  // Operands of complex numbers are not what the roofline counts.
  const double roof = report.complex ? 0.0 : roofline_gflops(rates, result.shape, report.precision);
  if (roof > 0.0) {
    json["roofline_gflops"] = roof;
  }
  for (const BenchPlan& plan : result.plans) json["plans"].push_back(to_json(plan));
  if (result.gflops.samples == 0) json["gflops"] = json["launch_share"] = nullptr;
  if (!result.left_out.empty()) json["left_out"] = result.left_out;
  return json;
}

}  // namespace

std::string to_json(const BenchReport& report) {
  nlohmann::ordered_json json = report.conditions;
  json["precision"] = blas_letter(report.precision, report.complex);
  json["profile"] = report.profile;
  json["profile_digest"] = report.profile_digest;
  DeviceRates rates = report.rates;
  for (const BenchResult& result : report.results) {
    raise_peak(rates, result.gflops.median, report.precision);
  }
  json["rates"] = rates_json(rates, report.precision);
  json["unit"] = "GFLOPS, wall time of one call to finished C";
  json["missing_rivals"] = report.missing_rivals;
  json["rival_details"] = report.rival_details;
  if (!report.crashes.empty()) json["crashes"] = report.crashes;
  json["results"] = nlohmann::ordered_json::array();
  for (const BenchResult& result : report.results) {
    json["results"].push_back(to_json(result, report, rates));
  }
  return pretty(json);
}

}  // namespace tilewright
