// Tests of the selection of kernels, with artificial times and predictions of models.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "made_up_final.hpp"
#include "tuner/select/distribution.hpp"

namespace tilewright {
namespace {

TEST_CASE("a portfolio has the fewest kernels that improve it beyond a tie") {
  const std::vector<MadeUpTimes> entries = {
      {kScalar, 550, 9000}, {kTile, 900, 5000}, {kWide, 901, 5001}};
  CHECK(portfolio_kernels(make_final(entries), 0) == std::vector<std::string>{kTile, kScalar});
  const Portfolio all = choose_portfolio(standings(make_final(entries)), 0);
  REQUIRE(all.curve.size() == 2);
  CHECK(all.curve[0] == Approx(std::sqrt(550.0 / 900.0)));
  CHECK(all.curve[1] == Approx(1.0).epsilon(0.001));
  // A kernel that is good on both shapes comes first: 550 / 700 and 5000 / 5500.
  std::vector<MadeUpTimes> more = entries;
  more.push_back({kAligned, 700, 5500});
  CHECK(portfolio_kernels(make_final(more), 0).front() == kAligned);
}

TEST_CASE("the limit of a portfolio is kept, and its curve never decreases") {
  const std::vector<MadeUpTimes> entries = {
      {kScalar, 500, 9000}, {kTile, 900, 5000}, {kAligned, 700, 5500}, {kWide, 950, 9500}};
  for (int most = 1; most <= 4; ++most) {
    INFO(most);
    const Standings all = standings(make_final(entries));
    const Portfolio portfolio = choose_portfolio(all, most);
    CHECK(portfolio.curve.size() <= static_cast<std::size_t>(most));
    CHECK(std::is_sorted(portfolio.curve.begin(), portfolio.curve.end()));
    CHECK(portfolio.curve.back() <= 1.0);
  }
  CHECK(portfolio_kernels(make_final(entries), 0) ==
        std::vector<std::string>{kAligned, kScalar, kTile});
}

TEST_CASE("a general kernel is always in a portfolio") {
  const std::vector<MadeUpTimes> entries = {
      {kAligned, 500, 5000}, {kTile, 900, 9000}, {kWide, 800, 8000}};
  CHECK(portfolio_kernels(make_final(entries), 0) == std::vector<std::string>{kAligned, kWide});
  CHECK(portfolio_kernels(make_final(entries), 1) == std::vector<std::string>{kWide});
  CHECK(portfolio_kernels(make_final(entries), 2) == std::vector<std::string>{kAligned, kWide});
}

TEST_CASE("if a baseline ties, it is the one in the portfolio") {
  JournalContents contents = make_final({{kTile, 800, 5000}, {kWide, 801, 5001}});
  CHECK(portfolio_kernels(contents, 0) == std::vector<std::string>{kTile});
  contents.finals.baselines = {parse_kernel(kWide)};
  CHECK(portfolio_kernels(contents, 0).front() == kWide);
}

TEST_CASE(
    "a kernel that improves one measured shape much is included, however many others there are") {
  const auto size_where = [](double ns) {
    Standings all = standings(make_final({{kTile, 1'000, 5'000}, {kWide, 1'500, ns}}));
    for (int i = 0; i < 1'000; ++i) {
      all.problems.push_back(all.problems.front());
      all.problems.back().predicted = true;
      all.times.push_back(all.times.front());
    }
    return choose_portfolio(all, 0).curve.size();
  };
  CHECK(size_where(4'500) == 2);
  CHECK(size_where(4'850) == 1);
}

TEST_CASE("for shapes of a design, predictions for other shapes decide") {
  // The time of one kernel is proportional to the work; the other takes half of that plus a fixed
  // time.
  JournalContents contents = make_final({{kTile, 1'000, 500'000}, {kWide, 4'000, 260'000}});
  CHECK(portfolio_kernels(contents, 1) == std::vector<std::string>{kTile});
  contents.header.designed = 2;
  contents.header.device.identity.compute_units = 8;  // so that large shapes are included
  contents.header.device.identity.max_clock_mhz = 2000;
  const Standings measured = standings(contents);
  const Profile fitted = fitted_profile(contents, measured);
  const Standings all = over_distribution(measured, contents, fitted);
  CHECK(all.problems.size() == 2 + 400);
  CHECK_FALSE(all.problems[1].predicted);
  CHECK(all.problems[2].predicted);
  CHECK(all.times[2].size() == measured.times[0].size());
  double weights = 0.0;
  for (const auto& problem : all.problems) weights += problem.weight;
  CHECK(weights == Approx(3 * 2));
  // The kernel that loses least over all problems, by their weights.
  std::map<KernelId, double> lost;
  for (std::size_t p = 0; p < all.problems.size(); ++p) {
    const double best_ns = all.time(p, all.fastest(p))->total_ns();
    for (const char* kernel : {kTile, kWide}) {
      const PlanTime* time = all.time(p, parse_kernel(kernel));
      REQUIRE(time != nullptr);
      lost[parse_kernel(kernel)] += all.problems[p].weight * std::log(time->total_ns() / best_ns);
    }
  }
  const auto least = std::min_element(
      lost.begin(), lost.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const Portfolio one = make_portfolio(contents, measured, 1);
  REQUIRE(one.entries.size() == 1);
  CHECK(one.entries[0].kernel == least->first);
  CHECK(one.curve[0] == Approx(std::exp(-least->second / weights)));
  CHECK(make_portfolio(contents, measured, 0).curve.size() == 2);
  // A shape that a user asked for has a larger weight than one of the design.
  contents.header.designed = 1;
  CHECK(over_distribution(measured, contents, fitted).problems[0].weight == Approx(4.0));
  CHECK(over_distribution(measured, contents, fitted).problems[1].weight == Approx(1.0));
}

TEST_CASE("a profile has the models by which its kernels were chosen") {
  JournalContents contents =
      make_final({{kTile, 1'000, 500'000}, {kWide, 4'000, 260'000}, {kScalar, 9'000, 900'000}});
  contents.header.designed = 2;
  const Profile fitted = fitted_profile(contents, standings(contents));
  const Profile profile = make_profile(contents, 0, "");
  CHECK(fitted.models.size() == 3);
  CHECK(profile.models.size() == 2);
  for (const KernelModel& model : profile.models) {
    CHECK(std::count(fitted.models.begin(), fitted.models.end(), model) == 1);
  }
}

TEST_CASE("a kernel that is kept from a profile with other code keeps its model") {
  JournalContents contents =
      make_final({{kTile, 1'000, 500'000}, {kWide, 4'000, 260'000}, {kScalar, 9'000, 900'000}});
  contents.header.designed = 2;
  Profile before;
  before.device = contents.header.device.identity;
  before.kernels = {emit(parse_point(kScalar))};
  KernelModel model;
  model.kernel = before.kernels[0].name;
  model.fixed_ns = 123.0;
  before.models = {model};
  const auto keeps_model = [&] {
    const Profile profile = make_profile(contents, 0, "", before);
    REQUIRE(find_kernel(profile, model.kernel) != nullptr);
    const auto found = std::ranges::find(profile.models, model.kernel, &KernelModel::kernel);
    REQUIRE(found != profile.models.end());
    return *found == model;
  };
  CHECK_FALSE(keeps_model());  // the new one is fitted to what was measured now
  before.kernels[0].source += "void of_a_former_release() {}\n";
  CHECK(keeps_model());
}

TEST_CASE("a rate that a kernel never approached is not assumed for large shapes") {
  // According to its two results, the first kernel takes a fixed time only.
  JournalContents contents = make_final({{kTile, 4'000, 4'000}, {kWide, 1'000, 500'000}});
  contents.header.designed = 2;
  contents.header.device.identity.compute_units = 8;
  contents.header.device.identity.max_clock_mhz = 2000;
  const Standings measured = standings(contents);
  const Standings all = over_distribution(measured, contents, fitted_profile(contents, measured));
  double min_ns = 1e9;
  double max_ns = 0.0;
  for (std::size_t p = 2; p < all.problems.size(); ++p) {
    const PlanTime* time = all.time(p, parse_kernel(kTile));
    REQUIRE(time != nullptr);
    REQUIRE(all.time(p, parse_kernel(kWide)) != nullptr);
    min_ns = std::min(min_ns, time->total_ns());
    max_ns = std::max(max_ns, time->total_ns());
  }
  CHECK(min_ns < 2 * 4'000);
  CHECK(max_ns > 5 * 4'000);
}

}  // namespace
}  // namespace tilewright
