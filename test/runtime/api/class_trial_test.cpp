// Which of two classes of built-in kernels is faster, on a device: asked once, and never when told
// so.
#include "runtime/api/class_trial.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "runtime/device/device_identity.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

constexpr DeviceClass kLikelier = DeviceClass::kGpu;
constexpr DeviceClass kOther = DeviceClass::kCpu8;

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

Asked ask(const TestDevice& d, const ClassFacts& facts, ProfileKind kind = ProfileKind::kGeneric) {
  Asked asked;
  const Log log = [&](std::string_view line) { asked.lines.emplace_back(line); };
  asked.facts = serving_class_facts(d.context, d.device, facts, kind, log);
  return asked;
}

// The environment of these tests: a folder for binaries, and timing as by default.
struct Environment {
  TemporaryFolder folder;
  ScopedVariable cache{"TILEWRIGHT_CACHE", folder.path().c_str()};
  ScopedVariable timing{"TILEWRIGHT_TIMING", nullptr};
};

TEST_CASE("of timed classes the likeliest wins, unless another is clearly faster") {
  CHECK(faster_class({{kLikelier, 10.0}, {kOther, 9.5}}) == kLikelier);
  CHECK(faster_class({{kLikelier, 10.0}, {kOther, 8.9}}) == kOther);
  CHECK(faster_class({{kLikelier, 10.0}, {kOther, 90.0}}) == kLikelier);
  CHECK(faster_class({{kLikelier, {}}, {kOther, 90.0}}) == kOther);
  CHECK(faster_class({{kLikelier, 10.0}, {kOther, {}}}) == kLikelier);
  CHECK(faster_class({{kLikelier, {}}, {kOther, {}}}) == std::nullopt);
}

TEST_CASE("two likely classes are timed once, and the answer is kept") {
  const TestDevice d;
  const Environment environment;
  const Asked first = ask(d, two_classes());
  REQUIRE(first.facts.timed.has_value());
  CHECK((first.facts.timed == kLikelier || first.facts.timed == kOther));
  REQUIRE(first.lines.size() == 1);
  CHECK(first.lines[0].find(to_text(*first.facts.timed)) != std::string::npos);
  // What is kept is believed, whatever it is.
  const BinaryKey key = class_trial_key(d.device, likely_classes(two_classes()));
  for (const DeviceClass kept : {kLikelier, kOther}) {
    BinaryCache(environment.folder.path()).store(key, to_text(kept));
    const Asked again = ask(d, two_classes());
    CHECK(again.facts.timed == kept);
    CHECK(class_of(again.facts) == kept);
    CHECK(again.lines.empty());
  }
  // What is no class is not.
  BinaryCache(environment.folder.path()).store(key, "abacus");
  CHECK(ask(d, two_classes()).lines.size() == 1);
}

TEST_CASE("nothing is timed where there is a tuned profile, one class, or TILEWRIGHT_TIMING=off") {
  const TestDevice d;
  const Environment environment;
  CHECK(ask(d, two_classes(), ProfileKind::kTuned).facts == two_classes());
  ClassFacts sure = two_classes();
  sure.native_vector_width = 8;
  CHECK(ask(d, sure).facts == sure);
  const ScopedVariable off("TILEWRIGHT_TIMING", "off");
  CHECK(ask(d, two_classes()).facts == two_classes());
  CHECK(std::filesystem::is_empty(environment.folder.path()));
}

TEST_CASE("without a folder for binaries classes are timed again") {
  const TestDevice d;
  const Environment environment;
  const ScopedVariable cache("TILEWRIGHT_CACHE", "off");
  CHECK(ask(d, two_classes()).facts.timed.has_value());
  CHECK(ask(d, two_classes()).lines.size() == 1);
}

}  // namespace
}  // namespace tilewright
