// Tests that noise does not make a search believe that its candidates become faster and faster.
#include "tuner/search/reference.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "catch.hpp"
#include "codelets/point/parameter_point.hpp"

namespace tilewright {
namespace {

constexpr GemmShape kReferenceShape{512, 512, 512};
constexpr double kTrueNs = 1e6;

TEST_CASE("without candidates there is no reference") {
  Reference reference;
  CHECK(reference.kernel().empty());
  CHECK(reference.known_ns().empty());
}

// Equal kernels on a machine where samples are often much too long: each trial is corrected by its
// reference, and the luckiest kernel becomes the next reference.
TEST_CASE("equal kernels keep their time, however lucky earlier ones were") {
  std::mt19937 random(7);
  const auto sample = [&] {
    const double spike = random() % 4 == 0 ? 1.0 + 0.01 * static_cast<double>(random() % 100) : 1.0;
    return kTrueNs * spike * (1.0 + 1e-4 * static_cast<double>(random() % 500));
  };
  CostModel costs({Op::kNN}, {kReferenceShape}, {});
  Reference reference;
  const int tiles[] = {1, 2, 3, 4, 6, 8, 12, 16};
  const int depths[] = {1, 2, 4, 8, 16};
  const int groups[] = {1, 2, 4, 8, 16};
  for (const int m : tiles) {
    for (const int k : depths) {
      for (const int g : groups) {
        Outcome outcome;
        outcome.kernel = parse_kernel(fmt::format("tile_m={} tile_k={} work_group_m={}", m, k, g));
        ShapeSamples samples;
        samples.shape = kReferenceShape;
        for (int i = 0; i < 3; ++i) samples.ns.push_back(sample());
        if (!reference.kernel().empty()) {
          outcome.reference = reference.kernel();
          samples.reference_known_ns = reference.known_ns().front();
          for (int i = 0; i < 3; ++i) samples.reference_ns.push_back(sample());
        }
        outcome.shapes = {samples};
        costs.learn(outcome);
        reference.learn(outcome, costs);
      }
    }
  }
  CHECK(reference.known_ns().front() > 0.95 * kTrueNs);
  CHECK(reference.known_ns().front() < 1.25 * kTrueNs);
}

TEST_CASE("a lucky candidate is detected, and the better one becomes the reference") {
  CostModel costs({Op::kNN}, {kReferenceShape}, {});
  Reference reference;
  const auto trial = [&](const std::string& point, double ns, double reference_ns) {
    Outcome outcome;
    outcome.kernel = parse_kernel(point);
    ShapeSamples samples;
    samples.shape = kReferenceShape;
    samples.ns = {ns, ns, ns};
    if (!reference.kernel().empty()) {
      outcome.reference = reference.kernel();
      samples.reference_known_ns = reference.known_ns().front();
      samples.reference_ns = {reference_ns, reference_ns, reference_ns};
    }
    outcome.shapes = {samples};
    costs.learn(outcome);
    reference.learn(outcome, costs);
  };
  const KernelId good = parse_kernel("tile_m=1");
  trial("tile_m=1", 100.0, 0.0);
  // Not yet, because too little is known about the first one.
  trial("tile_m=2 tile_k=2", 70.0, 100.0);
  CHECK(reference.kernel() == good);
  for (const int m : {3, 4, 6, 8, 12}) trial(fmt::format("tile_m={}", m), 300.0, 100.0);
  CHECK(reference.kernel() == parse_kernel("tile_m=2 tile_k=2"));
  // As the reference it takes 100, too: its 70 was luck.
  for (const int m : {3, 4, 6, 8, 12}) {
    trial(fmt::format("tile_m={} tile_k=2", m), 300.0, 100.0);
  }
  CHECK(reference.known_ns().front() == 100.0);
}

}  // namespace
}  // namespace tilewright
