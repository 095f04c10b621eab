#include "tuner/report/report_document.hpp"

#include <fmt/format.h>

#include "profiles/printable.hpp"
#include "profiles/version.hpp"
#include "tuner/report/report_parts.hpp"

namespace tilewright {
namespace {

std::string title_of(const ReportInputs& inputs) {
  std::string title;
  for (const ReportProfile& each : inputs.profiles) {
    const std::string& name =
        each.profile.kind == ProfileKind::kGeneric ? "any device" : each.profile.device.name;
    if (title.find(printable(name)) != title.npos) continue;
    title += fmt::format("{}{}", title.empty() ? "" : ", ", printable(name));
  }
  return "tilewright: " + title;
}

}  // namespace

Json report_document(const ReportInputs& inputs) {
  Json document{{"title", title_of(inputs)},
                {"made_by", fmt::format("tilewright {}", kVersion)},
                {"sections", Json::array()}};
  for (const auto section : {device_section, speed_section, comparison_section, portfolio_section,
                             progress_section, time_section, sensitivity_section, rivals_section,
                             nets_section, energy_section, failures_section, sources_section}) {
    ReportSection made = section(inputs);
    if (!made.empty()) document["sections"].push_back(std::move(made.json));
  }
  return document;
}

}  // namespace tilewright
