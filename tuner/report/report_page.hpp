// How does a report's document become a page?
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tilewright {

// HTML that needs nothing else: style, script and the library that draws are in it, and it may load
// nothing (Content-Security-Policy).
std::string report_page(const nlohmann::ordered_json& document);

}  // namespace tilewright
