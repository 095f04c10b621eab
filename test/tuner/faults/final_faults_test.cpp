// Tests finals with kernels that fail only there, and tunings with pack kernels that fail.
#include <algorithm>
#include <fstream>
#include <set>

#include "catch.hpp"
#include "codelets/point/parameter_point.hpp"
#include "codelets/space/generic_profile.hpp"
#include "fault_run.hpp"
#include "first_plans.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"
#include "small_tuning.hpp"
#include "tuner/search/pack_requirements.hpp"
#include "tuner/select/baseline.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// No candidate of the search is tried on the second shape, which occurs only in the finals. No
// launch of theirs on another shape or for verification has as many work-items.
constexpr const char* kShapes = "32x32x64,256x256x16,64x128x160,128x128x160";
constexpr const char* kOnlyInFinals = "&items>1500";
constexpr const char* kOnlyTimed = "&items>20000";  // for pack kernels: not when they are verified

SmallTuning final_tuning(const std::string& name) {
  SmallTuning tuning = few_points_tuning(name);
  tuning.shapes = kShapes;
  return tuning;
}

// Slows down the built-in kernels, so that candidates of the search win on every shape. Those for
// classes of devices have large tiles, that is few work-items, so in the model they are the
// fastest. Built-in kernels are measured on all shapes before the search, so no fault of theirs
// could be restricted to the finals.
std::string slow_built_in() {
  std::string rules;
  for (const KernelRecord& kernel : parse_profile(generic_profile_text(), "built-in").kernels) {
    if (is_product(kernel.role)) rules += "slow entry=" + kernel.name + " 64\n";
  }
  return rules;
}

JournalContents run_final(const SmallTuning& tuning, const std::string& poison) {
  static const std::string times = kModelTimes + slow_built_in();
  const Faults faults(times + poison);
  const ProgramResult result = run_program(tuning.command_line());
  INFO(poison << result.error);
  REQUIRE(result.exit_code == 0);
  JournalContents contents = read_journal(tuning.journal());
  REQUIRE(contents.complete);
  REQUIRE_FALSE(contents.finals.kernels.empty());
  check_first_plans(contents, load_profile(tuning.profile()));
  return contents;
}

// The tuning without faults, which is run only once for all tests.
const JournalContents& clean_final() {
  static const JournalContents contents = run_final(final_tuning("clean"), "");
  return contents;
}

std::string display_name(const KernelId& kernel) {
  return kernel_name(kernel.point());
}

bool is_built_in_name(const std::string& name) {
  const std::vector<KernelId> kernels = working_built_in(clean_final().outcomes);
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](const KernelId& kernel) { return display_name(kernel) == name; });
}

// Returns finalists of the search that win nowhere.
std::vector<std::string> losers() {
  const std::vector<KernelId>& finalists = clean_final().finals.kernels;
  std::set<std::string> needed;
  for (const auto& [shape, name] : winners(final_tuning("clean").profile())) needed.insert(name);
  std::vector<std::string> losers;
  for (const KernelId& finalist : finalists) {
    const std::string name = display_name(finalist);
    if (needed.count(name) == 0 && !is_built_in_name(name)) losers.push_back(name);
  }
  return losers;
}

// Returns the kernels that dropped out of the finals, with reasons.
std::map<std::string, std::string> dropouts(const JournalContents& contents) {
  std::map<std::string, std::string> dropouts;
  for (const auto& [kernel, reason] : failed_finalists(contents)) {
    dropouts[display_name(kernel)] = reason;
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
  SmallTuning ours = final_tuning("finalists");
  ours.deadline = deadline_after(clean_final());
  const JournalContents contents =
      run_final(ours, "launch_crash entry=" + crashes + kOnlyInFinals +
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
  CHECK(winners(ours.profile()) == winners(final_tuning("clean").profile()));
  CHECK(kernels(ours.profile()).count(crashes) == 0);
  CHECK(kernels(ours.profile()).count(hangs) == 0);
}

TEST_CASE("the best kernel may crash in the finals", "[full]") {
  const std::size_t shapes = clean_final().header.shapes.size();
  const std::string culprit = winners(final_tuning("clean").profile()).at("256x256x16");
  REQUIRE_FALSE(is_built_in_name(culprit));
  const SmallTuning ours = final_tuning("best");
  const JournalContents contents = run_final(ours, "launch_crash entry=" + culprit + kOnlyInFinals);
  CHECK(dropouts(contents).count(culprit) == 1);
  const auto best = winners(ours.profile());
  CHECK(best.size() == shapes);
  REQUIRE(best.count("256x256x16") == 1);
  CHECK(best.at("256x256x16") != culprit);
}

// Copies a journal up to its finalists, as if the tuning had been killed before the finals.
void copy_up_to_finals(const std::string& from, const std::string& to) {
  std::ifstream journal(from);
  std::ofstream copy(to);
  for (std::string line; std::getline(journal, line);) {
    copy << line << '\n';
    if (line.find("\"finalists\":{") < line.size()) return;
  }
}

TEST_CASE("a built-in kernel that worked before the search may crash in the finals", "[full]") {
  // Workers run the kernels of basic_profile() when they check the device's health.
  const std::vector<KernelId> built_in = working_built_in(clean_final().outcomes);
  const auto of_class = std::find_if(built_in.begin(), built_in.end(), [](const KernelId& kernel) {
    return find_kernel(basic_profile(), display_name(kernel)) == nullptr;
  });
  REQUIRE(of_class != built_in.end());
  const std::string culprit = display_name(*of_class);
  const SmallTuning ours = final_tuning("built_in");
  copy_up_to_finals(final_tuning("clean").journal(), ours.journal());
  const JournalContents contents = run_final(ours, "launch_crash entry=" + culprit);
  const auto failed = dropouts(contents);
  REQUIRE(failed.size() == 1);
  REQUIRE(failed.count(culprit) == 1);
  CHECK_THAT(failed.at(culprit), ContainsSubstring("SIGSEGV"));
  CHECK(kernels(ours.profile()).count(culprit) == 0);
  // The library must not run it either, although it is built in.
  const Profile profile = load_profile(ours.profile());
  REQUIRE(profile.failing_built_in.size() == 1);
  CHECK(profile.failing_built_in[0].name == culprit);
  CHECK(winners(ours.profile()) == winners(final_tuning("clean").profile()));
}

TEST_CASE("pack kernels that crash or hang while they are timed are not tried again", "[full]") {
  // Two kernels that are tried on every machine.
  const std::string crashes = display_name(parse_kernel("pack"));
  const std::string hangs =
      display_name(parse_kernel("pack tile_m=4 tile_n=4 vector_width=4 work_group_m=128"));
  SmallTuning ours = final_tuning("packs");
  ours.deadline = deadline_after(clean_final());
  const JournalContents contents = run_final(ours, "launch_crash entry=" + crashes + kOnlyTimed +
                                                       "\nlaunch_hang entry=" + hangs + kOnlyTimed);
  // Built-in kernels may require packs in other layouts, which other pack kernels perform.
  const Auxiliaries chosen = fastest_auxiliaries(contents.packs);
  CHECK(chosen.contains(PackPoint{}));
  for (const auto& [requirement, kernel] : chosen) {
    INFO(to_text(requirement));
    CHECK(display_name(kernel) != crashes);
    CHECK(display_name(kernel) != hangs);
  }
  std::map<std::string, OutcomeClass> results;
  for (const Outcome& outcome : contents.packs) {
    if (is_crash(outcome.result)) results[display_name(outcome.kernel)] = outcome.result;
  }
  CHECK(results == std::map<std::string, OutcomeClass>{{crashes, OutcomeClass::kLaunch},
                                                       {hangs, OutcomeClass::kHang}});
  for (const std::string& victim : {crashes, hangs}) {
    CHECK(kernels(ours.profile()).count(victim) == 0);
  }
  CHECK(failed_finalists(contents).empty());
  CHECK(winners(ours.profile()) == winners(final_tuning("clean").profile()));
}

}  // namespace
}  // namespace tilewright
