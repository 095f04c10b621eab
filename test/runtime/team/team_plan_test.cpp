// Tests which members compute which parts of a product, and that only measurements change it. Needs
// no device.
#include "runtime/team/team_plan.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "catch.hpp"
#include "runtime/team/team.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
using Members = std::vector<std::shared_ptr<const TeamMember>>;

// Computes nothing, at a rate of its own.
class ModelMember : public TeamMember {
 public:
  // `predicted_gflops`: 0: nothing is predicted.
  explicit ModelMember(double predicted_gflops, double start_s = 0.0)
      : predicted_gflops_(predicted_gflops), start_s_(start_s) {}

  const std::string& name() const override { return name_; }
  std::string profile_name() const override { return name_; }
  bool supports(ElementType) const override { return true; }
  std::optional<MemberPrediction> predict(const GemmCall& call, bool) const override {
    if (predicted_gflops_ == 0.0) return std::nullopt;
    return MemberPrediction{start_s_ + num_gflop(call) / predicted_gflops_, start_s_};
  }
  void multiply(const HostGemm& product) const override {
    ++num_products;
    if (lacks_memory) throw Error(TW_OUT_OF_MEMORY, "too large");
    if (gflops > 0.0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(num_gflop(product.call) / gflops));
    }
  }

  mutable std::atomic<int> num_products = 0;
  std::atomic<double> gflops = 0.0;  // 0: a product takes no time
  std::atomic<bool> lacks_memory = false;

 private:
  double predicted_gflops_;
  double start_s_;
  std::string name_ = "model";
};

std::shared_ptr<ModelMember> member(double predicted_gflops, double start_s = 0.0) {
  return std::make_shared<ModelMember>(predicted_gflops, start_s);
}

std::vector<std::int64_t> sizes(const TeamPlan& plan) {
  std::vector<std::int64_t> parts;
  for (const TeamPart& part : plan.parts) parts.push_back(part.size);
  return parts;
}

using Sizes = std::vector<std::int64_t>;

TEST_CASE("team plan: predicted rates decide the parts, and who has none") {
  const GemmCall call{.m = 1000, .n = 1000, .k = 1000};
  const auto parts = [&](const Members& members) {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < members.size(); ++i) all.push_back(i);
    return sizes(plan_product({members, all}, call));
  };
  CHECK(parts({member(3), member(1)}) == Sizes{750, 250});
  // Transfers that take as long as everything on the other member.
  CHECK(parts({member(10), member(30, 0.2)}) == Sizes{1000, 0});
  CHECK(parts({member(10), member(30, 0.02)})[1] > 500);
  // Nothing is known about the last one: as fast as the average.
  CHECK(parts({member(2), member(4), member(0)}) == Sizes{222, 445, 333});
  CHECK(parts({member(0), member(0)}) == Sizes{500, 500});
}

TEST_CASE("team plan: measured rates correct predicted ones, alone and together") {
  const Members members{member(1), member(0)};
  const GemmCall call{.m = 4000, .n = 4000, .k = 4000};
  const auto parts = [&](const TeamResult& result) {
    return sizes(plan_product({members, {0, 1}, true, {}, &result}, call));
  };
  const GemmShape cube{512, 512, 512};
  CHECK(parts({ElementType::kFloat, cube, {6, 2}, {6, 2}, 8}) == Sizes{3000, 1000});
  // Together 8 GFLOPS, alone 9.
  CHECK(parts({ElementType::kFloat, cube, {9, 2}, {6, 2}, 8}) == Sizes{4000, 0});
  CHECK(parts({ElementType::kFloat, cube, {9, 9}, {6, 6}, 12}) == Sizes{2000, 2000});
  // A member that was not measured.
  CHECK(parts({ElementType::kFloat, cube, {6, 0}, {6, 0}, 6}) == Sizes{2000, 2000});
}

TEST_CASE("team plan: what the team was measured to wait counts for small products") {
  const Members members{member(0), member(0)};
  TeamResult result{ElementType::kFloat, {512, 512, 512}, {6, 2}, {6, 2}, 4};
  const auto parts = [&](std::size_t extent) {
    return sizes(plan_product({members, {0, 1}, true, {}, &result},
                              {.m = extent, .n = extent, .k = extent}));
  };
  CHECK(parts(512) == Sizes{512, 0});
  CHECK(parts(300) == Sizes{300, 0});
  CHECK(parts(4000) == Sizes{3000, 1000});
  // Together 6.5 GFLOPS, alone 6: the difference may be an error of the measurement.
  result.team_gflops = 6.5;
  CHECK(parts(512) == Sizes{512, 0});
  result.team_gflops = 7;
  CHECK(parts(512) == Sizes{384, 128});
}

TEST_CASE("team plan: only usable members, and another axis if there are few rows") {
  const Members members{member(8), member(1), member(1)};
  CHECK(sizes(plan_product({members, {1, 2}}, {.m = 1000, .n = 1000, .k = 1000})) ==
        Sizes{500, 500});
  const TeamPlan columns = plan_product({members, {1, 2}}, {.m = 1, .n = 9000, .k = 9000});
  CHECK(columns.axis == SplitAxis::kN);
  const TeamPlan steps = plan_product({members, {1, 2}}, {.m = 1, .n = 1, .k = 100'000'000});
  CHECK(steps.axis == SplitAxis::kK);
  const TeamPlan in_buffers =
      plan_product({members, {1, 2}, false}, {.m = 1, .n = 1, .k = 100'000'000});
  CHECK(in_buffers.axis != SplitAxis::kK);
}

constexpr GemmCall kTeamCall{.m = 512, .n = 512, .k = 512};

void multiply(Team& team, const GemmCall& call = kTeamCall) {
  std::vector<float> matrix(call.m * call.k);
  const HostPointer pointer{matrix.data(), call.k};
  team.gemm({call, pointer, pointer, pointer});
}

TEST_CASE("team: the first product of a type measures the members, and no later one") {
  const auto fast = member(1);
  const auto slow = member(1);
  fast->gflops = 9.0;
  slow->gflops = 3.0;
  Team team({fast, slow}, {});
  CHECK_THAT(team.explain(kTeamCall), ContainsSubstring("the next product measures"));
  multiply(team);
  const std::string explanation = team.explain(kTeamCall);
  CHECK_THAT(explanation, ContainsSubstring("rates measured at "));
  CHECK_THAT(explanation, !ContainsSubstring(" 0 of 512"));
  CHECK_THAT(explanation, !ContainsSubstring("256 of 512"));
  // Their rates change, and the parts do not.
  fast->gflops = 3.0;
  slow->gflops = 9.0;
  const int before = fast->num_products;
  for (int i = 0; i < 20; ++i) multiply(team);
  CHECK(fast->num_products == before + 20);
  CHECK(team.explain(kTeamCall) == explanation);
  team.measure(ElementType::kFloat);
  CHECK(team.explain(kTeamCall) != explanation);
}

TEST_CASE("team: nothing is measured if it need not, or must not be") {
  const auto products_of_first = [](TeamOptions options, bool has_other) {
    const auto first = member(1);
    Members members{first};
    if (has_other) members.push_back(member(1));
    Team team(members, std::move(options));
    multiply(team);
    return first->num_products.load();
  };
  TeamOptions predicted;
  predicted.measure = false;
  TeamOptions shares;
  shares.shares = {1, 1};
  TeamOptions profile;
  profile.profile = TeamProfile{{}, {{ElementType::kFloat, {64, 64, 64}, {2, 2}, {2, 2}, 4}}};
  CHECK(products_of_first({}, false) == 1);
  CHECK(products_of_first(predicted, true) == 1);
  CHECK(products_of_first(shares, true) == 1);
  CHECK(products_of_first(profile, true) == 1);
  CHECK(products_of_first({}, true) > 10);
}

TEST_CASE("team: a member that lacks memory while it is measured is measured again") {
  const auto small = member(1);
  const auto large = member(1);
  small->gflops = large->gflops = 40.0;  // so that the two together are clearly faster
  Team team({small, large}, {});
  small->lacks_memory = true;
  multiply(team);
  CHECK(team.num_skipped(0) > 0);
  try {
    team.measure(ElementType::kFloat);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.status() == TW_OUT_OF_MEMORY);
  }
  small->lacks_memory = false;
  multiply(team);
  CHECK_THAT(team.explain(kTeamCall), ContainsSubstring("rates measured at "));
  // Later calls try it again, however often it lacked memory.
  small->lacks_memory = true;
  for (int i = 0; i < 20; ++i) multiply(team);
  const std::size_t skipped = team.num_skipped(0);
  small->lacks_memory = false;
  const int before = small->num_products;
  multiply(team);
  CHECK(small->num_products == before + 1);
  CHECK(team.num_skipped(0) == skipped);
}

}  // namespace
}  // namespace tilewright
