#include "tuner/report/report_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "profiles/base/printable.hpp"
#include "profiles/base/read_file.hpp"
#include "profiles/hardware_name.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/journal/records/json_error.hpp"

namespace tilewright {
namespace {

// Returns the name of the file without its folder, which may be private.
std::string file_name(const std::string& path) {
  return printable(std::filesystem::path(path).filename().string());
}

void read_sibling_journal(const std::string& path, ReportProfile& report) {
  const std::string sibling = path + ".journal.jsonl";
  if (!holds_journal(sibling)) {
    report.no_journal = "there is no journal in its folder";
    return;
  }
  JournalContents contents = read_journal(sibling);
  if (hardware_name(contents.header.device.identity.name) !=
      hardware_name(report.profile.device.name)) {
    report.no_journal = "the journal in its folder is for another device";
    return;
  }
  report.journal = std::move(contents);
}

ReportProfile read_profile(const std::string& path, const std::vector<ReportProfile>& before) {
  ReportProfile report{file_name(path), load_profile(path), std::nullopt};
  const auto same = std::count_if(before.begin(), before.end(), [&](const ReportProfile& other) {
    return other.name == report.name || other.name.rfind(report.name + " (", 0) == 0;
  });
  if (same > 0) report.name += fmt::format(" ({})", same + 1);
  read_sibling_journal(path, report);
  return report;
}

ReportBench read_answer(const std::string& path) {
  const FileContent content = read_file(path);
  if (!content.failure.empty()) throw ReportError(fmt::format("{}: {}", path, content.failure));
  try {
    ReportBench bench{file_name(path), nlohmann::ordered_json::parse(content.bytes)};
    check_bench_answer(bench.answer);
    return bench;
  } catch (const ReportError& error) {
    throw ReportError(
        fmt::format("{}: is not output of `tilewright bench --json`: {}", path, error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw ReportError(fmt::format("{}: {}", path, json_error_text(error, content.bytes)));
  }
}

using Json = nlohmann::ordered_json;

// A value in the output of bench, with its complete key.
class Value {
 public:
  Value(const Json& json, std::string key) : json_(json), key_(std::move(key)) {}

  bool is_null() const { return json_.is_null(); }
  bool has(const char* key) const { return json_.contains(key); }

  Value at(const char* key) const {
    require(json_.is_object(), "an object");
    const std::string path = key_.empty() ? key : fmt::format("{}.{}", key_, key);
    const auto found = json_.find(key);
    if (found == json_.end()) throw ReportError(fmt::format("the key '{}' is missing", path));
    return {*found, path};
  }
  std::vector<Value> items() const {
    require(json_.is_array(), "a list");
    std::vector<Value> items;
    for (const Json& item : json_) {
      items.emplace_back(item, fmt::format("{}[{}]", key_, items.size()));
    }
    return items;
  }
  void require_numbers(const std::vector<const char*>& keys) const {
    for (const char* key : keys) at(key).require_number();
  }
  void require_number() const { require(json_.is_number(), "a number"); }
  std::string text() const {
    require(json_.is_string(), "a string");
    return json_.get<std::string>();
  }

 private:
  void require(bool is_right, const char* type) const {
    if (is_right) return;
    throw ReportError(key_.empty() ? fmt::format("must be {}, not {}", type, json_.type_name())
                                   : fmt::format("the key '{}' must be {}, not {}", key_, type,
                                                 json_.type_name()));
  }

  const Json& json_;
  std::string key_;
};

// Checks the product, batch or size of a result. Returns whether its figures must have rates.
struct AnswerKind {
  const char* name;
  std::vector<const char*> texts;
  std::vector<const char*> numbers;
  bool has_rates;
};
const AnswerKind kAnswerKinds[] = {{"products", {"op"}, {"m", "n", "k"}, true},
                                   {"points", {}, {"m", "n", "k"}, true},
                                   {"network", {}, {"batch"}, false}};

void check_figure(const Value& figure, bool has_rates) {
  figure.at("name").text();
  const bool is_floor = figure.at("kind").text() == "launch_floor";
  const Value us = figure.at("us");
  if (us.is_null()) return;  // not measured
  us.require_numbers({"median", "low", "high"});
  if (has_rates && !is_floor) figure.at("rate").require_numbers({"median", "low", "high"});
}

}  // namespace

ReportInputs read_report_inputs(const std::vector<std::string>& profiles,
                                const std::vector<std::string>& benches) {
  ReportInputs inputs;
  for (const std::string& path : profiles) {
    inputs.profiles.push_back(read_profile(path, inputs.profiles));
  }
  for (const std::string& path : benches) inputs.benches.push_back(read_answer(path));
  return inputs;
}

void check_bench_answer(const Json& json) {
  const Value answer(json, "");
  const std::string name = answer.at("kind").text();
  const auto* kind = std::find_if(std::begin(kAnswerKinds), std::end(kAnswerKinds),
                                  [&](const AnswerKind& known) { return known.name == name; });
  if (kind == std::end(kAnswerKinds)) {
    throw ReportError("the key 'kind' must be products, points or network");
  }
  answer.at("conditions").at("device").text();
  if (name == "network") answer.at("conditions").at("model").text();
  answer.at("competitors").items();
  answer.at("missing").items();
  for (const Value& result : answer.at("results").items()) {
    for (const char* key : kind->texts) result.at(key).text();
    result.require_numbers(kind->numbers);
    if (result.has("roofline_gflops")) result.require_numbers({"roofline_gflops"});
    for (const Value& figure : result.at("figures").items()) {
      check_figure(figure, kind->has_rates);
    }
  }
}

}  // namespace tilewright
