#include "tuner/replay/t4_export.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "codelets/point/parameter_point.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/slow_down.hpp"
#include "tuner/records/tuning_json.hpp"
#include "tuner/replay/replay.hpp"
#include "tuner/search/search_tasks.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNsPerMs = 1e6;
constexpr double kMsPerS = 1e3;

const char* invalidity(OutcomeClass result) {
  switch (result) {
    case OutcomeClass::kLimits:
      return "constraints";
    case OutcomeClass::kBuild:
    case OutcomeClass::kBuildCrash:
      return "compile";
    case OutcomeClass::kLaunch:
      return "runtime";
    case OutcomeClass::kHang:
      return "timeout";
    case OutcomeClass::kWrong:
      return "correctness";
    case OutcomeClass::kOk:
    case OutcomeClass::kSlow:  // it works, and has times unless no launch would be short enough
      break;
  }
  return "correct";
}

// Numbers as numbers.
Json configuration(const ParameterPoint& point) {
  Json json{{"codelet", to_text(codelet_of(point))}};
  for (const Field& field : fields(codelet_of(point))) {
    const std::string text = field.text(point);
    const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    json[std::string(field.name)] = number ? Json(std::stol(text)) : Json(text);
  }
  return json;
}

Json times(const Outcome& outcome) {
  Json runtimes = Json::array();
  double launched_ms = 0.0;
  for (const ShapeSamples& samples : outcome.shapes) {
    for (const double ns : samples.ns) {
      runtimes.push_back(ns / kNsPerMs);
      launched_ms += ns / kNsPerMs;
    }
  }
  return {{"framework", std::max(0.0, outcome.took_s * kMsPerS - launched_ms)},
          {"runtimes", std::move(runtimes)}};
}

Json measurement(const std::string& name, Json value, const char* unit) {
  return {{"name", name}, {"value", std::move(value)}, {"unit", unit}};
}

Json result(const Outcome& outcome, std::optional<double> cost) {
  const bool works = outcome.result == OutcomeClass::kOk || outcome.result == OutcomeClass::kSlow;
  const bool measured = works && cost;
  Json measurements = Json::array();
  if (measured) measurements.push_back(measurement("time", std::exp(*cost), "ns per flop"));
  for (const ShapeSamples& samples : outcome.shapes) {
    if (samples.ns.empty()) continue;
    const std::string name = "time of " + to_text(samples.shape);
    measurements.push_back(measurement(name, median_ns(samples) / kNsPerMs, "ms"));
  }
  measurements.push_back(measurement("space", outcome.phase, ""));
  return {{"configuration", configuration(outcome.kernel.point())},
          {"objectives", {"time"}},
          {"times", times(outcome)},
          {"invalidity", works && !measured ? "timeout" : invalidity(outcome.result)},
          {"correctness", works ? 1 : 0},
          {"measurements", std::move(measurements)}};
}

}  // namespace

std::string to_t4(const JournalContents& contents) {
  const DeviceRates rates = contents.rates.value_or(DeviceRates{});
  std::map<std::string, CostModel> costs;
  for (const SearchTask& task : search_tasks(tuning_of(contents), contents.header.device)) {
    costs.emplace(task.name, screening_costs(task.ops, task.shapes, rates, contents.outcomes,
                                             contents.header.b_prepacked));
  }
  Json results = Json::array();
  for (const Outcome& outcome : contents.outcomes) {
    const auto cost = costs.find(outcome.phase);
    if (cost != costs.end()) results.push_back(result(outcome, cost->second.cost(outcome)));
  }
  const Json json{{"schema_version", "1.0.0"},
                  {"metadata",
                   {{"timeunit", "milliseconds"},
                    {"tuner", "tilewright " + contents.header.tool_version},
                    {"device", contents.header.device.identity.name},
                    {"date", contents.header.date}}},
                  {"results", std::move(results)}};
  return pretty(json) + "\n";
}

}  // namespace tilewright
