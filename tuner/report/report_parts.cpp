#include "tuner/report/report_parts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

ReportSection::ReportSection(const std::string& id, const std::string& title,
                             const std::string& text)
    : json{{"id", id},
           {"title", title},
           {"text", text},
           {"plots", Json::array()},
           {"tables", Json::array()},
           {"texts", Json::array()},
           {"missing", Json::array()}} {}

void ReportSection::plot(const std::string& name, const std::string& title, Json data,
                         const std::string& needed, std::size_t rows) {
  if (data.at(needed).empty()) return;
  Json plot{{"plot", name}, {"title", title}, {"data", std::move(data)}};
  if (rows > 0) plot["rows"] = rows;
  json["plots"].push_back(std::move(plot));
}

void ReportSection::table(const std::string& title, const std::vector<std::string>& head,
                          const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return;
  json["tables"].push_back({{"title", title}, {"head", head}, {"rows", rows}});
}

void ReportSection::text(const std::string& title, const std::string& text) {
  json["texts"].push_back({{"title", title}, {"text", text}});
}

void ReportSection::missing(const std::string& sentence) {
  json["missing"].push_back(sentence);
}

bool ReportSection::empty() const {
  return json["plots"].empty() && json["tables"].empty() && json["texts"].empty() &&
         json["missing"].empty();
}

double size_of(const GemmShape& shape) {
  return std::cbrt(static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                   static_cast<double>(shape.k));
}

std::string short_text(const GemmShape& shape) {
  const bool square = shape.m == shape.n && shape.n == shape.k;
  return square ? fmt::format("{}", shape.m) : to_text(shape);
}

void say_no_journal(ReportSection& section, const ReportProfile& report) {
  section.missing(fmt::format("{}: {}.", report.name, report.no_journal));
}

std::string figure(double value) {
  return std::abs(value) >= 999.5 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string time_text(double ns) {
  if (ns < 1e3) return figure(ns) + " ns";
  if (ns < 1e6) return figure(ns / 1e3) + " us";
  return ns < 1e9 ? figure(ns / 1e6) + " ms" : figure(ns / 1e9) + " s";
}

}  // namespace tilewright
