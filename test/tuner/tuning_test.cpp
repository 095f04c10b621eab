// The whole way with a budget of seconds: a profile that is valid, serves, and says what it was
// measured on.
#include "tuner/tuning.hpp"

#include "catch.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device_identity.hpp"
#include "test_device.hpp"
#include "tuner/rivals.hpp"
#include "tuner/verification.hpp"

namespace tilewright {
namespace {

struct CountingObserver : TuneObserver {
  int candidates = 0;
  int winners = 0;
  void candidate(const State& state) override {
    ++candidates;
    CHECK(state.tried > 0);
  }
  void finals(Op, std::size_t finalists) override { CHECK(finalists > 0); }
  void winner(Op, const GemmShape&, const ShapeResult& result) override {
    ++winners;
    CHECK(result.gflops > 0);
  }
  void note(const std::string& text) override { FAIL(text); }
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

  // Products with tuned kernels, with packing (NT was not tuned, TT never is): the awkward shapes,
  // whatever the profile was tuned for.
  Library library = Library::open(d.context, d.device, ProfileSource::text(text));
  CHECK(library.explain({.m = 64, .n = 64, .k = 64}).find(": predicted ") != std::string::npos);
  const auto serve = [&](const VerificationCase& t, const Matrix& a, const Matrix& b,
                         const Matrix& c) -> Launched {
    GemmProblem problem;
    problem.op = t.op;
    problem.shape = t.shape;
    problem.alpha = t.alpha;
    problem.beta = t.beta;
    return library.sgemm(d.queue, call_of(problem), a, b, c);
  };
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
    for (const VerificationCase& test : verification_cases(op, 3)) {
      const Verified verified = verify(d.context, d.queue, test, serve);
      const auto* rejection = std::get_if<Rejection>(&verified);
      INFO((rejection == nullptr ? "" : rejection->reason));
      CHECK(rejection == nullptr);
    }
  }
}

}  // namespace
}  // namespace tilewright
