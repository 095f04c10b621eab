// Tests that a team computes correct products although some of its members cannot, or reports why
// none can.
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
