// docs/parameters.md tells the truth: its tables are those of the code.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "codelets/point/space_limits_fields.hpp"
#include "codelets/space/named_points.hpp"

namespace tilewright {
namespace {

constexpr const char* kPage = TILEWRIGHT_DOCS "/parameters.md";

std::string page() {
  std::ifstream file(kPage);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The text between <!-- table: name --> and <!-- end -->, which the table of the code must equal.
// With TILEWRIGHT_UPDATE_DOCS=1 the page is brought up to date instead.
void check_table(const std::string& name, const std::string& table) {
  std::string text = page();
  const std::string opening = fmt::format("<!-- table: {} -->\n", name);
  INFO("TILEWRIGHT_UPDATE_DOCS=1 brings the page up to date; " << opening);
  const std::size_t at = text.find(opening);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at + opening.size();
  const std::size_t end = text.find("<!-- end -->", begin);
  REQUIRE(end != std::string::npos);
  if (std::getenv("TILEWRIGHT_UPDATE_DOCS") != nullptr) {
    std::ofstream(kPage) << text.replace(begin, end - begin, table);
    return;
  }
  CHECK(text.substr(begin, end - begin) == table);
}

TEST_CASE("docs/parameters.md has every parameter with all its values") {
  for (const Codelet codelet : kCodelets) {
    std::string table = "| parameter | values | meaning |\n|---|---|---|\n";
    for (const Field& field : fields(codelet)) {
      table += fmt::format("| `{}` | {} | {}{} |\n", field.name, fmt::join(field.values, " "),
                           field.demanded ? "*demanded:* " : "", field.meaning);
    }
    check_table(fmt::format("parameters of {}", to_text(codelet)), table);
  }
}

TEST_CASE("docs/parameters.md has every rule with its kind and reason") {
  for (const Codelet codelet : kCodelets) {
    std::string table = "| rule | kind | reason |\n|---|---|---|\n";
    for (const Rule& rule : rules(codelet)) {
      table += fmt::format("| `{}` | {} | {} |\n", rule.name,
                           rule.structural ? "structural" : "device", rule.reason);
    }
    check_table(fmt::format("rules of {}", to_text(codelet)), table);
  }
}

TEST_CASE("docs/parameters.md has every named point with its source") {
  std::string table = "| name | point | source | remark |\n|---|---|---|---|\n";
  for (const NamedPoint& named : named_points()) {
    table += fmt::format("| `{}` | `{}` | {} | {} |\n", named.name, named.text, named.source,
                         named.remark);
  }
  check_table("named points", table);
}

TEST_CASE("docs/parameters.md names every limit of a limits file") {
  const SpaceLimits limits;
  const std::string text = page();
  visit_space_limits(limits, [&](const std::string& name, const auto&) {
    INFO(name);
    CHECK(text.find("\n" + name + " = ") != std::string::npos);
  });
}

}  // namespace
}  // namespace tilewright
