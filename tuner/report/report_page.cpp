#include "tuner/report/report_page.hpp"

#include <map>
#include <stdexcept>
#include <string_view>

#include "tuner/records/tuning_json.hpp"
#include "tuner/report/page_parts.hpp"

namespace tilewright {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// JSON inside <script>: only a `<` could end it, and JSON has one in strings alone.
std::string in_script(std::string_view json) {
  std::string result;
  for (const char c : json) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string report_page(const nlohmann::ordered_json& document) {
  const std::map<std::string_view, std::string> parts{
      {"title", escaped(document.at("title").get<std::string>())},
      {"style", std::string(page_css())},
      {"document", in_script(pretty(document))},
      {"plots", in_script(plots_json())},
      {"library", std::string(vega_embed_js())},
      {"script", std::string(page_js())},
      {"licence", escaped(LICENSE())}};
  // Places look like {{title}}. What is put there is not looked at again.
  std::string page;
  std::string_view left = page_html();
  for (auto begin = left.find("{{"); begin != left.npos; begin = left.find("{{")) {
    const auto end = left.find("}}", begin);
    page += left.substr(0, begin);
    page += parts.at(left.substr(begin + 2, end - begin - 2));
    left.remove_prefix(end + 2);
  }
  return page += left;
}

}  // namespace tilewright
