// Tests of a complete tuning with few candidates: its profile is valid, is used by the library, and
// contains the conditions of its measurements.
#include "tuner/tuning/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "first_plans.hpp"
#include "library_runs.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/device_identity.hpp"
#include "temporary_folder.hpp"
#include "test_device.hpp"
#include "tuner/measure/device/device_choice.hpp"

namespace tilewright {
namespace {

// A tuning with its output.
struct Run {
  std::string text;
  TuneResult result;

  explicit Run(const TuneOptions& options) {
    TuneProgress progress([this](const std::string& more) { text += more; }, false);
    result = tune(options, progress);
  }
  std::ptrdiff_t candidates() const {
    const std::vector<Outcome>& outcomes = result.contents.outcomes;
    return std::count_if(outcomes.begin(), outcomes.end(), is_from_search);
  }
};

// Returns the number of the device for --device.
std::string device_number(const cl::Device& device) {
  const DeviceList list = enumerate_devices();
  for (const ListedDevice& listed : list.devices) {
    if (listed.device() == device()) return std::to_string(listed.index);
  }
  throw std::runtime_error("the test's device is not listed");
}

TuneOptions options_for(const cl::Device& device, const std::string& journal) {
  TuneOptions options;
  options.shapes = {{24, 40, 16}, {64, 64, 64}};
  options.ops = {Op::kNN, Op::kTN};
  options.budget_s = 1e5;  // however long a busy machine takes
  options.candidates = 20;
  options.rounds = 3;
  options.workers.program = TILEWRIGHT_PROGRAM;
  options.workers.device = device_number(device);
  options.output = journal + ".toml";
  options.journal = journal;
  options.command_line = "tilewright tune (test)";
  return options;
}

TEST_CASE("a short tuning creates a profile that a library can use, and can be continued") {
  const TestDevice d;
  const TemporaryFolder folder;
  const TuneOptions options = options_for(d.device, folder.path() + "/tuning.journal.jsonl");
  const Run first(options);
  const TuneResult& result = first.result;
  const Profile& profile = result.profile;
  INFO(first.text);
  CHECK(first.candidates() == options.candidates);
  int rounds = 0;
  for (const Outcome& outcome : result.contents.finals.outcomes) {
    rounds = std::max(rounds, outcome.round + 1);
  }
  CHECK(rounds == options.rounds);
  CHECK(result.complete);
  CHECK(!result.stopped);
  CHECK(profile.kind == ProfileKind::kTuned);
  CHECK(profile.device == identify(d.device));
  CHECK(profile.provenance.command_line == "tilewright tune (test)");
  CHECK(profile.provenance.complete);
  CHECK(profile.rates.peak_gflops > 0.0);
  check_first_plans(result.contents, profile);

  // The same command again finds nothing left to do, and makes the same choice.
  const Run again(options);
  const std::size_t known = result.contents.outcomes.size();
  CHECK(again.text.find(fmt::format("which has {} results", known)) != std::string::npos);
  CHECK(again.result.contents.outcomes.size() == known);
  CHECK(again.result.profile.kernels == profile.kernels);

  // Nor does a budget that leaves less time than the decision took change anything.
  TuneOptions longer = options;
  longer.rounds = 0;
  const JournalContents& contents = again.result.contents;
  longer.budget_s = contents.spent.all_s + 0.9 * (contents.spent.all_s - contents.finals.at_s);
  CHECK(Run(longer).result.contents.finals.outcomes.size() == contents.finals.outcomes.size());
  const std::string text = write_profile(profile);
  CHECK(parse_profile(text, "tuned") == profile);
  for (const Op op : options.ops) {
    for (const GemmShape& shape : options.shapes) {
      bool measured = false;
      bool knows_built_in = false;
      for (const ShapeResult& r : profile.results) {
        measured = measured || (r.op == op && r.m == shape.m && r.n == shape.n && r.samples >= 2);
        CHECK(r.max_error <= 1.0);
        knows_built_in = knows_built_in || (r.op == op && r.m == shape.m && r.n == shape.n &&
                                            find_kernel(profile, r.kernel)->built_in);
      }
      CHECK(measured);
      CHECK(knows_built_in);
    }
  }

  // Products with tuned kernels and with packing (NT was not tuned, TT never is) on unusual shapes,
  // whatever the profile was tuned for.
  LibraryHandle library = Library::open(d.context, d.device, ProfileSource::text(text));
  CHECK(library->explain({.m = 64, .n = 64, .k = 64}).find("  runs  ") != std::string::npos);
  check_runs_all(library, d.context, d.queue);
}

}  // namespace
}  // namespace tilewright
