#include "tuner/report/report_document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/printable.hpp"
#include "profiles/version.hpp"
#include "tuner/report/report_parts.hpp"

namespace tilewright {
namespace {

std::string title_of(const ReportInputs& inputs) {
  std::vector<std::string> names;  // each once; one may be the begin of another
  for (const ReportProfile& each : inputs.profiles) {
    const std::string name = printable(
        each.profile.kind == ProfileKind::kGeneric ? "any device" : each.profile.device.name);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return fmt::format("tilewright: {}", fmt::join(names, ", "));
}

}  // namespace

Json report_document(const ReportInputs& inputs) {
  Json document{{"title", title_of(inputs)},
                {"made_by", fmt::format("tilewright {}", kVersion)},
                {"sections", Json::array()}};
  document["sections"].push_back(verdict_section(inputs).json);
  for (const auto section : {device_section, speed_section, comparison_section, portfolio_section,
                             progress_section, time_section, sensitivity_section, rivals_section,
                             nets_section, failures_section, sources_section}) {
    ReportSection made = section(inputs);
    if (!made.empty()) document["sections"].push_back(std::move(made.json));
  }
  return document;
}

}  // namespace tilewright
