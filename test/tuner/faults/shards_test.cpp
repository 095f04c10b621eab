// Tests that shards together find what a single tuning finds.
#include <set>

#include "catch.hpp"
#include "codelets/point/parameter_point.hpp"
#include "fault_run.hpp"
#include "first_plans.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"
#include "small_tuning.hpp"
#include "tuner/journal/merge.hpp"
#include "tuner/journal/records/forms.hpp"
#include "tuner/search/warm_start.hpp"
#include "tuner/tuning/search_tasks.hpp"

namespace tilewright {
namespace {

constexpr int kShards = 2;

JournalContents run_shard(const SmallTuning& tuning) {
  const ProgramResult result = run_program(tuning.command_line());
  INFO(result.error);
  REQUIRE(result.exit_code == 0);
  JournalContents contents = read_journal(tuning.journal());
  REQUIRE(contents.complete);
  check_first_plans(contents, load_profile(tuning.profile()));
  return contents;
}

std::set<std::string> candidates(const JournalContents& contents) {
  std::set<std::string> points;
  for (const Outcome& outcome : contents.outcomes) {
    points.insert(to_text(with_multiply_add_form(outcome.kernel.point(), Forms{})));
  }
  return points;
}

// Returns the points with which every tuning starts, whatever its shard: starting points, and the
// built-in kernels for the device's class and for every device.
std::set<std::string> first_points(const DeviceInfo& device) {
  std::set<std::string> points;
  for (const ParameterPoint& point :
       starting_points(Op::kNN, typed_device(device, Precision::kSingle))) {
    points.insert(to_text(with_multiply_add_form(point, Forms{})));
  }
  for (const Profile& profile : built_in_for(device)) {
    for (const KernelRecord& kernel : profile.kernels) {
      points.insert(to_text(with_multiply_add_form(parse_point(kernel.point), Forms{})));
    }
  }
  return points;
}

TEST_CASE("two merged shards are equivalent to one tuning", "[full]") {
  const Faults faults(kModelTimes);
  const SmallTuning whole = few_points_tuning("whole");
  const std::set<std::string> all = candidates(run_shard(whole));
  const std::set<std::string> first = first_points(read_journal(whole.journal()).header.device);

  std::map<std::string, int> tried;  // number of shards in which the point was tried
  std::string merge = "merge";
  std::vector<JournalContents> parts;
  for (int shard = 1; shard <= kShards; ++shard) {
    SmallTuning part = few_points_tuning("shard" + std::to_string(shard));
    part.more = {"--shard=" + std::to_string(shard) + "/" + std::to_string(kShards)};
    parts.push_back(run_shard(part));
    const std::set<std::string> points = candidates(parts.back());
    CHECK(points.size() < all.size());
    for (const std::string& point : points) ++tried[point];
    merge += " '" + part.journal() + "'";
  }
  CHECK(tried.size() == all.size());
  int first_tried = 0;
  for (const std::string& point : all) {
    INFO(point);
    const bool everywhere = first.count(point) > 0;
    CHECK(tried[point] == (everywhere ? kShards : 1));
    first_tried += everywhere;
  }
  CHECK(first_tried > 0);  // at least a built-in kernel

  const std::string merged = scratch_folder() + "/merged.toml";
  const ProgramResult result = run_program(merge + " --output '" + merged + "'");
  INFO(result.error);
  REQUIRE(result.exit_code == 0);
  CHECK(winners(merged) == winners(whole.profile()));
  check_first_plans(tilewright::merge(parts), load_profile(merged));
  CHECK(run_program("check '" + merged + "'").exit_code == 0);
}

}  // namespace
}  // namespace tilewright
