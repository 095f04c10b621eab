// Tests how the members of a team are measured, with made-up members.
#include "tuner/team/team_tuning.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "catch.hpp"

namespace tilewright {
namespace {

// Notes what it is asked to compute. Its first part of a product takes long, as if it compiled.
class NotingMember : public TeamMember {
 public:
  explicit NotingMember(int compile_ms) : compile_ms_(compile_ms) {}

  const std::string& name() const override { return name_; }
  std::string profile_name() const override { return name_; }
  bool supports(ElementType) const override { return true; }
  std::optional<MemberPrediction> predict(const GemmCall&, bool) const override {
    return std::nullopt;
  }
  void multiply(const HostGemm& product) const override {
    const auto* a = static_cast<const float*>(product.a.data);
    const auto elements = static_cast<std::ptrdiff_t>(product.call.m * product.call.k);
    if (std::all_of(a, a + elements, [](float x) { return x == 0.0f; })) has_zeros = true;
    if (product.call.m < kRows && num_parts++ == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(compile_ms_));
    }
    if (product.call.m < kRows && other != nullptr && other->num_parts > 1) ++num_among_others;
  }

  static constexpr std::size_t kRows = 64;
  const NotingMember* other = nullptr;
  mutable std::atomic<int> num_parts = 0;
  mutable std::atomic<int> num_among_others = 0;  // parts while the other was warm
  mutable std::atomic<bool> has_zeros = false;

 private:
  int compile_ms_;
  std::string name_ = "noting";
};

TEST_CASE("tune --team: members are measured together when all of them are warm") {
  const auto fast = std::make_shared<NotingMember>(0);
  const auto slow = std::make_shared<NotingMember>(100);
  fast->other = slow.get();
  TeamTuning tuning;
  tuning.members = {fast, slow};
  tuning.shapes = {{static_cast<std::int64_t>(NotingMember::kRows), 8, 8}};
  tuning.seconds = 0.01;  // far less than the slow member compiles
  std::size_t calls = 0;
  std::string text;
  const TeamProfile profile =
      tune_team(tuning, [&](const TeamMeasurement& measurement, const TeamProfile&) {
        ++calls;
        text = to_text(measurement);
        CHECK(measurement.alone.at(1).samples > 0);
        CHECK(measurement.team.low <= measurement.team.high);
      });
  CHECK(calls == 1);
  CHECK(text.find("64x8x8: alone ") == 0);
  CHECK(text.ends_with(" % of the sum"));
  REQUIRE(profile.results.size() == 1);
  CHECK(fast->num_among_others > 0);
  CHECK_FALSE(fast->has_zeros);
}

TEST_CASE("tune --team: a tenth of the budget is for products that do not count") {
  // Four shapes: two members alone, both together, and the team.
  CHECK(16 * seconds_per_measurement(10.0, 4, 2) == Approx(9.0));
  CHECK(seconds_per_measurement(600.0, 4, 2) == 2.0);
}

TEST_CASE("tune --team: no shape begins after the budget") {
  TeamTuning tuning;
  tuning.members = {std::make_shared<NotingMember>(0), std::make_shared<NotingMember>(0)};
  tuning.shapes = {{64, 8, 8}, {64, 8, 16}, {64, 8, 24}};
  tuning.seconds = 0.01;
  tuning.budget_s = 0.001;
  const auto ignore = [](const TeamMeasurement&, const TeamProfile&) {};
  const TeamProfile profile = tune_team(tuning, ignore);
  REQUIRE(profile.results.size() == 1);
  CHECK(profile.results[0].shape == tuning.shapes[0]);
  tuning.budget_s = 1000.0;
  CHECK(tune_team(tuning, ignore).results.size() == 3);
}

}  // namespace
}  // namespace tilewright
