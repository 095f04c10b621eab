#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiles/printable.hpp"
#include "tuner/bench/point_bench.hpp"
#include "tuner/records/tuning_json.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kPointsSideBySide = 5;

std::string figure(const std::optional<Summary>& gflops) {
  if (!gflops) return "-";
  return fmt::format("{:.1f} ({:.1f}-{:.1f})", gflops->median, gflops->low, gflops->high);
}

}  // namespace

std::string to_table(const PointBenchReport& report) {
  std::string text;
  for (std::size_t first = 0; first < report.points.size(); first += kPointsSideBySide) {
    const std::size_t last = std::min(first + kPointsSideBySide, report.points.size());
    text += fmt::format("{:<17}", "m x n x k");
    for (std::size_t p = first; p < last; ++p) text += fmt::format("{:>27}", report.points[p]);
    for (const PointBenchRow& row : report.rows) {
      text += fmt::format("\n{:<17}", to_text(row.shape));
      for (std::size_t p = first; p < last; ++p) {
        text += fmt::format("{:>27}", figure(row.gflops[p]));
      }
    }
    text += "\n\n";
  }
  for (const auto* lines : {&report.missing, &report.in_part}) {
    for (const std::string& line : *lines) text += fmt::format("- {}\n", printable(line));
  }
  return text;
}

std::string to_json(const PointBenchReport& report) {
  nlohmann::ordered_json json = report.conditions;
  json["unit"] = fmt::format("GFLOPS, {} of the kernel alone", report.timer);
  json["points"] = report.points;
  json["missing"] = report.missing;
  json["in_part"] = report.in_part;
  json["results"] = nlohmann::ordered_json::array();
  for (const PointBenchRow& row : report.rows) {
    nlohmann::ordered_json gflops = nlohmann::ordered_json::object();
    for (std::size_t p = 0; p < report.points.size(); ++p) {
      const std::optional<Summary>& s = row.gflops[p];
      gflops[report.points[p]] = nullptr;
      if (!s) continue;
      gflops[report.points[p]] = {{"median", s->median},
                                  {"low", s->low},
                                  {"high", s->high},
                                  {"samples", s->samples},
                                  {"rounds", row.rounds_gflops[p]}};
    }
    json["results"].push_back(
        {{"m", row.shape.m}, {"n", row.shape.n}, {"k", row.shape.k}, {"gflops", gflops}});
  }
  return pretty(json);
}

}  // namespace tilewright
