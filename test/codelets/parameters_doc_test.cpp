// docs/parameters.md tells the truth: its tables are compared with the code's.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "codelets/validity.hpp"

namespace tilewright {
namespace {

std::string page() {
  std::ifstream file(TILEWRIGHT_DOCS "/parameters.md");
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_CASE("docs/parameters.md names every parameter with all its values") {
  const std::string text = page();
  for (const Field& field : fields()) {
    std::vector<std::string_view> values;
    for (const FieldValue& value : field.values) values.push_back(value.text);
    const std::string row = fmt::format("| `{}` | {} |", field.name, fmt::join(values, " "));
    INFO(row);
    CHECK(text.find(row) != std::string::npos);
  }
}

TEST_CASE("docs/parameters.md gives every rule with its kind and reason") {
  const std::string text = page();
  for (const Rule& rule : rules()) {
    const std::string row = fmt::format("| `{}` | {} | {} |", rule.name,
                                        rule.structural ? "structural" : "device", rule.reason);
    INFO(row);
    CHECK(text.find(row) != std::string::npos);
  }
}

}  // namespace
}  // namespace tilewright
