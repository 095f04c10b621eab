// Tests of built-in kernels for which one launch takes too long on some shapes.
#include "tuner/tuning/stages/before_search.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

// Behaves like a worker: it stops at the first shape in `slow`.
Try worker_with(const std::vector<GemmShape>& slow, int& trials) {
  return [&trials, slow](const MeasureRequest& request) -> std::variant<Outcome, Stopped> {
    ++trials;
    Outcome outcome;
    for (const GemmShape& shape : request.shapes) {
      if (std::find(slow.begin(), slow.end(), shape) != slow.end()) {
        outcome.result = OutcomeClass::kSlow;
        outcome.reason = "too long";
        return outcome;
      }
      ShapeSamples samples;
      samples.shape = shape;
      samples.ns = {1.0};
      outcome.shapes.push_back(std::move(samples));
    }
    return outcome;
  };
}

TEST_CASE("a built-in kernel is measured on every shape that does not take too long") {
  const GemmShape a{1, 1, 1}, b{2, 2, 2}, c{3, 3, 3};
  MeasureRequest request;
  request.shapes = {a, b, c};
  int trials = 0;
  const auto final_shapes = [&](const std::vector<GemmShape>& slow) {
    trials = 0;
    const auto tried = try_on_all(request, worker_with(slow, trials));
    const Outcome& outcome = std::get<Outcome>(tried);
    CHECK((outcome.result == OutcomeClass::kOk) == !outcome.shapes.empty());
    CHECK((outcome.result == OutcomeClass::kSlow) == !outcome.reason.empty());
    std::vector<GemmShape> shapes;
    for (const ShapeSamples& samples : outcome.shapes) shapes.push_back(samples.shape);
    return shapes;
  };
  CHECK(final_shapes({}) == request.shapes);
  CHECK(trials == 1);
  CHECK(final_shapes({b}) == std::vector<GemmShape>{a, c});
  CHECK(trials == 2);
  CHECK(final_shapes({a}) == std::vector<GemmShape>{b, c});
  CHECK(final_shapes({c}) == std::vector<GemmShape>{a, b});
  CHECK(final_shapes({a, b, c}).empty());
  CHECK(trials == 3);
}

TEST_CASE("a built-in kernel that fails on a later shape counts as failed") {
  const GemmShape a{1, 1, 1}, b{2, 2, 2}, c{3, 3, 3};
  MeasureRequest request;
  request.shapes = {a, b, c};
  int trials = 0;
  const Try slow = worker_with({b}, trials);
  const auto tried = try_on_all(request, [&](const MeasureRequest& some) {
    auto answer = slow(some);
    if (trials == 2) std::get<Outcome>(answer).result = OutcomeClass::kHang;
    return answer;
  });
  CHECK(std::get<Outcome>(tried).result == OutcomeClass::kHang);
}

}  // namespace
}  // namespace tilewright
