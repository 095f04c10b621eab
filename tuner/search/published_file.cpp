// Files of published spaces, read.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tuner/records/tuning_json.hpp"
#include "tuner/search/published_space.hpp"

namespace tilewright {
namespace {

using nlohmann::json;

constexpr double kMsPerS = 1e3;

// A point as a file has it.
struct Row {
  std::map<std::string, json> configuration;
  PublishedOutcome outcome;
};

// Seconds that a unit of T4's metadata has.
double seconds_of(const std::string& unit) {
  if (unit == "seconds" || unit == "s") return 1.0;
  // The hub's files are spelt like the second.
  if (unit == "milliseconds" || unit == "miliseconds" || unit == "ms") return 1e-3;
  if (unit == "microseconds" || unit == "us") return 1e-6;
  if (unit == "nanoseconds" || unit == "ns") return 1e-9;
  throw JsonError(fmt::format("metadata: timeunit: '{}' is no unit of time", unit));
}

// What is no positive number is no time: failures have words there.
std::optional<double> time_of(const json& value) {
  if (!value.is_number() || value.get<double>() <= 0.0) return std::nullopt;
  return value.get<double>();
}

// The sum of numbers, also in lists; what is no number does not count.
double sum_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  double sum = 0.0;
  if (value.is_array()) {
    for (const json& item : value) {
      if (item.is_number()) sum += item.get<double>();
    }
  }
  return sum;
}

std::optional<double> objective_of(const json& result) {
  if (result.at("invalidity") != "correct") return std::nullopt;
  const json objectives = result.value("objectives", json::array());
  const json objective = objectives.empty() ? json("time") : objectives.front();
  for (const json& measurement : result.value("measurements", json::array())) {
    if (measurement.at("name") == objective) return time_of(measurement.at("value"));
  }
  return std::nullopt;
}

// What a message calls a row. From 0, as points are numbered.
std::string name_of_row(std::size_t number) {
  return fmt::format("result {}", number);
}

// What `read` makes of each result; its errors name the row.
template <class Read>
std::vector<Row> rows_of(const json& results, const Read& read) {
  std::vector<Row> rows;
  for (const json& result : results) {
    try {
      rows.push_back(read(result));
    } catch (const json::exception& error) {
      throw JsonError(fmt::format("{}: {}", name_of_row(rows.size()), error.what()));
    }
  }
  return rows;
}

std::vector<Row> rows_of_t4(const json& file) {
  const json metadata = file.value("metadata", json::object());
  const double unit_s = seconds_of(metadata.value("timeunit", "seconds"));
  return rows_of(file.at("results"), [&](const json& result) {
    Row row{result.at("configuration"), {objective_of(result), 0.0}};
    for (const auto& [name, value] : result.at("times").items()) {
      // Kernel Tuner writes both: the launches alone, and all of measuring.
      if (name == "runtimes" && result["times"].contains("benchmark")) continue;
      row.outcome.took_s += sum_of(value) * unit_s;
    }
    return row;
  });
}

std::vector<Row> rows_of_cache(const json& file) {
  const std::string objective = file.value("objective", "time");
  const auto names = file.at("tune_params_keys").get<std::vector<std::string>>();
  return rows_of(file.at("cache"), [&](const json& result) {
    Row row;
    for (const std::string& name : names) row.configuration[name] = result.at(name);
    row.outcome.time = time_of(result.value(objective, json()));
    for (const char* part : {"compile_time", "verification_time", "benchmark_time",
                             "framework_time", "strategy_time"}) {
      row.outcome.took_s += sum_of(result.value(part, json())) / kMsPerS;
    }
    return row;
  });
}

using Parameter = PublishedSpace::Parameter;

// Numbers by size before words by spelling; null where a point has no such parameter.
Parameter parameter_of(const std::string& name, const std::set<json>& values) {
  Parameter parameter{name, {}, true};
  for (const json& value : values) {
    parameter.values.push_back(value.dump());
    parameter.scale = parameter.scale && value.is_number() && value.get<double>() != 0.0;
  }
  return parameter;
}

PublishedSpace space_of(const std::vector<Row>& rows) {
  std::map<std::string, std::set<json>> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [name, value] : rows[i].configuration) {
      if (value.is_structured()) {
        throw JsonError(
            fmt::format("{}: configuration: {}: must be a number or a word", name_of_row(i), name));
      }
      values[name];
    }
  }
  const auto value_of = [](const Row& row, const std::string& name) {
    const auto found = row.configuration.find(name);
    return found == row.configuration.end() ? json() : found->second;
  };
  for (const Row& row : rows) {
    for (auto& [name, all] : values) all.insert(value_of(row, name));
  }
  std::erase_if(values, [](const auto& one) { return one.second.size() < 2; });
  std::vector<Parameter> parameters;
  for (const auto& [name, all] : values) parameters.push_back(parameter_of(name, all));
  std::vector<PublishedPoint> points;
  std::vector<PublishedOutcome> outcomes;
  for (const Row& row : rows) {
    PublishedPoint point;
    for (const auto& [name, all] : values) {
      const auto place = all.find(value_of(row, name));
      point.push_back(static_cast<std::size_t>(std::distance(all.begin(), place)));
    }
    points.push_back(std::move(point));
    outcomes.push_back(row.outcome);
  }
  return {std::move(parameters), std::move(points), std::move(outcomes)};
}

}  // namespace

bool looks_published(std::string_view text) {
  constexpr std::size_t kBegin = 4096;
  const std::string_view begin = text.substr(0, kBegin);
  const bool t4 = begin.find("\"results\"") != std::string_view::npos ||
                  begin.find("\"schema_version\"") != std::string_view::npos;
  return t4 || begin.find("\"tune_params_keys\"") != std::string_view::npos;
}

PublishedSpace read_published_space(std::string_view text) {
  try {
    const json file = json::parse(text);
    PublishedSpace space =
        space_of(file.contains("cache") ? rows_of_cache(file) : rows_of_t4(file));
    if (space.outcomes().empty()) throw JsonError("no points");
    return space;
  } catch (const json::exception& error) {
    throw JsonError(error.what());
  }
}

}  // namespace tilewright
