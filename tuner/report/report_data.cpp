#include "tuner/report/report_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "profiles/version.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/measure/rates/roofline.hpp"
#include "tuner/report/plan_results.hpp"
#include "tuner/select/distribution.hpp"
#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

Json rates_json(const DeviceRates& rates, Precision precision) {
  return {{"peak_gflops", product_peak(rates, precision)},
          {"peak_is_raised", is_raised_peak(rates, precision)},
          {"copy_gbytes_per_s", rates.copy_gbytes_per_s},
          {"launch_ns", rates.launch_ns},
          {"round_trip_ns", rates.round_trip_ns}};
}

Json result_json(const PlanResult& result, const DeviceRates& rates, Precision precision) {
  const GemmShape& shape = result.product.shape;
  return {{"op", to_text(result.product.op)},
          {"m", shape.m},
          {"n", shape.n},
          {"k", shape.k},
          {"gflops", flops(shape) / result.ns},
          {"low_gflops", flops(shape) / result.high_ns},
          {"high_gflops", flops(shape) / result.low_ns},
          {"roofline_gflops", roofline_gflops(rates, shape, precision)},
          {"samples", result.samples},
          {"plan", result.plan},
          {"kernel", result.kernel.name}};
}

// Returns the point in the format of candidates in a journal; "" if it is from another version.
std::string point_text(const KernelRecord& kernel) {
  try {
    return parse_kernel(kernel.point).text();
  } catch (const std::invalid_argument&) {
    return "";
  }
}

// Returns the candidates by codelet and values, because texts of points omit default values.
Json outcome_json(const Outcome& outcome) {
  const ParameterPoint& point = outcome.kernel.point();
  Json json{{"kernel", outcome.kernel.text()},
            {"codelet", to_text(point_codelet(point))},
            {"values", Json::array()},
            {"task", outcome.task},
            {"is_from_search", is_from_search(outcome)},
            {"result", to_text(outcome.result)},
            {"reason", outcome.reason},
            {"took_s", outcome.took_s},
            {"at_s", outcome.at_s},
            {"ns", Json::object()}};
  for (const Field& field : fields(point_codelet(point)))
    json["values"].push_back(field.text(point));
  for (const ShapeSamples& samples : outcome.shapes) {
    if (!samples.ns.empty()) json["ns"][to_text(samples.shape)] = rounded(median_ns(samples));
  }
  return json;
}

// Keeps only the first build log of each class, because logs may be long.
Json outcomes_json(const std::vector<Outcome>& outcomes) {
  Json all = Json::array();
  std::set<OutcomeClass> logged;
  for (const Outcome& outcome : outcomes) {
    all.push_back(outcome_json(outcome));
    if (!outcome.build_log.empty() && logged.insert(outcome.result).second) {
      all.back()["build_log"] = outcome.build_log;
    }
  }
  return all;
}

// Returns the seconds per activity, as in the summary of the tuning.
Json spent_json(const JournalContents& contents) {
  Json all = Json::array();
  for (const auto& [what, seconds] : contents.spent.by_activity_s) {
    all.push_back({{"what", what}, {"seconds", seconds}});
  }
  return all;
}

Json journal_json(const JournalContents& contents) {
  Json json{{"ops", Json::array()},
            {"spent_s", contents.spent.all_s},
            {"spent_on", spent_json(contents)},
            {"sessions", Json::array()},
            {"outcomes", outcomes_json(with_reference_correction(contents.outcomes))},
            {"finalist_failures", Json::array()},
            {"portfolio", nullptr}};
  for (const Op op : contents.header.ops) json["ops"].push_back(to_text(op));
  for (const Session& session : contents.sessions) {
    json["sessions"].push_back({{"driver", session.driver}, {"governor", session.governor}});
  }
  for (const auto& [kernel, reason] : failed_finalists(contents)) {
    json["finalist_failures"].push_back({kernel.text(), reason});
  }
  if (can_choose(contents)) {
    const Portfolio portfolio = make_portfolio(contents, standings(contents), 0);
    json["portfolio"] = {{"built_in", portfolio.built_in}, {"curve", portfolio.curve}};
  }
  return json;
}

// False if the op was not tuned: then only built-in kernels were measured.
bool has_own_kernel(const Profile& profile, Op op) {
  return std::any_of(profile.results.begin(), profile.results.end(),
                     [&](const ShapeResult& result) {
                       const KernelRecord* kernel = find_kernel(profile, result.kernel);
                       return result.op == op && kernel != nullptr && !kernel->built_in;
                     });
}

Json profile_json(const ReportProfile& report, bool sources) {
  const Profile& profile = report.profile;
  const Precision precision = measured_precision(profile);
  Json json{{"name", report.name},
            {"kind", to_text(profile.kind)},
            {"device", nlohmann::json(profile.device)},
            {"provenance",
             {{"tool_version", profile.provenance.tool_version},
              {"date", profile.provenance.date},
              {"command_line", profile.provenance.command_line},
              {"complete", profile.provenance.complete},
              {"statistic", profile.provenance.statistic}}},
            {"rates", rates_json(profile.rates, precision)},
            {"elements", elements_text(precision)},
            {"element_bytes", bytes_per_element(precision)},
            {"validation", Json::array()},
            {"results", Json::array()},
            {"kernels", Json::object()},
            {"journal", nullptr},
            {"no_journal", report.no_journal}};
  for (const Validation& validation : profile.validations) {
    for (const std::string& line : validation_lines(validation)) {
      json["validation"].push_back(line);
    }
  }
  for (const PlanResult& result : plan_results(profile, precision)) {
    if (!has_own_kernel(profile, result.product.op)) continue;
    json["results"].push_back(result_json(result, profile.rates, precision));
    Json& kernel = json["kernels"][result.kernel.name];
    kernel["point"] = point_text(result.kernel);
    if (!sources) continue;
    kernel["build_options"] = result.kernel.build_options;
    kernel["source"] = result.kernel.source;
  }
  if (report.journal) json["journal"] = journal_json(*report.journal);
  return json;
}

Json codelets_json() {
  Json json = Json::object();
  for (const Codelet codelet : kCodelets) {
    Json& entry = json[std::string(to_text(codelet))];
    entry = {{"fields", Json::array()}, {"required", Json::array()}};
    for (const Field& field : fields(codelet)) {
      entry["fields"].push_back(field.name);
      if (field.required) entry["required"].push_back(field.name);
    }
  }
  return json;
}

constexpr std::string_view kPlace = "{{data}}";

// Writes JSON for use inside <script>. Only `<` could end the script, and in JSON it occurs only in
// strings, where it is escaped. The output is ASCII, so that Unicode line separators are escaped.
// Invalid UTF-8, which occurs in names of drivers and files, is replaced.
std::string script_text(const nlohmann::ordered_json& data) {
  const std::string json =
      data.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  for (const char c : json) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

nlohmann::ordered_json report_data(const ReportInputs& inputs) {
  Json data{{"made_by", fmt::format("tilewright {}", kVersion)},
            {"codelets", codelets_json()},
            {"profiles", Json::array()},
            {"benches", Json::array()}};
  for (const ReportProfile& report : inputs.profiles) {
    data["profiles"].push_back(profile_json(report, inputs.sources));
  }
  for (const ReportBench& bench : inputs.benches) {
    data["benches"].push_back({{"name", bench.name}, {"answer", bench.answer}});
  }
  return data;
}

std::string report_page(const nlohmann::ordered_json& data) {
  std::string page(report_template());
  return page.replace(page.find(kPlace), kPlace.size(), script_text(data));
}

}  // namespace tilewright
