// The whole way with a budget of seconds: a profile that is valid, serves, and says what it was
// measured on.
#include "tuner/tuning.hpp"

#include "catch.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device_identity.hpp"
#include "test_device.hpp"
#include "tuner/rivals.hpp"

namespace tilewright {
namespace {

struct CountingObserver : TuneObserver {
  int candidates = 0;
  int winners = 0;
  void candidate(const State& state) override {
    ++candidates;
    CHECK(state.tried > 0);
    CHECK(state.space_points > 0);
  }
  void finals(Op, std::size_t finalists) override { CHECK(finalists > 0); }
  void winner(Op, const GemmShape&, const ShapeResult& result) override {
    ++winners;
    CHECK(result.gflops > 0);
  }
  void failures(Op, const std::map<Stage, std::pair<int, std::string>>&) override {}
};

TEST_CASE("a short tuning gives a profile that a library serves from") {
  const TestDevice d;
  const ListedDevice device{0, d.device, identify(d.device)};
  TuneOptions options;
  options.shapes = {{24, 40, 16}, {64, 64, 64}};
  options.ops = {Op::kNN, Op::kTN};
  options.budget_s = 4.0;
  options.command_line = "tilewright tune (test)";
  CountingObserver observer;
  const Profile profile = tune(device, options, observer);
  CHECK(observer.candidates >= 2);
  CHECK(observer.winners == 4);
  CHECK(profile.kind == ProfileKind::kTuned);
  CHECK(profile.device == device.identity);
  CHECK(profile.provenance.command_line == "tilewright tune (test)");
  CHECK(profile.provenance.complete);
  const std::string text = write_profile(profile);
  CHECK(parse_profile(text, "tuned") == profile);
  for (const Op op : options.ops) {
    for (const GemmShape& shape : options.shapes) {
      bool measured = false;
      for (const ShapeResult& r : profile.results) {
        measured = measured || (r.op == op && r.m == shape.m && r.n == shape.n && r.samples >= 2);
        CHECK(r.max_error <= 1.0);
      }
      CHECK(measured);
    }
  }

  // Products with tuned kernels, with the built-in fallback (NT was not tuned), and with packing
  // (TT).
  Library library = Library::open(d.context, d.device, ProfileSource::text(text));
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
    const Workload workload(d.context, d.queue, op, {50, 30, 20}, 3);
    const auto contender = library_contender("tuned", library, {d.context, d.queue, workload});
    contender->multiply();
    const Workload again(d.context, d.queue, op, {50, 30, 20}, 3);
    const auto builtin =
        library_contender("builtin", Library::open(d.context, d.device, ProfileSource::builtin()),
                          {d.context, d.queue, again});
    builtin->multiply();
    const std::vector<std::pair<std::int64_t, std::int64_t>> at{{0, 0}, {49, 29}, {7, 13}};
    const auto got = contender->result_at(at);
    const auto want = builtin->result_at(at);
    for (std::size_t i = 0; i < at.size(); ++i) CHECK(got[i] == Approx(want[i]).margin(1e-4));
  }
  CHECK(library.kernels_for({.m = 64, .n = 64, .k = 64}).front().find("sgemm_nn_") == 0);
}

}  // namespace
}  // namespace tilewright
