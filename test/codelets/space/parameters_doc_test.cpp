// Tests that docs/parameters.md documents all parameters.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "codelets/point/parameter_point.hpp"
#include "codelets/point/space_limits_fields.hpp"

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

TEST_CASE("docs/parameters.md explains every parameter of products and packs") {
  const std::string text = page();
  for (const Codelet codelet : {Codelet::kGemm, Codelet::kGemv, Codelet::kPack}) {
    for (const Field& field : fields(codelet)) {
      INFO(to_text(codelet) << " " << field.name);
      CHECK((text.find(fmt::format("`{}`", field.name)) != std::string::npos ||
             text.find(fmt::format("`{}=", field.name)) != std::string::npos));
    }
  }
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
