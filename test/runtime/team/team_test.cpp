// Tests that teams compute correct products, whatever the members and the division, also if members
// fail.
#include "runtime/team/team.hpp"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "blas_case.hpp"
#include "catch.hpp"
#include "runtime/device/device_identity.hpp"
#include "runtime/team/cblas_member.hpp"
#include "team_case.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
using Members = std::vector<std::shared_ptr<const TeamMember>>;

// A member that supports everything and always fails, after it has written garbage to C if the
// product allows it.
class FailingMember : public TeamMember {
 public:
  const std::string& name() const override { return name_; }
  std::string profile_name() const override { return name_; }
  bool supports(ElementType) const override { return true; }
  std::optional<MemberPrediction> predict(const GemmCall&, bool) const override {
    return std::nullopt;
  }
  void multiply(const HostGemm& product) const override {
    if (product.call.beta == 0.0) {
      std::memset(product.c.data, 1, bytes_per_element(product.call.type));
    }
    throw error;
  }

  Error error{TW_OPENCL_ERROR, "out of order, as ordered", CL_OUT_OF_RESOURCES};

 private:
  std::string name_ = "failing";
};

// Libraries on two devices.
struct Pair {
  TeamQueues on;
  std::vector<Library> libraries;
  Pair(const TestDevice& d, bool one_context) : on(d, one_context) {
    for (std::size_t i = 0; i < 2; ++i) {
      libraries.push_back(Library::open(on.context(i), on.devices[i], ProfileSource::builtin()));
    }
  }
  std::shared_ptr<const TeamMember> member(std::size_t index) const {
    return std::make_shared<DeviceMember>(libraries[index], on.queues[index]);
  }
};

// The first of: two devices, CBLAS, a member that fails.
Members first_members(const Pair& pair, std::size_t count) {
  Members members;
  if (count > 0) members.push_back(pair.member(0));
  if (count > 1) members.push_back(pair.member(1));
  if (count > 2) members.push_back(std::make_shared<CblasMember>(TILEWRIGHT_PLAIN_CBLAS));
  if (count > 3) members.push_back(std::make_shared<FailingMember>());
  return members;
}

Members cblas_members(std::size_t count) {
  Members members;
  for (std::size_t i = 0; i < count; ++i) {
    members.push_back(std::make_shared<CblasMember>(TILEWRIGHT_PLAIN_CBLAS));
  }
  return members;
}

template <class Element>
HostPointer pointer_to(StoredMatrixOf<Element>& matrix) {
  return {matrix.data.data() + matrix.offset, matrix.ld};
}

// Returns the first error of a product in host memory, or "".
template <class Element>
std::string wrong_product(Team& team, const GemmCall& call, std::size_t offset, std::size_t gap,
                          unsigned seed) {
  const BlasCaseOf<Element> test(call, offset, gap, seed);
  BlasCaseOf<Element> memory = test;
  team.gemm({call, pointer_to(memory.a), pointer_to(memory.b), pointer_to(memory.c)});
  return test.wrong(memory.c.data);
}

struct RandomCall {
  GemmCall call;
  std::size_t offset = 0;
  std::size_t gap = 0;
};

RandomCall random_call(std::mt19937& random, ElementType type) {
  const auto below = [&](std::size_t limit) { return random() % limit; };
  const auto extent = [&] { return below(5) == 0 ? below(3) : 1 + below(40); };
  constexpr Transpose kTransposes[] = {Transpose::kNo, Transpose::kYes, Transpose::kConjugate};
  constexpr double kScalars[] = {0.0, 1.0, -0.5};
  RandomCall result;
  GemmCall& call = result.call;
  call = {.m = extent(), .n = extent(), .k = extent(), .type = type};
  call.alpha = kScalars[below(4) == 0 ? 0 : 1 + below(2)];
  call.beta = kScalars[below(3)];
  if (is_complex(type) && below(2) == 0) call.alpha += std::complex<double>(0.0, 0.75);
  call.trans_a = kTransposes[below(3)];
  call.trans_b = kTransposes[below(3)];
  call.order = below(2) == 0 ? Order::kRowMajor : Order::kColumnMajor;
  result.offset = below(2) * below(20);
  result.gap = below(2) * below(20);
  return result;
}

// Random calls on random teams with random divisions along every axis. Half precision is not
// divided along k, because partial sums would be rounded.
template <class Element>
void check_random_products(const TestDevice& d, const Pair& pair, int count) {
  constexpr ElementType kType = TraitsOf<Element>::kType;
  if (!has_extension(d.device, required_extension(element_precision(kType)))) return;
  std::mt19937 random(static_cast<unsigned>(kType) + 1);
  for (int i = 0; i < count; ++i) {
    const RandomCall given = random_call(random, kType);
    const std::size_t members = 1 + random() % 4;
    TeamOptions options;
    for (std::size_t j = 0; j < members; ++j) options.shares.push_back(random() % 4);
    options.shares[random() % members] += 1;
    const bool divides_k = kType != ElementType::kHalf && given.call.k > 0;
    options.axis = static_cast<SplitAxis>(random() % (divides_k ? 3 : 2));
    Team team(first_members(pair, members), options);
    const std::string wrong =
        wrong_product<Element>(team, given.call, given.offset, given.gap, random());
    INFO(members << " members, axis " << static_cast<int>(*options.axis) << ", " << given.call.m
                 << "x" << given.call.n << "x" << given.call.k << " alpha " << given.call.alpha
                 << " beta " << given.call.beta << " order " << static_cast<int>(given.call.order)
                 << " transposes " << static_cast<int>(given.call.trans_a) << " "
                 << static_cast<int>(given.call.trans_b));
    CHECK(wrong == "");
  }
}

TEST_CASE("team: random products in host memory with random divisions are right") {
  const TestDevice d;
  const Pair pair(d, false);
  check_random_products<float>(d, pair, 60);
  check_random_products<double>(d, pair, 30);
  check_random_products<Half>(d, pair, 30);
  check_random_products<std::complex<float>>(d, pair, 30);
  check_random_products<std::complex<double>>(d, pair, 30);
}

TEST_CASE("team: random products in buffers of a shared context are right") {
  const TestDevice d;
  const Pair pair(d, true);
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    const RandomCall given = random_call(random, ElementType::kFloat);
    TeamOptions options;
    if (i % 4 != 0) options.shares = {1.0 + static_cast<double>(random() % 4), 1.0};
    if (i % 2 != 0) options.axis = static_cast<SplitAxis>(random() % 2);
    Team team(first_members(pair, 2), options);
    const BlasCase test(given.call, given.offset, given.gap, random());
    const auto in_buffer = [&](const StoredMatrix& matrix) {
      return Matrix{
          cl::Buffer(pair.on.context(0), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                     matrix.data.size() * sizeof(float), const_cast<float*>(matrix.data.data())),
          matrix.offset, matrix.ld};
    };
    const Matrix c = in_buffer(test.c);
    // All parts wait for the wait list.
    cl::UserEvent gate(pair.on.context(0));
    const cl::Event done =
        team.enqueue(given.call, in_buffer(test.a), in_buffer(test.b), c, {gate});
    gate.setStatus(CL_COMPLETE);
    std::vector<float> got(test.c.data.size());
    const std::vector<cl::Event> waits{done};
    pair.on.queues[0].enqueueReadBuffer(c.buffer, CL_TRUE, 0, got.size() * sizeof(float),
                                        got.data(), &waits);
    INFO(given.call.m << "x" << given.call.n << "x" << given.call.k);
    CHECK(test.wrong(got) == "");
  }
}

TEST_CASE("team: divisions that are chosen by time are right, and settle") {
  const TestDevice d;
  const Pair pair(d, false);
  Team team(first_members(pair, 3), {});
  for (const GemmCall& call :
       {GemmCall{.m = 96, .n = 64, .k = 80}, GemmCall{.m = 4, .n = 200, .k = 64},
        GemmCall{.m = 16, .n = 16, .k = 3000}, GemmCall{.m = 7, .n = 5, .k = 3, .beta = 1.0}}) {
    for (unsigned i = 0; i < 12; ++i) CHECK(wrong_product<float>(team, call, 0, 3, i) == "");
    CHECK_THAT(team.explain(call), ContainsSubstring("member 0, ") && ContainsSubstring(" of "));
  }
}

TEST_CASE("team: a team profile decides the division") {
  TeamOptions options;
  options.adapt = false;
  options.profile =
      TeamProfile{{{"a", ""}, {"b", ""}},
                  {{ElementType::kFloat, {512, 512, 512}, {9.0, 9.0}, {6.0, 2.0}, 8.0},
                   {ElementType::kDouble, {512, 512, 512}, {9.0, 1.0}, {1.0, 1.0}, 2.0}}};
  Team team(cblas_members(2), options);
  GemmCall call{.m = 4000, .n = 4000, .k = 4000};
  // Together 8 GFLOPS, alone 9: within 5 %, the faster way is one member.
  CHECK_THAT(team.explain(call), ContainsSubstring(": 4000 of 4000 rows of C"));
  call.type = ElementType::kDouble;
  CHECK_THAT(team.explain(call), ContainsSubstring(": 4000 of 4000 rows of C"));
  options.profile->results[0].alone_gflops = {6.0, 2.0};
  Team other(cblas_members(2), options);
  CHECK_THAT(other.explain({.m = 4000, .n = 4000, .k = 4000}),
             ContainsSubstring(": 3000 of 4000 rows of C"));
  // The team was measured to be slower than its best member, because its members wait for each
  // other. That counts for products of this size, and hardly for much larger ones.
  options.profile->results[0].team_gflops = 4.0;
  Team waiting(cblas_members(2), options);
  CHECK_THAT(waiting.explain({.m = 512, .n = 512, .k = 512}),
             ContainsSubstring(": 512 of 512 rows of C"));
  CHECK_THAT(waiting.explain({.m = 300, .n = 300, .k = 300}),
             ContainsSubstring(": 300 of 300 rows of C"));
  CHECK_THAT(waiting.explain({.m = 4000, .n = 4000, .k = 4000}),
             ContainsSubstring(": 3000 of 4000 rows of C"));
}

TEST_CASE("team: a team profile names a CBLAS with its number of threads") {
  CHECK(CblasMember(TILEWRIGHT_PLAIN_CBLAS).profile_name().find("thread") == std::string::npos);
  CHECK_THAT(CblasMember(TILEWRIGHT_THREADED_CBLAS).profile_name(),
             Catch::Matchers::EndsWith("cblas.so, 3 threads"));
}

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
