// Tests that teams compute correct products, whatever the members and the division.
// (failing_members_test.cpp tests members that fail.)
#include "runtime/team/team.hpp"

#include <complex>
#include <random>

#include "catch.hpp"
#include "runtime/device/device_identity.hpp"
#include "team_members.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
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

TEST_CASE("team: divisions that are chosen by time are right") {
  const TestDevice d;
  const Pair pair(d, false);
  Team team(first_members(pair, 3), {});
  for (const GemmCall& call :
       {GemmCall{.m = 96, .n = 64, .k = 80}, GemmCall{.m = 4, .n = 200, .k = 64},
        GemmCall{.m = 16, .n = 16, .k = 3000}, GemmCall{.m = 7, .n = 5, .k = 3, .beta = 1.0}}) {
    for (unsigned i = 0; i < 3; ++i) CHECK(wrong_product<float>(team, call, 0, 3, i) == "");
    CHECK_THAT(team.explain(call), ContainsSubstring("member 0, ") && ContainsSubstring(" of "));
  }
}

TEST_CASE("team: a team profile names a CBLAS with its number of threads") {
  CHECK(CblasMember(TILEWRIGHT_PLAIN_CBLAS).profile_name().find("thread") == std::string::npos);
  CHECK_THAT(CblasMember(TILEWRIGHT_THREADED_CBLAS).profile_name(),
             Catch::Matchers::EndsWith("cblas.so, 3 threads"));
}

}  // namespace
}  // namespace tilewright
