// Tests what a team learns from a product whose shape it forgets meanwhile. Needs no device.
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "catch.hpp"
#include "runtime/team/team.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kRows = 64;

// Computes nothing.
class IdleMember : public TeamMember {
 public:
  const std::string& name() const override { return name_; }
  std::string profile_name() const override { return name_; }
  bool supports(ElementType) const override { return true; }
  std::optional<MemberPrediction> predict(const GemmCall& call, bool) const override {
    return MemberPrediction{kSecondsPerRow * static_cast<double>(call.m)};
  }
  void multiply(const HostGemm&) const override {
    if (during_product) during_product();
  }

  // Called in place of a part of a product.
  std::function<void()> during_product;
  static constexpr double kSecondsPerRow = 1e-3 / kRows;

 private:
  std::string name_ = "idle";
};

TEST_CASE("team: the time of a product whose shape was forgotten is not that of a later one") {
  const auto member = std::make_shared<IdleMember>();
  Team team({member, std::make_shared<IdleMember>()}, {});
  const GemmCall call{.m = kRows, .n = 1, .k = 1};
  REQUIRE_THAT(team.explain(call), Catch::Matchers::ContainsSubstring("32 of 64 rows of C"));
  // Other threads may need plans for so many shapes while the first product is computed.
  member->during_product = [&] {
    for (std::size_t k = 2; k < 1200; ++k) team.explain({.m = kRows, .n = 1, .k = k});
    std::this_thread::sleep_for(
        std::chrono::duration<double>(20 * kRows * IdleMember::kSecondsPerRow));
  };
  float matrix[kRows] = {};
  team.gemm({call, {matrix, 1}, {matrix, 1}, {matrix, 1}});
  // It was a warm-up, so its long time does not count.
  CHECK_THAT(team.explain(call), Catch::Matchers::ContainsSubstring("32 of 64 rows of C"));
}

}  // namespace
}  // namespace tilewright
