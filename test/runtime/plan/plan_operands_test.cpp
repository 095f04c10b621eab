// Tests the additional steps of a plan (packing, unpacking, reduction), and when there is no plan.
#include "catch.hpp"
#include "plan_records.hpp"
#include "runtime/call/storage.hpp"

namespace tilewright {
namespace {

TEST_CASE("a kernel whose layouts no pack kernel supports has no plan") {
  KernelRecord panels = gemm("panels", Op::kNN);
  panels.layout_a = layout("R 8 1 C");
  panels.multiples = {8, 1, 1};
  Profile profile = generic({panels, pack("other panels", "R", "R 4 1 C"),
                             pack_image("image", "R", "R"), pack("unpack", "R 8 1 C", "R")});
  CHECK(rank({&profile}, Op::kNN, {20, 8, 8}).empty());
  CHECK(rank({&profile}, Op::kTN, {20, 8, 8}).empty());
  profile.kernels.push_back(pack("panels of R", "R", "R 8 1 C"));
  const auto plans = rank({&profile}, Op::kNN, {20, 8, 8});
  REQUIRE(names(plans) == Names{"panels"});
  CHECK(names(plans[0].choices[CallStep::kPackA]) == Names{"panels of R"});
  CHECK(
      (plans[0].choices[CallStep::kPackB].empty() && plans[0].choices[CallStep::kUnpackC].empty()));
  CHECK(rank({&profile}, Op::kTN, {20, 8, 8}).empty());
  // A pack kernel of another profile can be used, too.
  const Profile fallback = generic({pack("panels of C", "C", "R 8 1 C")});
  CHECK(names(rank({&profile, &fallback}, Op::kTN, {20, 8, 8})) == Names{"panels"});
}

TEST_CASE("the suitable pack kernels are in order of preference") {
  KernelRecord large = pack("large", "C", "R");
  large.work_group = {32, 32};
  const Profile profile = tuned({gemm("nn", Op::kNN), large, pack("medium", "C", "R")}, {});
  const Profile fallback = generic({pack("one", "C", "R")});
  const auto plans = rank({&profile, &fallback}, Op::kNT, {8, 8, 8});
  REQUIRE(plans.size() == 1);
  CHECK(names(plans[0].choices[CallStep::kPackB]) == Names{"medium", "one"});
}

TEST_CASE("a pack kernel with multiples or alignment supports only extents that are multiples") {
  KernelRecord whole = pack("whole", "C", "R");
  whole.multiples = {4, 8, 1};
  KernelRecord aligned = pack("aligned", "C", "R");
  aligned.alignment = 4;
  const Profile profile = generic({gemm("nn", Op::kNN), whole, aligned, pack("any", "C", "R")});
  const auto packs = [&](const GemmProblem& problem) {
    const auto plans = rank_plans({&profile}, kOffered, problem);
    REQUIRE(plans.size() == 1);
    return names(plans[0].choices[CallStep::kPackA]);
  };
  CHECK(packs(make_problem(Op::kTN, {8, 5, 16})) == Names{"whole", "aligned", "any"});
  CHECK(packs(make_problem(Op::kTN, {8, 5, 12})) == Names{"aligned", "any"});
  CHECK(packs(make_problem(Op::kTN, {6, 5, 16})) == Names{"any"});
  GemmProblem offset = make_problem(Op::kTN, {8, 5, 12});
  offset.a.offset = 2;
  CHECK(packs(offset) == Names{"any"});
}

TEST_CASE("a C in another layout is packed if it is read, and unpacked") {
  KernelRecord chunks = gemm("chunks", Op::kNN);
  chunks.layout_c = layout("C 4 4 C");
  chunks.multiples = {4, 4, 1};
  Profile profile = tuned({chunks, pack("in", "R", "C 4 4 C")}, {});
  GemmProblem problem = make_problem(Op::kNN, {9, 9, 9});
  CHECK(rank_plans({&profile}, kOffered, problem).empty());
  profile.kernels.push_back(pack("out", "C 4 4 C", "R"));
  const auto written = rank_plans({&profile}, kOffered, problem);
  REQUIRE(written.size() == 1);
  CHECK((written[0].choices[CallStep::kPackC].empty() &&
         names(written[0].choices[CallStep::kUnpackC]) == Names{"out"}));
  problem.beta = 1.0f;
  const auto updated = rank_plans({&profile}, kOffered, problem);
  REQUIRE(updated.size() == 1);
  CHECK((names(updated[0].choices[CallStep::kPackC]) == Names{"in"} &&
         names(updated[0].choices[CallStep::kUnpackC]) == Names{"out"}));
  profile.kernels.erase(profile.kernels.begin() + 1);
  CHECK(rank_plans({&profile}, kOffered, problem).empty());
}

TEST_CASE("a kernel with split k needs a kernel that adds up the parts") {
  KernelRecord split = gemm("split", Op::kNN);
  split.split_k = 4;
  KernelRecord biased = reduce("adds a bias");
  biased.bias = Dimension::kM;
  KernelRecord active = reduce("cuts off");
  active.activation = Activation::kRelu;
  KernelRecord aligned = reduce("aligned");
  aligned.alignment = 4;
  Profile profile = tuned({split, biased, active}, {});
  CHECK(rank({&profile}, Op::kNN, {8, 8, 8}).empty());
  profile.kernels.push_back(aligned);
  profile.kernels.push_back(reduce("any"));
  const auto plans = rank({&profile}, Op::kNN, {8, 8, 8});
  REQUIRE(names(plans) == Names{"split"});
  CHECK(names(plans[0].choices[CallStep::kReduce]) == Names{"aligned", "any"});
  CHECK(reason_text(plans[0]).find("k is split into 4 parts") != std::string::npos);
  CHECK(names(rank({&profile}, Op::kNN, {8, 6, 8}).at(0).choices[CallStep::kReduce]) ==
        Names{"any"});
  GemmProblem offset = make_problem(Op::kNN, {8, 8, 8});
  offset.c.offset = 2;
  CHECK(names(rank_plans({&profile}, kOffered, offset).at(0).choices[CallStep::kReduce]) ==
        Names{"any"});
  // 4 parts of 256 x 257 floats exceed the maximum buffer size.
  CHECK(rank({&profile}, Op::kNN, {256, 256, 8}).size() == 1);
  CHECK(rank({&profile}, Op::kNN, {256, 257, 8}).empty());
}

TEST_CASE("operands are packed into images if the device supports images that are large enough") {
  KernelRecord reads_image = gemm("image", Op::kNN);
  reads_image.images.b = true;
  const Profile profile =
      tuned({reads_image, pack_image("to image", "R", "R"), pack("to buffer", "R", "R")}, {});
  const auto plans = rank({&profile}, Op::kNN, {8, 8, 8});
  REQUIRE(names(plans) == Names{"image"});
  CHECK(names(plans[0].choices[CallStep::kPackB]) == Names{"to image"});
  CHECK(rank({&profile}, Op::kNN, {8, 256, 64}).size() == 1);  // 64 x 64 pixels
  CHECK(rank({&profile}, Op::kNN, {8, 257, 64}).empty());
  CHECK(rank({&profile}, Op::kNN, {8, 256, 65}).empty());
  CHECK(rank({&profile}, Op::kNN, {8, 8, 0}).empty());  // there are no images without pixels
  DeviceInfo without = kOffered;
  without.identity.limits.image_support = false;
  CHECK(rank_plans({&profile}, without, make_problem(Op::kNN, {8, 8, 8})).empty());
}

TEST_CASE("padded operands are packed unless their extents are multiples") {
  KernelRecord padded = gemm("padded", Op::kNN);
  padded.edges = Edges::kPadded;
  padded.multiples = {4, 4, 2};
  const Profile profile = tuned({padded, pack("copy", "R", "R")}, {});
  const auto packs = [&](const GemmShape& shape) {
    const auto plans = rank({&profile}, Op::kNN, shape);
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].choices[CallStep::kUnpackC].empty());
    return std::pair(!plans[0].choices[CallStep::kPackA].empty(),
                     !plans[0].choices[CallStep::kPackB].empty());
  };
  CHECK(packs({8, 8, 8}) == std::pair(false, false));
  CHECK(packs({9, 8, 8}) == std::pair(true, false));
  CHECK(packs({8, 9, 8}) == std::pair(false, true));
  CHECK(packs({8, 8, 7}) == std::pair(true, true));
}

TEST_CASE("for matrices that are not aligned, operands are packed or another kernel is used") {
  KernelRecord aligned = gemm("aligned", Op::kNN);
  aligned.alignment = 4;
  Profile profile = tuned({aligned, gemm("any", Op::kNN)}, {});
  const GemmProblem dense = make_problem(Op::kNN, {8, 8, 8});
  CHECK(names(rank_plans({&profile}, kOffered, dense)) == Names{"aligned", "any"});
  for (MatrixArgument GemmProblem::*matrix : {&GemmProblem::a, &GemmProblem::b, &GemmProblem::c}) {
    for (std::size_t MatrixArgument::*number : {&MatrixArgument::offset, &MatrixArgument::ld}) {
      GemmProblem problem = dense;
      problem.*matrix.*number += 2;
      CHECK(names(rank_plans({&profile}, kOffered, problem)) == Names{"any"});
      problem.*matrix.*number += 2;
      CHECK(names(rank_plans({&profile}, kOffered, problem)) == Names{"aligned", "any"});
    }
  }
  // Rows of C end within a vector, whatever the leading dimension.
  CHECK(names(rank({&profile}, Op::kNN, {8, 6, 8})) == Names{"any"});
  profile.kernels.push_back(pack("copy", "R", "R"));
  GemmProblem problem = dense;
  problem.a.offset = problem.c.ld = 9;
  const auto plans = rank_plans({&profile}, kOffered, problem);
  REQUIRE(names(plans) == Names{"any", "aligned"});
  CHECK((!plans[1].choices[CallStep::kPackA].empty() &&
         plans[1].choices[CallStep::kPackB].empty() &&
         !plans[1].choices[CallStep::kUnpackC].empty()));
}

TEST_CASE("if nothing is read, nothing is packed") {
  KernelRecord panels = gemm("panels", Op::kNN);
  panels.layout_a = panels.layout_b.emplace() = layout("R 8 1 C");
  panels.multiples = {8, 1, 8};
  const Profile profile = tuned({panels}, {});
  const auto plans = rank({&profile}, Op::kNN, {8, 8, 0});
  REQUIRE(names(plans) == Names{"panels"});
  CHECK((plans[0].choices[CallStep::kPackA].empty() && plans[0].choices[CallStep::kPackB].empty()));
}

TEST_CASE("there are no plans with temporaries that are too large for a kernel's indices") {
  KernelRecord panels = gemm("panels", Op::kNN);
  panels.layout_a = layout("R 8 1 C");
  panels.multiples = {8, 1, 1};
  const Profile profile = tuned({panels, pack("pack", "R", "R 8 1 C")}, {});
  DeviceInfo large = kOffered;
  large.max_buffer_bytes = std::uint64_t{1} << 62;
  const auto is_supported = [&](const GemmShape& shape) {
    return !rank_plans({&profile}, large, make_problem(Op::kNN, shape)).empty();
  };
  // With a 32-bit size_t, 8 GiB cannot be addressed either.
  CHECK(is_supported({8, 8, 268'000'000}) == (kMaxElements >= std::uint64_t{8} * 268'000'000));
  CHECK_FALSE(is_supported({8, 8, 269'000'000}));  // 8 of its rows exceed an int
  CHECK_FALSE(is_supported({2'000'000'000, 8, 2'000'000'000}));
}

TEST_CASE("alignment is the largest power of two that divides offset and leading dimension") {
  CHECK(common_alignment({nullptr, 0, 12}, 16) == 4);
  CHECK(common_alignment({nullptr, 6, 12}, 16) == 2);
  CHECK(common_alignment({nullptr, 64, 32}, 16) == 16);
  CHECK(common_alignment({nullptr, 0, 7}, 16) == 1);
  CHECK(common_alignment({nullptr, 8, 8}, 1) == 1);
}

TEST_CASE("measured pack kernels come first, the fastest one before the others") {
  KernelRecord panels = gemm("panels", Op::kNN);
  panels.layout_a = layout("R 8 1 C");
  panels.layout_c = layout("R 4 4 R");
  panels.multiples = {8, 4, 1};
  Profile profile = tuned({panels, pack("unknown", "R", "R 8 1 C"), pack("slow", "R", "R 8 1 C"),
                           pack("fast", "R", "R 8 1 C"), pack("other", "C", "R 8 1 C"),
                           pack("slow_back", "R 4 4 R", "R"), pack("fast_back", "R 4 4 R", "R")},
                          {result(Op::kNN, 64, "panels", 100.0)});
  profile.pack_results = {
      {"slow", 2.0}, {"fast", 0.5}, {"other", 0.1}, {"slow_back", 3.0}, {"fast_back", 1.0}};
  const auto plans = rank({&profile}, Op::kNN, {64, 64, 64});
  REQUIRE(names(plans) == Names{"panels"});
  CHECK(names(plans[0].choices[CallStep::kPackA]) == Names{"fast", "slow", "unknown"});
  CHECK(plans[0].times.ns[CallStep::kPackA] == Approx(0.5 * 64 * 64));
  CHECK(names(plans[0].choices[CallStep::kUnpackC]) == Names{"fast_back", "slow_back"});
  CHECK(plans[0].times.ns[CallStep::kUnpackC] == Approx(1.0 * 64 * 64));
}

}  // namespace
}  // namespace tilewright
