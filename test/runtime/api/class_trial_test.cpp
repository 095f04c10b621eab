// Which of two classes of built-in kernels is faster, on a device: asked once, and never when told
// so.
#include "runtime/api/class_trial.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "profiles/device_class.hpp"
#include "runtime/device/device_identity.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

ClassFacts two_classes() {
  ClassFacts facts;
  facts.kind = DeviceKind::kCpu;
  facts.native_vector_width = 4;
  facts.compute_units = 2;
  facts.max_clock_mhz = 2000;
  return facts;
}

struct Asked {
  std::vector<std::string> lines;
  ClassFacts facts;
};

Asked ask(const TestDevice& d, const ClassFacts& facts) {
  Asked asked;
  const Log log = [&](std::string_view line) { asked.lines.emplace_back(line); };
  asked.facts = timed_class_facts(d.context, d.device, facts, log);
  return asked;
}

TEST_CASE("the faster of two classes is timed once, and then known from the folder of binaries") {
  const TestDevice d;
  const TemporaryFolder folder;
  const ScopedVariable cache("TILEWRIGHT_CACHE", folder.path().c_str());
  const Asked first = ask(d, two_classes());
  REQUIRE(first.facts.timed.has_value());
  const std::vector<DeviceClass> likely = likely_classes(two_classes());
  CHECK(std::count(likely.begin(), likely.end(), *first.facts.timed) == 1);
  REQUIRE(first.lines.size() == 1);
  CHECK(first.lines[0].find(to_text(*first.facts.timed)) != std::string::npos);
  const Asked second = ask(d, two_classes());
  CHECK(second.facts == first.facts);
  CHECK(second.lines.empty());
  CHECK(class_of(second.facts) == first.facts.timed);
}

TEST_CASE("nothing is timed where facts tell the class, or TILEWRIGHT_TIMING is off") {
  const TestDevice d;
  const TemporaryFolder folder;
  const ScopedVariable cache("TILEWRIGHT_CACHE", folder.path().c_str());
  ClassFacts sure = two_classes();
  sure.native_vector_width = 8;
  CHECK(ask(d, sure).facts == sure);
  const ScopedVariable off("TILEWRIGHT_TIMING", "off");
  CHECK(ask(d, two_classes()).facts == two_classes());
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("without a folder for binaries it is timed again") {
  const TestDevice d;
  const ScopedVariable cache("TILEWRIGHT_CACHE", "off");
  CHECK(ask(d, two_classes()).facts.timed.has_value());
  CHECK(ask(d, two_classes()).lines.size() == 1);
}

}  // namespace
}  // namespace tilewright
