// Tests how the members of a team are measured, with made-up members.
#include "tuner/team/team_tuning.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
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
    if (!std::all_of(a, a + elements,
                     [](float x) { return std::abs(x) >= 0.5f && std::abs(x) < 1.0f; })) {
      has_other_numbers = true;
    }
    if (lacks_memory) throw Error(TW_OUT_OF_MEMORY, "too large");
    const bool is_first = product.call.m < kRows && num_parts++ == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(is_first ? compile_ms_ : 1));
  }

  static constexpr std::size_t kRows = 64;
  bool lacks_memory = false;
  mutable std::atomic<int> num_parts = 0;
  mutable std::atomic<bool> has_other_numbers = false;

 private:
  int compile_ms_;
  std::string name_ = "noting";
};

TEST_CASE("tune --team: members are measured alone and together, and warm") {
  const auto fast = std::make_shared<NotingMember>(1);
  const auto slow = std::make_shared<NotingMember>(1000);
  TeamTuning tuning;
  tuning.members = {fast, slow};
  tuning.shapes = {{static_cast<std::int64_t>(NotingMember::kRows), 8, 8}};
  tuning.seconds = 0.01;  // far less than the slow member compiles
  std::size_t calls = 0;
  const TeamProfile profile =
      tune_team(tuning, [&](const TeamSamples& samples, const TeamProfile&) {
        ++calls;
        CHECK_FALSE(samples.alone.at(1).empty());
        CHECK(samples.team.size() == samples.together.at(1).size());
        const std::string text = to_text(samples);
        CHECK(text.find("64x8x8: alone ") == 0);
        CHECK(text.ends_with(" % of the sum"));
      });
  CHECK(calls == 1);
  REQUIRE(profile.results.size() == 1);
  CHECK(profile.results[0].together_gflops.at(1) > 10 * 2e-9 * 32 * 8 * 8);  // less than 0.1 s
  CHECK(fast->num_parts > 1);
  CHECK_FALSE(fast->has_other_numbers);
}

TEST_CASE("tune --team: a member that cannot be measured is an error that names it") {
  const auto small = std::make_shared<NotingMember>(0);
  small->lacks_memory = true;
  TeamTuning tuning;
  tuning.members = {std::make_shared<NotingMember>(0), small};
  tuning.shapes = {{64, 8, 8}};
  CHECK_THROWS_WITH(tune_team(tuning, [](const TeamSamples&, const TeamProfile&) {}),
                    Catch::Matchers::ContainsSubstring("member 1") &&
                        Catch::Matchers::ContainsSubstring("too large"));
}

TEST_CASE("tune --team: a tenth of the budget is for products that do not count") {
  // Four shapes: two members alone, and both together.
  CHECK(12 * seconds_per_measurement(10.0, 4, 2) == Approx(9.0));
  CHECK(seconds_per_measurement(600.0, 4, 2) == 2.0);
}

TEST_CASE("tune --team: no shape begins after the budget") {
  TeamTuning tuning;
  tuning.members = {std::make_shared<NotingMember>(0), std::make_shared<NotingMember>(0)};
  tuning.shapes = {{64, 8, 8}, {64, 8, 16}, {64, 8, 24}};
  tuning.seconds = 0.01;
  tuning.budget_s = 0.001;
  const auto ignore = [](const TeamSamples&, const TeamProfile&) {};
  const TeamProfile profile = tune_team(tuning, ignore);
  REQUIRE(profile.results.size() == 1);
  CHECK(profile.results[0].shape == tuning.shapes[0]);
  tuning.budget_s = 1000.0;
  CHECK(tune_team(tuning, ignore).results.size() == 3);
}

}  // namespace
}  // namespace tilewright
