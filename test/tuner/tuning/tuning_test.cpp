// The whole way with few candidates: a profile that is valid, serves, and says what it was
// measured on.
#include "tuner/tuning/tuning.hpp"

#include "catch.hpp"
#include "codelets/space/generic_profile.hpp"
#include "first_plans.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/device_identity.hpp"
#include "serving.hpp"
#include "temporary_folder.hpp"
#include "test_device.hpp"
#include "tuner/device/device_choice.hpp"

namespace tilewright {
namespace {

struct CountingObserver : TuneObserver {
  std::size_t resumed = 0;
  int candidates = 0;
  int rounds = 0;
  double best_gflops = 0.0;
  void begin(const DeviceInfo&, const std::string&, std::size_t known) override { resumed = known; }
  void rates(const DeviceRates& rates, Precision /*precision*/, bool partial) override {
    CHECK(rates.peak_gflops > 0.0);
    CHECK(!partial);
  }
  void candidate(const State& state) override {
    if (state.phase != kBuiltIn) ++candidates;
    CHECK(state.tried > 0);
    if (state.phase == kBuiltIn) return;
    CHECK(state.best_gflops > 0.0);
    CHECK(state.best_gflops >= best_gflops);  // it never falls, from phase to phase either
    best_gflops = state.best_gflops;
    CHECK(state.phase_spent_s <= state.phase_budget_s + allowed_overrun_s(state.phase_budget_s));
  }
  void finals(const FinalsProgress&, double) override { ++rounds; }
  void note(const std::string& text) override { UNSCOPED_INFO(text); }
};

// As --device takes it.
std::string number_of(const cl::Device& device) {
  const DeviceList list = list_devices();
  for (const ListedDevice& listed : list.devices) {
    if (listed.device() == device()) return std::to_string(listed.index);
  }
  throw std::runtime_error("the test's device is not listed");
}

TuneOptions options_for(const cl::Device& device, const std::string& journal) {
  TuneOptions options;
  options.shapes = {{24, 40, 16}, {64, 64, 64}};
  options.ops = {Op::kNN, Op::kTN};
  options.budget_s = 1e5;  // however long a busy machine takes for what follows
  options.candidates = 20;
  options.rounds = 3;
  options.workers.program = TILEWRIGHT_PROGRAM;
  options.workers.device = number_of(device);
  options.output = journal + ".toml";
  options.journal = journal;
  options.command_line = "tilewright tune (test)";
  return options;
}

TEST_CASE("a short tuning gives a profile that a library serves from, and can be gone on with") {
  const TestDevice d;
  const TemporaryFolder folder;
  const TuneOptions options = options_for(d.device, folder.path() + "/tuning.journal.jsonl");
  CountingObserver observer;
  const TuneResult result = tune(options, observer);
  const Profile& profile = result.profile;
  CHECK(observer.candidates == options.candidates);
  CHECK(observer.rounds == options.rounds * static_cast<int>(options.shapes.size()));
  CHECK(result.complete);
  CHECK(!result.stopped);
  CHECK(profile.kind == ProfileKind::kTuned);
  CHECK(profile.device == identify(d.device));
  CHECK(profile.provenance.command_line == "tilewright tune (test)");
  CHECK(profile.provenance.complete);
  CHECK(profile.rates.peak_gflops > 0.0);
  check_first_plans(result.contents, profile);

  // The same command again finds nothing left to do, and chooses the same.
  CountingObserver again;
  const TuneResult second = tune(options, again);
  CHECK(again.resumed == result.contents.outcomes.size());
  CHECK(again.candidates == 0);
  CHECK(second.profile.kernels == profile.kernels);
  const std::string text = write_profile(profile);
  CHECK(parse_profile(text, "tuned") == profile);
  for (const Op op : options.ops) {
    for (const GemmShape& shape : options.shapes) {
      bool measured = false;
      bool compared = false;
      for (const ShapeResult& r : profile.results) {
        measured = measured || (r.op == op && r.m == shape.m && r.n == shape.n && r.samples >= 2);
        CHECK(r.max_error <= 1.0);
        compared = compared || (r.op == op && r.m == shape.m && r.n == shape.n &&
                                find_kernel(basic_profile(), r.kernel) != nullptr);
      }
      CHECK(measured);
      CHECK(compared);
    }
  }

  // Products with tuned kernels, with packing (NT was not tuned, TT never is): the awkward shapes,
  // whatever the profile was tuned for.
  Library library = Library::open(d.context, d.device, ProfileSource::text(text));
  CHECK(library.explain({.m = 64, .n = 64, .k = 64}).find(": predicted ") != std::string::npos);
  check_serves_all(library, d.context, d.queue);
}

}  // namespace
}  // namespace tilewright
