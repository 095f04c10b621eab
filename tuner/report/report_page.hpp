// Creates the page of a report.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace tilewright {

// page/page.html with its style and scripts, and a placeholder for the data; embedded at build
// time.
std::string_view report_template();

// Returns a page that displays the data of report_data(): self-contained HTML that must not load
// anything (Content-Security-Policy).
std::string report_page(const nlohmann::ordered_json& data);

}  // namespace tilewright
