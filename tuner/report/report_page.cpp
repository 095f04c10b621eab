#include "tuner/report/report_page.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kPlace = "{{data}}";

// Writes JSON for use inside <script>. Only `<` could end the script, and in JSON it occurs only in
// strings, where it is escaped. The output is ASCII, so that Unicode line separators are escaped.
// Invalid UTF-8, which occurs in names of drivers and files, is replaced.
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
