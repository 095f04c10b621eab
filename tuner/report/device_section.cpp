#include <fmt/format.h>

#include <functional>
#include <set>

#include "profiles/profile.hpp"
#include "tuner/report/report_parts.hpp"

namespace tilewright {
namespace {

using Value = std::function<std::string(const ReportProfile&)>;

const char* const kNotMeasured = "not measured";

struct Row {
  const char* name;
  Value value;
};

std::string rate(double value, const char* unit) {
  return value > 0.0 ? fmt::format("{} {}", figure(value), unit) : kNotMeasured;
}

std::string time(double ns) {
  return ns > 0.0 ? time_text(ns) : kNotMeasured;
}

// Of products of the type whose results the report shows.
std::string peak_text(const Profile& profile) {
  const Precision precision = measured_precision(profile);
  const double peak = peak_of(profile.rates, precision);
  if (!(peak > 0.0)) return kNotMeasured;
  return fmt::format("{} GFLOPS of {}{}", figure(peak), elements_text(precision),
                     is_raised_peak(profile.rates, precision) ? ", a lower bound" : "");
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "; ") + word;
  return text;
}

// What the sessions of a tuning met: one that spans a change of driver is told as such.
std::string drivers(const ReportProfile& report) {
  std::set<std::string> all{report.profile.device.driver};
  if (report.journal) {
    for (const Session& session : report.journal->sessions) all.insert(session.driver);
  }
  all.erase("");
  return joined(all);
}

std::string governors(const ReportProfile& report) {
  if (!report.journal) return "not known: " + report.no_journal;
  std::set<std::string> all;
  for (const Session& session : report.journal->sessions) all.insert(session.governor);
  all.erase("");
  return all.empty() ? "cannot be read" : joined(all);
}

std::string tuning(const ReportProfile& report) {
  if (report.profile.kind != ProfileKind::kTuned) return "never measured on a device";
  std::string text = report.profile.provenance.complete ? "complete" : "stopped before its end";
  if (report.journal) {
    text += fmt::format(", {:.0f} s in {} session{}", report.journal->spent_s,
                        report.journal->sessions.size(),
                        report.journal->sessions.size() == 1 ? "" : "s");
  }
  return text;
}

const std::vector<Row>& rows() {
  using R = const ReportProfile&;
  static const std::vector<Row> all{
      {"profile", [](R r) { return std::string(to_text(r.profile.kind)); }},
      {"device", [](R r) { return r.profile.device.name; }},
      {"vendor", [](R r) { return r.profile.device.vendor; }},
      {"platform", [](R r) { return r.profile.device.platform; }},
      {"driver", drivers},
      {"OpenCL C", [](R r) { return r.profile.device.opencl_c_version; }},
      {"compute units", [](R r) { return std::to_string(r.profile.device.compute_units); }},
      {"clock, as the driver claims",
       [](R r) { return fmt::format("{} MHz", r.profile.device.max_clock_mhz); }},
      {"clock governor", governors},
      {"local memory",
       [](R r) {
         const DeviceLimits& limits = r.profile.device.limits;
         return fmt::format("{} bytes{}", limits.local_memory_bytes,
                            limits.local_memory_is_dedicated ? "" : ", not of its own");
       }},
      {"peak", [](R r) { return peak_text(r.profile); }},
      {"copy", [](R r) { return rate(r.profile.rates.copy_gbytes_per_s, "GB/s"); }},
      {"one more launch", [](R r) { return time(r.profile.rates.launch_ns); }},
      {"empty kernel, to its end", [](R r) { return time(r.profile.rates.round_trip_ns); }},
      {"made by",
       [](R r) { return fmt::format("tilewright {}", r.profile.provenance.tool_version); }},
      {"date", [](R r) { return r.profile.provenance.date; }},
      {"command", [](R r) { return r.profile.provenance.command_line; }},
      {"tuning", tuning},
      {"figures are", [](R r) { return r.profile.provenance.statistic; }}};
  return all;
}

}  // namespace

ReportSection device_section(const ReportInputs& inputs) {
  ReportSection section("device", "Device and conditions", "");
  std::vector<std::string> head{""};
  for (const ReportProfile& report : inputs.profiles) head.push_back(report.name);
  std::vector<std::vector<std::string>> table;
  for (const Row& row : rows()) {
    std::vector<std::string> cells{row.name};
    for (const ReportProfile& report : inputs.profiles) {
      const std::string value = row.value(report);
      cells.push_back(value.empty() ? "-" : value);
    }
    table.push_back(cells);
  }
  section.table("", head, table);
  return section;
}

}  // namespace tilewright
