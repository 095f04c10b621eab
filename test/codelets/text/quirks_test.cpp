// Quirks of drivers stand in one table.
#include "codelets/text/quirks.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "catch.hpp"

namespace tilewright {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The rooms that write kernels or expect something of them. What starting points were measured with
// is no quirk.
const char* const kRooms[] = {"gemm", "gemv", "layer", "model", "pack", "point", "text"};

TEST_CASE("every quirk is whole, has a name of its own, and is asked for by it") {
  std::string sources;
  for (const char* room : kRooms) {
    for (const auto& file :
         std::filesystem::directory_iterator(std::string(TILEWRIGHT_CODELETS "/") + room)) {
      if (file.path().filename() != "quirks.hpp") sources += text_of(file.path());
    }
  }
  std::set<std::string> names;
  for (const Quirk& quirk : kQuirks) {
    INFO(std::string(quirk.name));
    CHECK(names.insert(std::string(quirk.name)).second);
    CHECK(quirk.driver.find_first_of("0123456789") != std::string_view::npos);
    CHECK_FALSE(quirk.fault.empty());
    CHECK_FALSE(quirk.remedy.empty());
    CHECK(sources.find("quirks::" + std::string(quirk.name) + ".figure") != std::string::npos);
  }
  // Those that every kernel minds are named where it does.
  const std::string header = text_of(TILEWRIGHT_CODELETS "/text/quirks.hpp");
  for (std::size_t at = 0; (at = header.find("// - k", at)) != std::string::npos;) {
    at += 5;
    const std::string name = header.substr(at, header.find(':', at) - at);
    INFO(name);
    CHECK(names.insert(name).second);
    CHECK(sources.find(name) != std::string::npos);
  }
  CHECK(names.size() > std::size(kQuirks));
  // Nobody tells the story again.
  CHECK(sources.find("PoCL") == std::string::npos);
  CHECK(sources.find("Mesa") == std::string::npos);
}

}  // namespace
}  // namespace tilewright
