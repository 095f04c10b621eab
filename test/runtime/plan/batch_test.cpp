// Tests how batches are expanded, joined and folded. Needs no device.
#include "runtime/plan/batch.hpp"

#include <array>
#include <functional>
#include <limits>

#include "catch.hpp"
#include "runtime/plan/plan.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max();

tw_status thrown_status(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.status();
  }
  return TW_SUCCESS;
}

TEST_CASE("strides count from the offset, and overflow to the maximum") {
  const StridedMatrices a{{}, 3, 2, 10};
  const StridedMatrices b{{}, 5, 2, 0};
  const StridedMatrices c{{}, 7, 2, kLargest / 2};
  Batch batch;
  for (std::size_t i = 0; i < 4; ++i) {
    batch.push_back(strided_product({.m = 2, .n = 2, .k = 2}, a, b, c, i));
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    CHECK(batch[i].call.m == 2);
    CHECK(batch[i].a.offset == 3 + 10 * i);
    CHECK(batch[i].b.offset == 5);
    CHECK(batch[i].b.ld == 2);
  }
  CHECK(batch[0].c.offset == 7);
  CHECK(batch[1].c.offset == 7 + kLargest / 2);
  CHECK(batch[2].c.offset == kLargest);
  CHECK(batch[3].c.offset == kLargest);
}

TEST_CASE("products that would overwrite each other are rejected") {
  const StridedMatrices x{{}, 0, 2, 0};
  CHECK(thrown_status([&] { require_apart(x, 0); }) == TW_SUCCESS);
  CHECK(thrown_status([&] { require_apart(x, 1); }) == TW_SUCCESS);
  CHECK(thrown_status([&] { require_apart(x, 2); }) == TW_INVALID_VALUE);
}

// Problems whose A, B and C start at the given offsets.
std::vector<GemmProblem> problems_at(const std::vector<std::array<std::size_t, 3>>& offsets) {
  std::vector<GemmProblem> problems;
  for (const auto& [a, b, c] : offsets) {
    GemmProblem& problem = problems.emplace_back();
    problem.shape = {8, 8, 8};
    problem.a = {nullptr, a, 8};
    problem.b = {nullptr, b, 8};
    problem.c = {nullptr, c, 8};
  }
  return problems;
}

TEST_CASE("products at equal distances with the same scalars are joined, in order") {
  const auto counts = [](const std::vector<GemmProblem>& problems) {
    std::vector<std::size_t> found;
    std::size_t place = 0;
    for (const GemmProblem& run : coalesce(problems)) {
      found.push_back(run.batch.count);
      for (std::size_t i = 0; i < run.batch.count; ++i, ++place) {
        const GemmProblem one = batch_product(run, i);
        CHECK(one.batch.count == 1);
        CHECK(one.a.offset == problems[place].a.offset);
        CHECK(one.b.offset == problems[place].b.offset);
        CHECK(one.c.offset == problems[place].c.offset);
        CHECK(one.alpha == problems[place].alpha);
      }
    }
    CHECK(place == problems.size());
    return found;
  };
  using Counts = std::vector<std::size_t>;
  CHECK(counts({}) == Counts{});
  CHECK(counts(problems_at({{1, 2, 3}})) == Counts{1});
  CHECK(counts(problems_at({{0, 5, 0}, {64, 5, 70}, {128, 5, 140}})) == Counts{3});
  CHECK(counts(problems_at({{0, 0, 0}, {64, 0, 64}, {128, 0, 129}, {192, 0, 194}})) ==
        Counts{2, 2});
  // Distances are not negative, and no C may coincide with another.
  CHECK(counts(problems_at({{64, 0, 0}, {0, 0, 64}})) == Counts{1, 1});
  CHECK(counts(problems_at({{0, 0, 64}, {64, 0, 0}})) == Counts{1, 1});
  CHECK(counts(problems_at({{0, 0, 0}, {0, 0, 0}})) == Counts{1, 1});
  std::vector<GemmProblem> scaled = problems_at({{0, 0, 0}, {1, 1, 64}, {2, 2, 128}});
  scaled[2].alpha = 2.0f;
  CHECK(counts(scaled) == Counts{2, 1});
  scaled[1].beta = 1.0f;
  CHECK(counts(scaled) == Counts{1, 1, 1});
}

TEST_CASE("distances are swapped with the matrices of a column-major call") {
  const StridedMatrices a{{}, 0, 8, 10};
  const StridedMatrices b{{}, 0, 8, 20};
  const StridedMatrices c{{}, 0, 8, 30};
  const GemmProblem rows = strided_problem({}, {.order = Order::kRowMajor}, a, b, c, 5);
  CHECK((rows.batch.count == 5 && rows.batch.a == 10 && rows.batch.b == 20 && rows.batch.c == 30));
  const GemmProblem columns = strided_problem({}, {.order = Order::kColumnMajor}, a, b, c, 5);
  CHECK((columns.batch.a == 20 && columns.batch.b == 10 && columns.batch.c == 30));
}

TEST_CASE("a batch is planned with the common alignment of its products") {
  GemmProblem batch = problems_at({{16, 0, 4}}).front();
  batch.batch = {3, 24, 6, 8};
  const GemmProblem like = planning_representative(batch);
  CHECK((like.a.offset == 8 && like.b.offset == 6 && like.c.offset == 4));
  CHECK((like.batch.count == 2 && like.batch.a == 0));
  CHECK(planning_representative(problems_at({{16, 3, 4}}).front()).a.offset == 16);
}

TEST_CASE("each product of a list has its own offsets and scalars") {
  const ListedMatrices a{{}, {1, 2}, 9};
  const ListedMatrices b{{}, {3, 4}, 9};
  const ListedMatrices c{{}, {5, 6}, 9};
  const GemmCall call{.m = 1, .n = 1, .k = 1, .alpha = 2.0f, .beta = 3.0f};
  const Batch plain = listed_batch(call, a, b, c, {});
  REQUIRE(plain.size() == 2);
  CHECK(plain[1].call.alpha == 2.0);
  CHECK(plain[1].call.beta == 3.0);
  const Batch scaled = listed_batch(call, a, b, c, {{0.5f, 1.5f}, {}});
  CHECK(scaled[1].call.alpha == 1.5);
  CHECK(scaled[1].call.beta == 3.0);
  CHECK(scaled[1].a.offset == 2);
  CHECK(scaled[1].b.offset == 4);
  CHECK(scaled[1].c.offset == 6);
  CHECK(listed_batch(call, {}, {}, {}, {}).empty());
}

TEST_CASE("lists of different lengths are rejected") {
  const ListedMatrices two{{}, {0, 0}, 9};
  const ListedMatrices one{{}, {0}, 9};
  CHECK(thrown_status([&] { listed_batch({}, one, two, two, {}); }) == TW_INVALID_VALUE);
  CHECK(thrown_status([&] { listed_batch({}, two, one, two, {}); }) == TW_INVALID_VALUE);
  CHECK(thrown_status([&] { listed_batch({}, two, two, one, {}); }) == TW_INVALID_VALUE);
  CHECK(thrown_status([&] { listed_batch({}, two, two, two, {{1.0f}, {}}); }) == TW_INVALID_VALUE);
  CHECK(thrown_status([&] { listed_batch({}, two, two, two, {{}, {1.0f}}); }) == TW_INVALID_VALUE);
}

// A batch of 3 products 4 x 5 x 6 with the given strides and leading dimensions, folded.
std::optional<Product> folded(const GemmCall& call, const StridedMatrices& a,
                              const StridedMatrices& b, const StridedMatrices& c,
                              std::size_t count = 3) {
  return folded_batch(call, a, b, c, count);
}

TEST_CASE("products with one B, and A and C that are consecutive rows, are one product") {
  const GemmCall call{.m = 4, .n = 5, .k = 6, .alpha = 2.0f, .beta = 3.0f};
  const StridedMatrices a{{}, 1, 8, 4 * 8};
  const StridedMatrices b{{}, 2, 9, 0};
  const StridedMatrices c{{}, 3, 7, 4 * 7};
  const auto one = folded(call, a, b, c);
  REQUIRE(one);
  CHECK((one->call.m == 12 && one->call.n == 5 && one->call.k == 6));
  CHECK((one->call.alpha == 2.0 && one->call.beta == 3.0));
  CHECK((one->a.offset == 1 && one->a.ld == 8));
  CHECK((one->b.offset == 2 && one->b.ld == 9));
  CHECK((one->c.offset == 3 && one->c.ld == 7));
  // Adjacent columns are not consecutive rows, and matrices with gaps are not consecutive.
  CHECK_FALSE(folded(call, {{}, 1, 30, 4}, b, c));
  CHECK_FALSE(folded(call, {{}, 1, 8, 5 * 8}, b, c));
  CHECK_FALSE(folded(call, a, b, {{}, 3, 7, 5 * 7}));
  CHECK_FALSE(folded(call, a, {{}, 2, 9, 6 * 9}, c));
  // With A transposed, the rows of op(A) are columns as stored, and the rows in memory must be long
  // enough.
  GemmCall transposed = call;
  transposed.trans_a = Transpose::kYes;
  CHECK(folded(transposed, {{}, 1, 12, 4}, b, c));
  CHECK_FALSE(folded(transposed, {{}, 1, 11, 4}, b, c));
  CHECK_FALSE(folded(transposed, {{}, 1, 12, 4 * 12}, b, c));
  // Batches of one or no product are not folded, and neither are batches that exceed the maximum
  // extent.
  CHECK_FALSE(folded(call, a, b, c, 1));
  CHECK_FALSE(folded(call, a, b, c, 0));
  CHECK_FALSE(folded(call, a, b, c, 500'000'001));
  // Nor are batches that write the same C several times, even if it is empty.
  CHECK_FALSE(folded({.m = 0, .n = 5, .k = 6}, {{}, 1, 8, 0}, b, {{}, 3, 7, 0}));
}

TEST_CASE("products with one A, and B and C that are consecutive columns, are one product") {
  const GemmCall call{.m = 4, .n = 5, .k = 6};
  const StridedMatrices a{{}, 0, 6, 0};
  const StridedMatrices b{{}, 0, 15, 5};
  const StridedMatrices c{{}, 0, 16, 5};
  const auto one = folded(call, a, b, c);
  REQUIRE(one);
  CHECK((one->call.m == 4 && one->call.n == 15 && one->call.k == 6));
  CHECK_FALSE(folded(call, a, {{}, 0, 14, 5}, c));
  CHECK_FALSE(folded(call, a, b, {{}, 0, 14, 5}));
  GemmCall transposed = call;
  transposed.trans_b = Transpose::kYes;
  CHECK(folded(transposed, a, {{}, 0, 7, 5 * 7}, c));
  CHECK_FALSE(folded(transposed, a, b, c));
}

TEST_CASE("in column-major order, a batch folds along the other extents") {
  GemmCall call{.m = 4, .n = 5, .k = 6, .order = Order::kColumnMajor};
  const auto wide = folded(call, {{}, 0, 4, 0}, {{}, 0, 7, 5 * 7}, {{}, 0, 8, 5 * 8});
  REQUIRE(wide);
  CHECK(wide->call.n == 15);
  const auto tall = folded(call, {{}, 0, 12, 4}, {{}, 0, 6, 0}, {{}, 0, 13, 4});
  REQUIRE(tall);
  CHECK(tall->call.m == 12);
  call.trans_a = Transpose::kYes;
  CHECK(folded(call, {{}, 0, 6, 4 * 6}, {{}, 0, 6, 0}, {{}, 0, 13, 4}));
  call.trans_a = Transpose::kNo;
  call.trans_b = Transpose::kYes;
  CHECK(folded(call, {{}, 0, 4, 0}, {{}, 0, 15, 5}, {{}, 0, 8, 5 * 8}));
}

TEST_CASE("a batch of complex products is not folded beyond the maximum extents") {
  GemmCall call{.m = 1'000'000, .n = 1, .k = 1};
  const StridedMatrices a{{}, 0, 1, 1'000'000};
  const StridedMatrices b{{}, 0, 1, 0};
  CHECK(folded_batch(call, a, b, a, 1500).has_value());
  call.type = ElementType::kComplexFloat;
  CHECK_FALSE(folded_batch(call, a, b, a, 1500).has_value());
  CHECK(folded_batch(call, a, b, a, 500).has_value());
}

TEST_CASE("a list in which two C have the same offset is refused, unless they are empty") {
  GemmCall call{.m = 2, .n = 3, .k = 4};
  const auto status = [&](const std::vector<std::size_t>& offsets) {
    const std::vector<std::size_t> zeros(offsets.size());
    try {
      listed_batch(call, {{}, zeros, 4}, {{}, zeros, 3}, {{}, offsets, 3}, {});
    } catch (const Error& error) {
      return error.status();
    }
    return TW_SUCCESS;
  };
  CHECK(status({}) == TW_SUCCESS);
  CHECK(status({6}) == TW_SUCCESS);
  CHECK(status({0, 6, 12}) == TW_SUCCESS);
  CHECK(status({12, 0, 6}) == TW_SUCCESS);
  CHECK(status({6, 6}) == TW_INVALID_VALUE);
  CHECK(status({6, 0, 12, 6}) == TW_INVALID_VALUE);
  call.n = 0;
  CHECK(status({6, 6}) == TW_SUCCESS);
}

}  // namespace
}  // namespace tilewright
