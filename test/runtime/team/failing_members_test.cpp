// Tests that a team computes correct products although some of its members cannot, or reports why
// none can.
#include <atomic>
#include <chrono>
#include <thread>

#include "catch.hpp"
#include "team_members.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("team: a member that fails is dropped, and the others compute its part") {
  const TestDevice d;
  const Pair pair(d, false);
  for (const SplitAxis axis : {SplitAxis::kM, SplitAxis::kN, SplitAxis::kK}) {
    for (const double beta : {0.0, -0.5}) {
      Members members;
      members.push_back(std::make_shared<FailingMember>());
      members.push_back(pair.member(0));
      members.push_back(std::make_shared<FailingMember>());
      members.push_back(std::make_shared<CblasMember>(TILEWRIGHT_PLAIN_CBLAS));
      Team team(std::move(members), {{1, 1, 1, 1}, true, axis, {}});
      const GemmCall call{.m = 30, .n = 20, .k = 40, .beta = beta};
      INFO("axis " << static_cast<int>(axis) << " beta " << beta);
      CHECK(wrong_product<float>(team, call, 1, 2, 1) == "");
      CHECK_THAT(team.drop_reason(0), ContainsSubstring("failing: out of order, as ordered"));
      CHECK(std::string(team.drop_reason(1)).empty());
      CHECK_FALSE(std::string(team.drop_reason(2)).empty());
      CHECK(wrong_product<float>(team, call, 0, 0, 2) == "");  // without the failed members
      CHECK_THAT(team.explain(call), ContainsSubstring("dropped"));
    }
  }
}

TEST_CASE("team: a member that lacks memory for a product is not dropped") {
  const Error lacks_memory(TW_OUT_OF_MEMORY, "too large", CL_MEM_OBJECT_ALLOCATION_FAILURE);
  const auto small = std::make_shared<FailingMember>();
  small->error = lacks_memory;
  Members members{small, std::make_shared<CblasMember>(TILEWRIGHT_PLAIN_CBLAS)};
  Team team(std::move(members), {{1, 1}, true, {}, {}});
  for (unsigned i = 0; i < 2; ++i) {
    CHECK(wrong_product<float>(team, {.m = 9, .n = 8, .k = 7, .beta = 1.0}, 0, 0, i) == "");
  }
  CHECK(std::string(team.drop_reason(0)).empty());
  // The caller can see that it did not take part.
  CHECK(team.num_skipped(0) == 2);
  CHECK_THAT(team.skip_reason(0), ContainsSubstring("failing: too large"));
  CHECK(team.num_skipped(1) == 0);
  CHECK(std::string(team.skip_reason(1)).empty());
  Team alone({small}, {});
  for (int i = 0; i < 2; ++i) {
    try {
      wrong_product<float>(alone, {.m = 8, .n = 8, .k = 8}, 0, 0, 1);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.status() == TW_OUT_OF_MEMORY);
    }
  }
}

// A CBLAS with a predicted rate. It lacks memory in one of its calls, and notices that late.
class ForgetfulMember : public TeamMember {
 public:
  ForgetfulMember(const GemmCall& whole, int failing_call)
      : whole_rows_(whole.m), failing_call_(failing_call) {}
  const std::string& name() const override { return blas_.name(); }
  std::string profile_name() const override { return blas_.profile_name(); }
  bool supports(ElementType type) const override { return blas_.supports(type); }
  std::optional<MemberPrediction> predict(const GemmCall& call, bool) const override {
    return MemberPrediction{kWholeSeconds * static_cast<double>(call.m) /
                            static_cast<double>(whole_rows_)};
  }
  void multiply(const HostGemm& product) const override {
    const int call = ++num_calls_;
    if (call == failing_call_) {
      std::this_thread::sleep_for(std::chrono::duration<double>(20 * kWholeSeconds));
      throw Error(TW_OUT_OF_MEMORY, "too large", CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    if (product.call.m < whole_rows_ && failing_call_ > 0 && call > failing_call_) ++num_later_;
    blas_.multiply(product);
  }
  // Parts of divided products that it computed after its failure.
  int num_later_parts() const { return num_later_; }

 private:
  static constexpr double kWholeSeconds = 0.01;
  CblasMember blas_{TILEWRIGHT_PLAIN_CBLAS};
  std::size_t whole_rows_;
  int failing_call_;  // 0: none
  mutable std::atomic<int> num_calls_ = 0;
  mutable std::atomic<int> num_later_ = 0;
};

TEST_CASE("team: a member that lacks memory once is used again") {
  const GemmCall call{.m = 64, .n = 8, .k = 8};
  for (const int failing_call : {1, 2}) {
    INFO("call " << failing_call);
    const auto once = std::make_shared<ForgetfulMember>(call, failing_call);
    Team team({once, std::make_shared<ForgetfulMember>(call, 0)}, {});
    for (int i = 0; i < failing_call; ++i) {
      CHECK(wrong_product<float>(team, call, 0, 0, 1) == "");
    }
    REQUIRE(team.num_skipped(0) == 1);
    for (int i = failing_call; i < 12; ++i) {
      CHECK(wrong_product<float>(team, call, 0, 0, 1) == "");
    }
    CHECK(team.num_skipped(0) == 1);
    CHECK(once->num_later_parts() > 0);
  }
}

TEST_CASE("team: if all members fail, the product fails with the error of the last one") {
  Members members;
  members.push_back(std::make_shared<FailingMember>());
  members.push_back(std::make_shared<FailingMember>());
  Team team(std::move(members), {{1, 1}, true, {}, {}});
  for (int i = 0; i < 2; ++i) {
    try {
      wrong_product<float>(team, {.m = 8, .n = 8, .k = 8}, 0, 0, 1);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.status() == TW_OPENCL_ERROR);
      CHECK(error.opencl_code() == CL_OUT_OF_RESOURCES);
      CHECK_THAT(error.what(), ContainsSubstring("all members of the team"));
    }
  }
}

TEST_CASE("team: members that do not support the type are not used, and not dropped") {
  const TestDevice d;
  const Pair pair(d, false);
  Team cblas(cblas_members(1), {});
  try {
    wrong_product<Half>(cblas, {.m = 8, .n = 8, .k = 8, .type = ElementType::kHalf}, 0, 0, 1);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.status() == TW_UNSUPPORTED_TYPE);
  }
  CHECK(std::string(cblas.drop_reason(0)).empty());
  Team both(first_members(pair, 3), {{0, 0, 1}, true, {}, {}});
  CHECK(wrong_product<Half>(both, {.m = 8, .n = 8, .k = 8, .type = ElementType::kHalf}, 0, 0, 1) ==
        "");
}

}  // namespace
}  // namespace tilewright
