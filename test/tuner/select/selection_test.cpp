// Tests of winners, portfolios and profiles, with artificial times.
#include "tuner/select/selection.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "first_plans.hpp"
#include "journal_examples.hpp"
#include "made_up_final.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/select/finalists.hpp"

namespace tilewright {
namespace {

// Returns a final of the tile and of a kernel that splits k.
JournalContents split_final(double whole_ns, double part_ns, double reduce_ns) {
  const std::string split = to_text(parse_point("tile_m=4 tile_n=4 vector_width=4 split_k=4"));
  JournalContents contents;
  contents.header = example_header({kSmall});
  contents.rates.emplace();
  contents.rates->launch_ns = 10.0;
  contents.rates->copy_gbytes_per_s = 5 * 64 * 64 * 4 / reduce_ns;
  contents.packs = {example_pack("reduce vector_width=4", 0.5)};
  for (const std::string& kernel : {std::string(kTile), split}) {
    contents.finals.kernels.push_back(parse_kernel(kernel));
    contents.outcomes.push_back(example_outcome(kernel, "NN", {}, 1.0));
  }
  contents.finals.outcomes = example_finals(kSmall, {{kTile, whole_ns}, {split, part_ns}});
  return contents;
}

std::string winner_or_nobody(const JournalContents& contents, std::size_t problem) {
  return kernel_or_nobody(winner(standings(contents), problem));
}

TEST_CASE("the smallest time wins a problem, and the simpler kernel wins a tie") {
  const JournalContents clear = make_final({{kScalar, 900, 9000}, {kTile, 800, 5000}});
  CHECK(standings(clear).problems.size() == 2);
  CHECK(winner_or_nobody(clear, 0) == kTile);
  const JournalContents tie = make_final({{kTile, 800, 5000}, {kScalar, 801, 9000}});
  CHECK(winner_or_nobody(tie, 0) == kScalar);
  CHECK(winner_or_nobody(tie, 1) == kTile);
}

TEST_CASE("in a tie a starting point wins over a simpler kernel") {
  // A starting point that is good on this device.
  const DeviceInfo device = example_header({kSmall}).device;
  const std::set<KernelId> starting = starting_kernels(Op::kNN, device, DeviceRates{});
  const auto found = std::find_if(starting.begin(), starting.end(), [](const KernelId& kernel) {
    return is_general(kernel.point()) && kernel.point() > parse_point(kTile);
  });
  REQUIRE(found != starting.end());
  REQUIRE(starting.count(parse_kernel(kTile)) == 0);
  const std::string general = found->text();
  const JournalContents tied = make_final({{kTile, 100, 100}, {general, 100.4, 100.4}});
  const Standings all = standings(tied);
  CHECK(winner(all, 0).text() == general);
  const Portfolio portfolio = choose_portfolio(all, 0);
  CHECK(portfolio.entries.front().kernel.text() == general);
  // It also wins if it is within 1 % without a tie, unlike other kernels.
  CHECK(winner_or_nobody(make_final({{kTile, 1000, 1000}, {general, 1009, 1009}}), 0) == general);
  // The other one is not added as the best general kernel, either.
  CHECK(portfolio_kernels(make_final({{kTile, 1000, 1000}, {general, 1009, 1009}}), 0) ==
        std::vector{general});
  CHECK(portfolio_kernels(make_final({{kTile, 1000, 1000}, {general, 1009, 1009}}), 1) ==
        std::vector{general});
  CHECK(winner_or_nobody(make_final({{kTile, 1000, 1000}, {kScalar, 1009, 1009}}), 0) == kTile);
  // It does not win if it is slower than that.
  const Standings slower = standings(make_final({{kTile, 100, 100}, {general, 103, 103}}));
  CHECK(winner(slower, 0).text() == kTile);
}

TEST_CASE("starting points of a tuning have its precision") {
  JournalContents contents = make_final({{kTile, 100, 100}});
  contents.rates->multiply_adds = {{1, "mad", 9.0}, {1, "fma", 9.0, Precision::kDouble}};
  const std::set<KernelId> floats = standings(contents).starting;
  contents.header.precision = Precision::kDouble;
  const std::set<KernelId> doubles = standings(contents).starting;
  CHECK(doubles.size() == floats.size());
  const auto spelling = [](const KernelId& kernel) {
    return std::get<GemmPoint>(kernel.point()).multiply_add;
  };
  for (const KernelId& kernel : doubles) {
    CHECK(point_precision(kernel.point()) == Precision::kDouble);
    const auto& gemm = std::get<GemmPoint>(kernel.point());
    if (gemm.vector_width == 1 && gemm.inner != Inner::kDot) {
      CHECK(spelling(kernel) == MultiplyAdd::kFma);
    }
  }
}

TEST_CASE("of several starting points that tie the fastest wins, not the simplest") {
  const DeviceInfo device = example_header({kSmall}).device;
  std::vector<ParameterPoint> general;
  for (const KernelId& kernel : starting_kernels(Op::kNN, device, DeviceRates{})) {
    if (is_general(kernel.point())) general.push_back(kernel.point());
  }
  REQUIRE(general.size() >= 2);
  std::sort(general.begin(), general.end());
  const std::string simple = to_text(general.front());
  const std::string other = to_text(general.back());
  const JournalContents tied = make_final({{simple, 100.3, 100.4}, {other, 100, 100}});
  CHECK(winner_or_nobody(tied, 0) == other);
  CHECK(portfolio_kernels(tied, 0) == std::vector{other});
  // It does not replace a baseline.
  JournalContents baseline = tied;
  baseline.finals.baselines = {parse_kernel(simple)};
  CHECK(winner_or_nobody(baseline, 0) == simple);
  CHECK(portfolio_kernels(baseline, 0) == std::vector{simple});
  // Nor another starting point, if all are within 1 % of the best.
  JournalContents after =
      make_final({{kScalar, 1009, 1009}, {other, 1006, 1006}, {kWide, 1000, 1000}});
  CHECK(winner_or_nobody(after, 0) == other);
  after.finals.baselines = {parse_kernel(kScalar)};
  CHECK(winner_or_nobody(after, 0) == kScalar);
}

TEST_CASE("two plans tie within the uncertainty of their difference, from 0.5 % to 1 %") {
  const auto of = [](double ns, double uncertainty) {
    PlanTime time;
    time.kernel_ns = {ns, uncertainty};
    return time;
  };
  CHECK(is_tie(of(1000.0, 0.0), of(1007.0, 8.0)));
  CHECK_FALSE(is_tie(of(1000.0, 0.0), of(1007.0, 6.0)));
  CHECK(is_tie(of(1000.0, 0.0), of(1004.9, 1.0)));
  CHECK_FALSE(is_tie(of(1000.0, 0.0), of(1011.0, 90.0)));
}

TEST_CASE(
    "a dropped finalist never counts as equal, and wins only if all others dropped out, too") {
  Standings all = standings(make_final({{kScalar, 1000, 1000}, {kTile, 1001, 1001}}));
  const KernelId scalar = parse_kernel(kScalar);
  const KernelId tile = parse_kernel(kTile);
  PlanTime& simple = all.times[0].at(scalar);
  PlanTime& best = all.times[0].at(tile);
  CHECK(winner(all, 0) == scalar);
  simple.survives = false;
  simple.kernel_ns.value = 990.0;  // by luck
  CHECK_FALSE(is_as_good(all, scalar, simple, best));
  CHECK(winner(all, 0) == tile);
  all.baselines = {scalar};
  CHECK(winner(all, 0) == tile);
  best.survives = false;
  CHECK(winner(all, 0) == scalar);
}

TEST_CASE("a baseline is kept within the noise, but not beyond it") {
  JournalContents contents = make_final({{kScalar, 800, 5000}, {kTile, 801, 4000}});
  CHECK(winner_or_nobody(contents, 0) == kScalar);
  contents.finals.baselines = {parse_kernel(kTile)};
  CHECK(winner_or_nobody(contents, 0) == kTile);
  contents.finals.baselines = {parse_kernel(kScalar)};
  CHECK(winner_or_nobody(contents, 1) == kTile);
}

TEST_CASE("a kernel that failed, or that did not run on a shape, does not win there") {
  JournalContents contents = make_final({{kScalar, 800, 5000}, {kTile, 400, 0}});
  CHECK(winner_or_nobody(contents, 0) == kTile);
  CHECK(winner_or_nobody(contents, 1) == kScalar);
  const auto fail = [&](const char* kernel) {
    Outcome died = example_outcome(kernel, kFinals, {}, 2.0);
    died.result = OutcomeClass::kHang;
    contents.finals.outcomes.push_back(died);
  };
  fail(kTile);
  CHECK(winner_or_nobody(contents, 0) == kScalar);
  fail(kScalar);
  CHECK(winner_or_nobody(contents, 0) == "nobody");
}

TEST_CASE("a kernel that needs packing wins only if it is faster including packing") {
  // 100 ns of packing and 10 ns for its launch.
  CHECK(winner_or_nobody(make_final({{kTile, 800, 5000}, {kPacked, 680, 4000}}, 100.0), 0) ==
        kPacked);
  CHECK(winner_or_nobody(make_final({{kTile, 800, 5000}, {kPacked, 695, 4000}}, 100.0), 0) ==
        kTile);
  const JournalContents tie = make_final({{kWide, 800, 5000}, {kPacked, 690, 4000}}, 100.0);
  CHECK(winner_or_nobody(tie, 0) == kWide);  // needs less packing
  const Standings all = standings(tie);
  const PlanTime* packed = all.time(0, parse_kernel(kPacked));
  REQUIRE(packed != nullptr);
  CHECK(packed->auxiliary.ns == Approx(110.0));
  CHECK(packed->auxiliary.packs == 1);
  CHECK(packed->total_ns() == Approx(800.0));
}

TEST_CASE("before the finals, the samples of the search decide") {
  JournalContents contents;
  contents.header = example_header({kSmall, kLarge});
  contents.header.ops = {Op::kNN, Op::kTN};
  contents.outcomes = {
      example_outcome(kTile, "NN", {{kSmall, {800, 801}}, {kLarge, {5000}}}, 1.0),
      example_outcome(kScalar, "NN", {{kSmall, {400, 401}}}, 2.0),
      example_outcome("gemm layout_a=C", "TN", {{kSmall, {500}}}, 3.0),
      example_outcome(kWide, "NN", {{kSmall, {100}}, {kLarge, {1000}}}, 4.0),
  };
  contents.outcomes.back().result = OutcomeClass::kWrong;
  CHECK(winner_or_nobody(contents, 0) == kScalar);
  CHECK(winner_or_nobody(contents, 1) == kTile);
  CHECK(winner_or_nobody(contents, 2) == "gemm layout_a=C");
  CHECK(winner_or_nobody(contents, 3) == "nobody");
  // A packed kernel does not win without a pack kernel. With one, packing takes 0.5 ns for each of
  // 64 x 64 elements.
  contents.header.ops = {Op::kNN};
  contents.outcomes.push_back(example_outcome(kPacked, "packed", {{kSmall, {10.0}}}, 5.0));
  CHECK(winner_or_nobody(contents, 0) == kScalar);
  contents.packs = {example_pack(kPack, 0.05)};
  CHECK(winner_or_nobody(contents, 0) == kPacked);
  contents.packs = {example_pack(kPack, 0.5)};
  CHECK(winner_or_nobody(contents, 0) == kScalar);
}

TEST_CASE("a shape that the finals did not reach is decided by the search") {
  JournalContents contents = make_final({{kScalar, 800, 0}, {kTile, 900, 0}});
  contents.finals.outcomes = example_finals(kSmall, {{kScalar, 800.0}, {kTile, 900.0}});
  contents.outcomes[1] = example_outcome(kTile, "NN", {{kLarge, {5000, 5001}}}, 1.0);
  CHECK(winner_or_nobody(contents, 0) == kScalar);
  CHECK(winner_or_nobody(contents, 1) == kTile);
}

TEST_CASE("a journal is converted to a profile that can be written") {
  JournalContents contents = make_final({{kTile, 800, 5000}, {kPacked, 400, 3000}}, 100.0);
  contents.packs.push_back(example_pack("pack tile_n=4", 0.25));
  contents.sessions = {{"tilewright tune", "boot", "2026-02-02T00:00:00Z", ""}};
  contents.complete = true;
  const Profile profile = make_profile(contents, 0, "tilewright tune --seed 1");
  CHECK(parse_profile(write_profile(profile), "profile").kernels.size() == profile.kernels.size());
  const auto has = [&](const char* point) {
    return find_kernel(profile, kernel_name(parse_point(point))) != nullptr;
  };
  CHECK(profile.kernels.size() == 4);
  CHECK(has(kPacked));
  CHECK(has(kTile));  // the general one
  CHECK(has(kPack));
  CHECK(has("pack tile_n=4"));
  CHECK(profile.results.size() == 4);
  for (const ShapeResult& result : profile.results) {
    CHECK(result.op == Op::kNN);
    CHECK(result.samples == 8);
    CHECK(result.max_error == 0.125);
    CHECK(result.low_ns <= result.high_ns);
  }
  CHECK(profile.pack_results.size() == 2);
  CHECK(profile.rates.launch_ns == 10.0);
  CHECK(profile.device == contents.header.device.identity);
  CHECK(profile.provenance.complete);
  CHECK(profile.provenance.command_line == "tilewright tune --seed 1");
  CHECK(profile.provenance.date == "2026-02-02T00:00:00Z");
  contents.complete = false;
  CHECK_FALSE(make_profile(contents, 0, "").provenance.complete);
  const JournalContents nothing;
  CHECK_THROWS_AS(make_profile(nothing, 0, ""), std::runtime_error);
}

TEST_CASE("a profile that is extended has models of all kernels, fitted to validated calls, too") {
  const Profile known = make_profile(make_final({{kScalar, 900, 9000}}), 0, "");
  JournalContents contents = make_final({{kTile, 800, 5000}});
  const Profile both = make_profile(contents, 0, "", known);
  for (const char* kernel : {kScalar, kTile}) {
    const std::string name = kernel_name(parse_point(kernel));
    CHECK(std::count_if(both.models.begin(), both.models.end(),
                        [&](const KernelModel& model) { return model.kernel == name; }) == 1);
  }
  const GemmShape shape{300, 200, 100};
  contents.products = {{Op::kNN, shape, false, {example_plan(kTile, shape, 2e6, 1e6)}}};
  CHECK(make_profile(contents, 0, "", known).models != both.models);
}

TEST_CASE("types that are not tuned again keep their models") {
  Profile known = make_profile(make_final({{kScalar, 900, 9000}}), 0, "");
  known.models[0].even_ps += 123.0;
  known.models[0].max_work = 1e12;
  const auto model = [&](Precision precision) {
    JournalContents contents = make_final({{kTile, 800, 5000}});
    contents.header.precision = precision;
    const Profile both = make_profile(contents, 0, "", known);
    return *std::find_if(both.models.begin(), both.models.end(), [&](const KernelModel& each) {
      return each.kernel == known.models[0].kernel;
    });
  };
  CHECK(model(Precision::kDouble) == known.models[0]);
  CHECK(model(Precision::kSingle).even_ps != known.models[0].even_ps);
  CHECK(model(Precision::kSingle).max_work == 1e12);
}

TEST_CASE("pack kernels for large matrices are added to the pack kernels of a profile") {
  const std::string of_large = kernel_name(parse_point("pack from=R to=R4x1C large=yes tile_m=4"));
  JournalContents contents = make_final({{kTile, 800, 5000}, {kPacked, 400, 3000}}, 100.0);
  contents.packs.push_back(example_pack("pack from=R to=R4x1C large=yes tile_m=4", 0.75));
  contents.packs.push_back(example_pack("pack from=R to=R8x1C large=yes tile_m=8", 0.75));
  contents.complete = true;
  Profile profile = make_profile(contents, 0, "");
  CHECK(large_pack_requirements(profile).count(parse_point("pack from=R to=R4x1C large=yes")) == 1);
  CHECK(find_kernel(profile, of_large) != nullptr);
  CHECK(profile.pack_results.back() == PackResult{of_large, 0.75, kLargeMovedExtent});
  const std::size_t kernels = profile.kernels.size();
  add_large_packs(profile, contents);  // a second time
  CHECK(profile.kernels.size() == kernels);
  CHECK(write_profile(profile).find("to=R8x1C large=yes") == std::string::npos);
}

TEST_CASE("splitting k includes the cost of reduction, and adds the reduction kernel") {
  const JournalContents slow = split_final(1000.0, 500.0, 600.0);
  CHECK(winner_or_nobody(slow, 0) == kTile);
  const JournalContents fast = split_final(1000.0, 500.0, 200.0);
  const Standings all = standings(fast);
  const KernelId split = winner(all, 0);
  CHECK(split.text().find("split_k=4") != std::string::npos);
  CHECK(all.time(0, split)->auxiliary.ns == Approx(210.0));
  CHECK(all.time(0, split)->auxiliary.reduces);
  JournalContents far_away = fast;
  far_away.rates->round_trip_ns = 900.0;  // does not count after the product
  CHECK(standings(far_away).time(0, split)->auxiliary.ns == Approx(210.0));
  const Profile profile = make_profile(fast, 0, "tilewright tune");
  CHECK(std::count_if(profile.kernels.begin(), profile.kernels.end(),
                      [](const auto& kernel) { return kernel.role == Role::kReduce; }) == 1);
  CHECK(parse_profile(write_profile(profile), "split") == profile);
}

TEST_CASE("the library uses the kernels that the tuning reports as best") {
  for (JournalContents contents :
       {make_final({{kTile, 800, 5000}, {kPacked, 400, 3000}}, 100.0),
        make_final({{kTile, 800, 5000}, {kPacked, 695, 4000}}, 100.0),
        make_final({{kScalar, 550, 9000}, {kTile, 900, 5000}, {kWide, 901, 5001}}),
        split_final(1000.0, 500.0, 600.0), split_final(1000.0, 500.0, 200.0)}) {
    contents.complete = true;
    check_first_plans(contents, make_profile(contents, 0, ""));
  }
}

TEST_CASE("a kernel that dropped out of the finals is not used because of its few times") {
  JournalContents contents = make_final({{kScalar, 800, 9000}, {kWide, 700, 5000}});
  std::erase_if(contents.finals.outcomes, [](const Outcome& outcome) {
    const bool is_wide = outcome.kernel == parse_kernel(kWide);
    return is_wide && samples_on(outcome, kSmall) != nullptr && outcome.process > 0;
  });
  contents.complete = true;
  CHECK(winner_or_nobody(contents, 0) == kScalar);
  check_first_plans(contents, make_profile(contents, 0, ""));
}

TEST_CASE("a profile with more kernels than the limit reports it") {
  const Profile profile = make_profile(split_final(1000.0, 500.0, 200.0), 0, "tilewright tune");
  REQUIRE(explain_excess(profile, 1));
  CHECK(explain_excess(profile, 1)->find("2 kernels") != std::string::npos);
  CHECK_FALSE(explain_excess(profile, 2));
  CHECK_FALSE(explain_excess(profile, 0));
}

}  // namespace
}  // namespace tilewright
