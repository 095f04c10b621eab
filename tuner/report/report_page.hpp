// How does a report's data become a page?
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace tilewright {

// page/page.html with its style and scripts in it, and a place for the data; embedded at build
// time.
std::string_view report_template();

// The page that draws the data of report_data(): HTML that needs nothing else, and that may load
// nothing (Content-Security-Policy).
std::string report_page(const nlohmann::ordered_json& data);

}  // namespace tilewright
