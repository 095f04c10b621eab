#include "tuner/report/report_page.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kPlace = "{{data}}";

// JSON inside <script>: only a `<` could end it, and JSON has one in strings alone. ASCII, so that
// line separators of Unicode are escaped; bytes that are not UTF-8, as drivers and file names may
// have them, are replaced.
std::string script_text(const nlohmann::ordered_json& data) {
  const std::string json =
      data.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
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

std::string report_page(const nlohmann::ordered_json& data) {
  std::string page(report_template());
  return page.replace(page.find(kPlace), kPlace.size(), script_text(data));
}

}  // namespace tilewright
