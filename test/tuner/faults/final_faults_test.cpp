// Tests finals with kernels that fail only there, and tunings with pack kernels that fail.
#include <set>

#include "catch.hpp"
#include "codelets/point/parameter_point.hpp"
#include "fault_run.hpp"
#include "first_plans.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"
#include "small_tuning.hpp"
#include "tuner/tuning/stages/final_stage.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// No candidate is tried on the second shape, which occurs only in the finals. No launch on another
// shape or for verification has as many work-items.
constexpr const char* kShapes = "32x32x64,256x256x16,64x128x160,128x128x160";
constexpr const char* kOnlyInFinals = "&items>1500";
constexpr const char* kOnlyTimed = "&items>20000";  // for pack kernels: not when they are verified

SmallTuning tuning(const std::string& name) {
  SmallTuning tuning;
  tuning.name = name;
  tuning.shapes = kShapes;
  tuning.few_points = true;
  return tuning;
}

JournalContents run(const SmallTuning& tuning, const std::string& poison) {
  const Faults faults(kModelTimes + poison);
  const ProgramResult result = run_program(tuning.command_line());
  INFO(poison << result.error);
  REQUIRE(result.exit_code == 0);
  JournalContents contents = read_journal(tuning.journal());
  REQUIRE(contents.complete);
  REQUIRE(contents.lineup);
  check_first_plans(contents, load_profile(tuning.profile()));
  return contents;
}

// The tuning without faults, which is run only once for all tests.
const JournalContents& clean_tuning() {
  static const JournalContents contents = run(tuning("clean"), "");
  return contents;
}

std::string display_name(const KernelId& kernel) {
  return kernel_name(kernel.point());
}

// Returns finalists that win nowhere.
std::vector<std::string> losers() {
  const std::vector<KernelId>& finalists = clean_tuning().lineup->finalists;
  std::set<std::string> needed;
  for (const auto& [shape, name] : winners(tuning("clean").profile())) needed.insert(name);
  std::vector<std::string> losers;
  for (const KernelId& finalist : finalists) {
    const std::string name = display_name(finalist);
    if (needed.count(name) == 0) losers.push_back(name);
  }
  return losers;
}

// Returns the kernels that dropped out of the finals, with reasons.
std::map<std::string, std::string> dropouts(const JournalContents& contents) {
  std::map<std::string, std::string> dropouts;
  for (const auto& [finalist, reason] : contents.finalist_failures) {
    dropouts[display_name(contents.lineup->finalists[finalist])] = reason;
  }
  return dropouts;
}

std::set<std::string> kernels(const std::string& profile_path) {
  std::set<std::string> names;
  for (const KernelRecord& kernel : load_profile(profile_path).kernels) names.insert(kernel.name);
  return names;
}

TEST_CASE("finalists that crash or hang only in the finals drop out, and the others continue") {
  const std::vector<std::string> spare = losers();
  REQUIRE(spare.size() >= 2);
  const std::string& crashes = spare[0];
  const std::string& hangs = spare[1];
  SmallTuning ours = tuning("finalists");
  ours.deadline = deadline_after(clean_tuning());
  const JournalContents contents = run(ours, "launch_crash entry=" + crashes + kOnlyInFinals +
                                                 "\nlaunch_hang entry=" + hangs + kOnlyInFinals);
  for (const Outcome& outcome : contents.outcomes) {
    INFO(outcome.kernel.text() << ": " << outcome.reason);
    CHECK((outcome.result == OutcomeClass::kOk || outcome.result == OutcomeClass::kSlow));
  }
  const auto failed = dropouts(contents);
  REQUIRE(failed.size() == 2);
  REQUIRE(failed.count(crashes) == 1);
  REQUIRE(failed.count(hangs) == 1);
  CHECK_THAT(failed.at(crashes), ContainsSubstring("SIGSEGV"));
  CHECK_THAT(failed.at(hangs), ContainsSubstring("silent for"));
  CHECK(winners(ours.profile()) == winners(tuning("clean").profile()));
  CHECK(kernels(ours.profile()).count(crashes) == 0);
  CHECK(kernels(ours.profile()).count(hangs) == 0);
}

TEST_CASE("the best kernel may crash in the finals", "[full]") {
  const std::size_t shapes = clean_tuning().header.shapes.size();
  const std::string culprit = winners(tuning("clean").profile()).at("256x256x16");
  const SmallTuning ours = tuning("best");
  const JournalContents contents = run(ours, "launch_crash entry=" + culprit + kOnlyInFinals);
  CHECK(dropouts(contents).count(culprit) == 1);
  const auto best = winners(ours.profile());
  CHECK(best.size() == shapes);
  REQUIRE(best.count("256x256x16") == 1);
  CHECK(best.at("256x256x16") != culprit);
}

TEST_CASE("pack kernels that crash or hang while they are timed are not tried again", "[full]") {
  // The first two that are tried on every machine.
  const std::string crashes = display_name(parse_kernel("pack"));
  const std::string hangs =
      display_name(parse_kernel("pack tile_m=4 tile_n=4 vector_width=4 work_group_m=128"));
  SmallTuning ours = tuning("packs");
  ours.deadline = deadline_after(clean_tuning());
  const JournalContents contents = run(ours, "launch_crash entry=" + crashes + kOnlyTimed +
                                                 "\nlaunch_hang entry=" + hangs + kOnlyTimed);
  REQUIRE(contents.packs.size() == 1);
  REQUIRE_FALSE(contents.packs[0].reply.kernel.empty());
  const std::string chosen = display_name(contents.packs[0].reply.kernel);
  CHECK(chosen != crashes);
  CHECK(chosen != hangs);
  std::map<std::string, OutcomeClass> results;
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.task == kPacking) results[display_name(outcome.kernel)] = outcome.result;
  }
  CHECK(results == std::map<std::string, OutcomeClass>{{crashes, OutcomeClass::kLaunch},
                                                       {hangs, OutcomeClass::kHang}});
  for (const std::string& victim : {crashes, hangs}) {
    CHECK(kernels(ours.profile()).count(victim) == 0);
  }
  CHECK(contents.finalist_failures.empty());
  CHECK(winners(ours.profile()) == winners(tuning("clean").profile()));
}

}  // namespace
}  // namespace tilewright
