#include "tuner/tuning/search_tasks.hpp"

#include <set>

#include "catch.hpp"
#include "codelets/point/validity.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/measure/device/limits_file.hpp"

namespace tilewright {
namespace {

TuneOptions options(double budget_s) {
  TuneOptions options;
  options.shapes = parse_shapes("paper");
  options.ops = {Op::kNN, Op::kNT};
  options.budget_s = budget_s;
  return options;
}

TEST_CASE("a dry run lists what a tuning would try, each point once per search", "[long]") {
  const DeviceInfo device = read_device("mali-t628");
  const auto planned = dry_run_candidates(options(60.0), device);
  // 77 % of a minute with 0.7 s per candidate, divided by three searches.
  CHECK(planned.size() == 3 * 22);
  std::set<std::string> tasks;
  std::set<std::string> seen;
  for (const DryRunCandidate& candidate : planned) {
    INFO(to_text(candidate.point));
    tasks.insert(candidate.task);
    CHECK(seen.insert(candidate.task + to_text(candidate.point)).second);
    CHECK(broken_rule(candidate.point, device.limits) == nullptr);
    CHECK(candidate.score > 0.0);
  }
  CHECK(tasks == std::set<std::string>{"NN", "NT", "packed"});
  // Networks use part of the same time: 63 % remain.
  TuneOptions networks = options(61.0);
  networks.activations = {Activation::kRelu};
  CHECK(dry_run_candidates(networks, device).size() == 3 * 18);
  // Or limited by number, whatever the time.
  TuneOptions few = options(1e6);
  few.candidates = 8;
  CHECK(dry_run_candidates(few, device).size() == 8);
  few.candidates = 1;  // at least one per search
  CHECK(dry_run_candidates(few, device).size() == 3);
  const auto again = dry_run_candidates(options(60.0), device);
  REQUIRE(again.size() == planned.size());
  for (std::size_t i = 0; i < planned.size(); ++i) CHECK(again[i].point == planned[i].point);
}

}  // namespace
}  // namespace tilewright
