// Tests of single checks of the doctor, with artificial facts.
#include "tuner/doctor/checks.hpp"

#include <cstring>
#include <set>
#include <stdexcept>

#include "catch.hpp"

namespace tilewright {
namespace {

using Facts = std::map<std::string, std::string>;

TEST_CASE("doctor: conditions of checks") {
  const Evidence evidence{"clock", {{"governor", "powersave"}, {"ms", "399.5"}, {"empty", ""}}};
  CHECK(holds("", evidence));
  CHECK(holds("governor", evidence));
  CHECK(holds("governor=powersave !empty !unheard_of ms<400", evidence));
  CHECK(holds("!governor=performance !empty=powersave", evidence));
  CHECK_FALSE(holds("empty", evidence));
  CHECK_FALSE(holds("unheard_of", evidence));
  CHECK_FALSE(holds("!governor", evidence));
  CHECK_FALSE(holds("governor=power", evidence));
  CHECK_FALSE(holds("governor ms<399.5", evidence));
  CHECK_FALSE(holds("empty<1", evidence));
}

TEST_CASE("doctor: the first check that applies is used") {
  struct Case {
    const char* subject;
    Facts facts;
    FindingState state;
    const char* seen;
    const char* advice;
  };
  const std::string path = "/usr/lib/libmali.so";
  const Facts driver = {{"from", "a.icd"},      {"library", path}, {"path", path},
                        {"machine", "AArch64"}, {"driver", "yes"}, {"drop", "sudo rm 'a.icd'"}};
  const auto with = [&](Facts more) {
    more.insert(driver.begin(), driver.end());
    return more;
  };
  const Case cases[] = {
      {"watchdog",
       {{"who", "panfrost"}, {"ms", "399"}, {"half_ms", "199.5"}},
       FindingState::kNote,
       "panfrost aborts a dispatch after 399 ms",
       "tilewright tune --max-dispatch 199.5ms"},
      {"watchdog",
       {{"who", "panfrost"}, {"ms", "400"}},
       FindingState::kOk,
       "panfrost aborts a dispatch after 400 ms; tune keeps each dispatch below 200 ms",
       ""},
      {"memory",
       {{"free_mib", "399"}, {"total_mib", "2000"}},
       FindingState::kNote,
       "399 MiB of 2000 MiB are available",
       "end other programs (such as the desktop), or tune with smaller --shapes; the device uses "
       "the "
       "same memory"},
      {"memory",
       {{"free_mib", "400"}, {"total_mib", "2000"}},
       FindingState::kOk,
       "400 MiB of 2000 MiB are available",
       ""},
      {"icd", with({{"silent", "yes"}, {"devices", "yes"}}), FindingState::kNote,
       "a.icd names /usr/lib/libmali.so, which lists no device",
       "nothing to do if its device is not in this machine (sudo rm 'a.icd' removes the driver)"},
      {"icd", with({{"twin", "b.icd"}, {"silent", "yes"}}), FindingState::kNote,
       "a.icd names /usr/lib/libmali.so, like b.icd, so each of its devices is listed twice",
       "sudo rm 'a.icd'"},
      {"icd", with({}), FindingState::kOk, "a.icd names /usr/lib/libmali.so, built for AArch64",
       ""},
      {"node",
       {{"path", "/dev/dri/renderD128"}, {"driver", ""}},
       FindingState::kProblem,
       "the kernel lists a GPU, but /dev/dri/renderD128 does not exist",
       "udev or devtmpfs creates it; a container must be started with --device /dev/dri/renderD128"},
      {"clock",
       {{"folder", "/f"}, {"reading", "reads"}, {"governor", "userspace"}},
       FindingState::kOk,
       "reads",
       ""},
      {"clock",
       {{"folder", "/f"}, {"reading", "reads"}, {"governor", "ondemand"}},
       FindingState::kNote,
       "reads; the clock varies, so samples cannot be compared",
       "echo performance | sudo tee /f/governor"},
      {"profile",
       {{"device", "1"}, {"failure", "no such file"}},
       FindingState::kProblem,
       "device 1: no such file",
       "correct or remove that file, or unset TILEWRIGHT_PROFILE"},
  };
  for (const Case& c : cases) {
    INFO(c.seen);
    const std::optional<Finding> found = finding_from({c.subject, c.facts});
    REQUIRE(found);
    CHECK(*found == Finding{c.subject, c.state, c.seen, c.advice});
  }
}

TEST_CASE("doctor: evidence that no check applies to is not a finding") {
  CHECK_FALSE(finding_from({"pocl", {{"affinity", "1"}}}));
  CHECK_FALSE(finding_from({"firmware", {{"missing", ""}}}));
  CHECK_FALSE(finding_from({"cpu", {{"governors", ""}}}));
}

TEST_CASE("doctor: a misspelt subject or fact is an error, in evidence and in a check") {
  CHECK_THROWS_AS(finding_from({"unheard_of", {}}), std::invalid_argument);
  CHECK_THROWS_AS(finding_from({"pocl", {{"afinity", "1"}}}), std::invalid_argument);
  const auto unknown = [](const char* condition, const char* sentence, const char* remedy) {
    return unknown_fact({"watchdog", FindingState::kNote, condition, sentence, remedy});
  };
  CHECK(unknown("ms<400 !cycles who=kbase", "{who}", "{half_ms}").empty());
  CHECK(unknown("ms<400 !cycels", "{who}", "") == "cycels");
  CHECK(unknown("msec<400", "{who}", "") == "msec");
  CHECK(unknown("", "{who} and {whom}", "") == "whom");
  CHECK(unknown("", "", "{half}") == "half");
  CHECK(unknown_fact({"wachdog", FindingState::kOk, "ms", "", ""}) == "ms");
  for (const Check& check : all_checks()) CHECK(unknown_fact(check).empty());
}

TEST_CASE("doctor: braces in values are not replaced by facts") {
  const std::optional<Finding> found =
      finding_from({"opencl", {{"failure", "platform {0} {name} fails"}}});
  REQUIRE(found);
  CHECK(found->seen == "platform {0} {name} fails");
}

TEST_CASE("doctor: problems and notes have remedies, and every check is reachable") {
  std::set<std::string> always;  // subjects whose later checks can never apply
  for (const Check& check : all_checks()) {
    INFO(check.subject << ": " << check.sentence);
    CHECK((check.state == FindingState::kOk) == (std::strlen(check.remedy) == 0));
    // The pages are not installed.
    for (const std::string text : {check.sentence, check.remedy}) {
      CHECK((text.find("docs/") == text.npos || text.find("in the sources") != text.npos));
    }
    CHECK_FALSE(always.count(check.subject));
    if (std::strlen(check.condition) == 0) always.insert(check.subject);
  }
}

}  // namespace
}  // namespace tilewright
