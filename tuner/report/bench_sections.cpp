#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "profiles/printable.hpp"
#include "tuner/records/json_error.hpp"
#include "tuner/records/shares.hpp"
#include "tuner/report/report_parts.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMostPoints = 8;

enum class Answer { kProducts, kPoints, kPacks, kNet, kNetRivals, kNone };

Answer kind_of(const Json& answer) {
  const auto has = [&](const char* key) { return answer.is_object() && answer.contains(key); };
  if (has("packs")) return Answer::kPacks;
  if (has("points")) return Answer::kPoints;
  if (has("tilewright") && has("results")) return Answer::kNetRivals;
  if (has("model") && has("results")) return Answer::kNet;
  return has("results") && has("device") ? Answer::kProducts : Answer::kNone;
}

// exec:path/cublas_rival -> cublas, old.toml -> old.
std::string rival_name(std::string name) {
  if (name.rfind("exec:", 0) == 0) name.erase(0, 5);
  name.erase(0, name.find_last_of('/') + 1);
  if (const auto dot = name.rfind('.'); dot != name.npos && dot > 0) name.resize(dot);
  const std::string ending = "_rival";
  if (name.size() > ending.size() && name.ends_with(ending)) {
    name.resize(name.size() - ending.size());
  }
  return name;
}

GemmShape shape_of(const Json& row) {
  return {row.at("m").get<std::int64_t>(), row.at("n").get<std::int64_t>(),
          row.at("k").get<std::int64_t>()};
}

// Median with its range, of somebody; nothing where nothing was measured.
void add_figure(const std::string& who, const GemmShape& shape, const Json& summary, Json& rows) {
  if (!summary.is_object()) return;
  rows.push_back({{"who", who},
                  {"shape", short_text(shape)},
                  {"size", size_of(shape)},
                  {"gflops", summary.at("median").get<double>()},
                  {"low", summary.at("low").get<double>()},
                  {"high", summary.at("high").get<double>()}});
}

std::string conditions_of(const Json& answer) {
  std::string text;
  for (const char* key :
       {"device", "platform", "driver", "date", "command", "profile", "profile_digest", "unit",
        "environment", "missing_rivals", "rival_details", "crashes"}) {
    if (!answer.contains(key) || answer.at(key).empty()) continue;
    const Json& value = answer.at(key);
    text +=
        fmt::format("{}: {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

struct OpRates {
  Json figures = Json::array();
  Json bounds = Json::array();
};

std::vector<std::string> ratio_row(const Json& row, const std::set<std::string>& rivals) {
  const GemmShape shape = shape_of(row);
  const Json& own = row.at("gflops");
  const double median = own.is_object() ? own.at("median").get<double>() : 0.0;
  std::vector<std::string> cells{row.at("op").get<std::string>(), short_text(shape),
                                 median > 0.0 ? figure(median) : "-"};
  for (const std::string& name : rivals) {
    const Json& all = row.at("rivals");
    const double other = all.contains(name) && all.at(name).is_object()
                             ? all.at(name).at("median").get<double>()
                             : 0;
    cells.push_back(other > 0.0 && median > 0.0
                        ? fmt::format("{} ({:.2f})", figure(other), median / other)
                        : "-");
  }
  return cells;
}

void add_products(const ReportBench& bench, ReportSection& section) {
  std::map<std::string, OpRates> by_op;
  std::set<std::string> rivals;
  for (const Json& row : bench.answer.at("results")) {
    const GemmShape shape = shape_of(row);
    OpRates& rates = by_op[row.at("op").get<std::string>()];
    add_figure("tilewright", shape, row.at("gflops"), rates.figures);
    for (const auto& [name, summary] : row.at("rivals").items()) {
      rivals.insert(name);
      add_figure(rival_name(name), shape, summary, rates.figures);
    }
    if (!row.contains("roofline_gflops")) continue;
    rates.bounds.push_back({{"bound", "roofline"},
                            {"size", size_of(shape)},
                            {"gflops", row.at("roofline_gflops").get<double>()}});
  }
  for (auto& [op, rates] : by_op) {
    section.plot("rivals", fmt::format("{}, {}: end to end", bench.name, op),
                 {{"figures", std::move(rates.figures)}, {"bounds", std::move(rates.bounds)}},
                 "figures");
  }
  std::vector<std::string> head{"op", "m x n x k", "tilewright"};
  for (const std::string& name : rivals) head.push_back(rival_name(name) + " (ratio)");
  std::vector<std::vector<std::string>> rows;
  for (const Json& row : bench.answer.at("results")) rows.push_back(ratio_row(row, rivals));
  section.table(bench.name + ": GFLOPS; ratio: tilewright's over the other's", head, rows);
  if (rivals.empty()) section.missing(bench.name + ": it has no rivals.");
}

// The names of the fastest few on the largest product: more cannot be told apart.
std::set<std::string> fastest_points(const Json& results) {
  const auto by_size = [](const Json& a, const Json& b) {
    return size_of(shape_of(a)) < size_of(shape_of(b));
  };
  std::multimap<double, std::string, std::greater<>> rates;
  const auto largest = std::max_element(results.begin(), results.end(), by_size);
  if (largest == results.end()) return {};
  for (const auto& [name, summary] : largest->at("gflops").items()) {
    if (summary.is_object()) rates.emplace(summary.at("median").get<double>(), name);
  }
  std::set<std::string> names;
  for (const auto& [rate, name] : rates) {
    if (names.size() < kMostPoints) names.insert(name);
  }
  return names;
}

void add_points(const ReportBench& bench, ReportSection& section) {
  const Json& results = bench.answer.at("results");
  const std::set<std::string> shown = fastest_points(results);
  Json figures = Json::array();
  for (const Json& row : results) {
    for (const auto& [name, summary] : row.at("gflops").items()) {
      if (shown.count(name) > 0) add_figure(name, shape_of(row), summary, figures);
    }
  }
  section.plot("rivals", bench.name + ": the fastest named points, device time",
               {{"figures", std::move(figures)}, {"bounds", Json::array()}}, "figures");
}

void add_packs(const ReportBench& bench, ReportSection& section) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& matrix : bench.answer.at("packs")) {
    for (const Json& row : matrix.at("kernels")) {
      const Json& rate = row.at("gbytes_per_s");
      rows.push_back({fmt::format("{}x{}", matrix.at("rows").get<std::int64_t>(),
                                  matrix.at("columns").get<std::int64_t>()),
                      row.at("kernel").get<std::string>(),
                      rate.is_object() ? figure(rate.at("median").get<double>()) : "-"});
    }
  }
  section.table(bench.name + ": packs", {"matrix", "kernel", "GB/s"}, rows);
}

// Microseconds of a forward pass; median, and least to greatest or 10th to 90th percentile.
void add_forward(const std::string& who, const Json& row, const Json& us, Json& rows) {
  const bool of_turns = us.contains("least");
  rows.push_back({{"who", who},
                  {"batch", row.at("batch").get<std::int64_t>()},
                  {"us", us.at("median").get<double>()},
                  {"low", us.at(of_turns ? "least" : "low").get<double>()},
                  {"high", us.at(of_turns ? "greatest" : "high").get<double>()}});
}

void add_net(const ReportBench& bench, Answer kind, ReportSection& section) {
  Json rows = Json::array();
  for (const Json& row : bench.answer.at("results")) {
    if (kind == Answer::kNetRivals) {
      for (const auto& [name, contender] : row.at("contenders").items()) {
        add_forward(name, row, contender.at("forward_us"), rows);
      }
      continue;
    }
    add_forward("tilewright", row, row.at("forward_us"), rows);
    for (const auto& [name, rival] : row.at("rivals").items()) {
      add_forward(rival_name(name), row, rival.at("forward_us"), rows);
    }
  }
  const Json& about = kind == Answer::kNetRivals ? bench.answer.at("tilewright") : bench.answer;
  section.plot("nets", fmt::format("{}: {}", bench.name, about.at("model").get<std::string>()),
               {{"forwards", std::move(rows)}}, "forwards");
  section.text(bench.name + ": conditions", conditions_of(about));
}

using Add = std::function<void(const ReportBench&, Answer, ReportSection&)>;

// Calls `add` for each answer of these kinds. True if there was one.
bool for_each_bench(const ReportInputs& inputs, const std::set<Answer>& kinds,
                    ReportSection& section, const Add& add) {
  bool any = false;
  for (const ReportBench& bench : inputs.benches) {
    const Answer kind = kind_of(bench.answer);
    if (kind == Answer::kNone) {
      throw ReportError(bench.name + ": is no answer of `tilewright bench --json`");
    }
    if (kinds.count(kind) == 0) continue;
    any = true;
    try {
      add(bench, kind, section);
    } catch (const nlohmann::json::exception& error) {
      throw ReportError(fmt::format("{}: is no answer of `tilewright bench --json`: {}", bench.name,
                                    json_error_text(error)));
    }
  }
  return any;
}

// tilewright against one competitor.
struct Duel {
  double log_sum = 0.0;  // of the ratios: tilewright's speed over the other's
  int products = 0;
  int slower = 0;
};

std::map<std::string, Duel> duels_of(const Json& results) {
  std::map<std::string, Duel> duels;
  for (const Json& row : results) {
    const Json& own = row.at("gflops");
    if (!own.is_object()) continue;
    for (const auto& [name, other] : row.at("rivals").items()) {
      if (!other.is_object()) continue;
      const double ratio = own.at("median").get<double>() / other.at("median").get<double>();
      if (!(ratio > 0.0) || std::isinf(ratio)) continue;
      Duel& duel = duels[name];
      duel.log_sum += std::log(ratio);
      ++duel.products;
      if (ratio < 1.0) ++duel.slower;
    }
  }
  return duels;
}

std::string sentence_of(const std::string& bench, const std::string& name, const Duel& duel) {
  return fmt::format(
      "{}: tilewright is {:.2f} x as fast as {} (geometric mean of {} products, end to end) and "
      "slower on {} of them. ",
      bench, std::exp(duel.log_sum / duel.products),
      name == "builtin" ? "its built-in kernels" : rival_name(name), duel.products, duel.slower);
}

std::string fastest_sentence(const ReportProfile& report) {
  const ShapeResult* fastest = nullptr;
  int products = 0;
  for (const ShapeResult* result : best_results(report.profile)) {
    if (result->samples == 0) continue;
    ++products;
    if (fastest == nullptr || result->gflops > fastest->gflops) fastest = result;
  }
  if (fastest == nullptr) return report.name + " holds no measured results. ";
  const double peak = peak_of(report.profile.rates, measured_precision(report.profile));
  const std::string percent = percent_of_peak(fastest->gflops, peak);
  return fmt::format("{} was tuned on {} products; its fastest kernel reaches {} GFLOPS{}. ",
                     report.name, products, figure(fastest->gflops),
                     percent == "-" ? "" : fmt::format(" ({} % of the peak)", percent));
}

}  // namespace

// How fast, against what a user would have otherwise, and on how many products slower.
ReportSection verdict_section(const ReportInputs& inputs) {
  ReportSection section("verdict", "Verdict", "");
  std::string text;
  for_each_bench(inputs, {Answer::kProducts}, section,
                 [&](const ReportBench& bench, Answer, ReportSection&) {
                   for (const auto& [name, duel] : duels_of(bench.answer.at("results"))) {
                     text += sentence_of(bench.name, name, duel);
                   }
                 });
  if (text.empty()) {
    text =
        "How fast tilewright is against what you would have otherwise is not measured here: give the "
        "page an answer of tilewright bench --rivals builtin --json (--bench FILE). ";
  }
  for (const ReportProfile& report : inputs.profiles) text += fastest_sentence(report);
  section.json["text"] = text;
  return section;
}

ReportSection rivals_section(const ReportInputs& inputs) {
  ReportSection section("rivals", "Beside other libraries",
                        "Answers of tilewright bench --json: medians, bars are the 10th to the "
                        "90th percentile, all in turns in one run.");
  const std::set<Answer> kinds{Answer::kProducts, Answer::kPoints, Answer::kPacks};
  const bool any = for_each_bench(
      inputs, kinds, section, [](const ReportBench& bench, Answer kind, ReportSection& into) {
        if (kind == Answer::kProducts) add_products(bench, into);
        if (kind == Answer::kPoints) add_points(bench, into);
        if (kind == Answer::kPacks) add_packs(bench, into);
        into.text(bench.name + ": conditions", conditions_of(bench.answer));
      });
  if (!any) section.missing("No answer of tilewright bench --json was given (--bench FILE).");
  return section;
}

ReportSection nets_section(const ReportInputs& inputs) {
  ReportSection section("nets", "Neural networks",
                        "Wall time of a forward pass; bars are the range of the turns, or the 10th "
                        "to the 90th percentile.");
  const bool any = for_each_bench(inputs, {Answer::kNet, Answer::kNetRivals}, section, add_net);
  if (!any) section.missing("No answer of tilewright mlp bench --json was given (--bench FILE).");
  return section;
}

}  // namespace tilewright
