// What is a report's page made of? Files of page/ and vega/, embedded at build time.
#pragma once

#include <string_view>

namespace tilewright {

std::string_view page_html();
std::string_view page_css();
std::string_view page_js();
std::string_view plots_json();
std::string_view vega_embed_js();
std::string_view LICENSE();  // of vega-embed.js

}  // namespace tilewright
