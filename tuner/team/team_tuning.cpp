#include "tuner/team/team_tuning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "runtime/call/gemm_problem.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {
namespace {

[[noreturn]] void fail(const Team& team, const GemmShape& shape) {
  for (std::size_t i = 0; i < team.num_members(); ++i) {
    const std::string reason =
        *team.drop_reason(i) != '\0' ? team.drop_reason(i) : team.skip_reason(i);
    if (reason.empty()) continue;
    throw Error(TW_OPENCL_ERROR,
                fmt::format("member {} failed in the team at {}: {}", i, to_text(shape), reason));
  }
  throw Error(TW_INTERNAL, fmt::format("{} could not be measured", to_text(shape)));
}

}  // namespace

double seconds_per_measurement(double budget_s, std::size_t num_shapes, std::size_t num_members) {
  constexpr double kMaxSeconds = 2.0;
  constexpr double kMeasuredPart = 0.9;
  const auto measurements = static_cast<double>(num_shapes * (num_members + 1));
  return std::min(kMaxSeconds, kMeasuredPart * budget_s / measurements);
}

TeamProfile tune_team(const TeamTuning& tuning,
                      const std::function<void(const TeamSamples&, const TeamProfile&)>& done) {
  TeamProfile profile;
  for (const auto& member : tuning.members) {
    profile.members.push_back({printable_name(member->profile_name()), member->profile_digest()});
  }
  Team team(tuning.members, {});
  const double start_s = steady_now_s();
  for (const GemmShape& shape : tuning.shapes) {
    if (!profile.results.empty() && steady_now_s() - start_s >= tuning.budget_s) break;
    TeamSamples samples{shape, tuning.type};
    const SampleLimits limits{.min_products = 1, .seconds = tuning.seconds};
    for (std::size_t i = 0; i < team.num_members(); ++i) {
      if (team.sample_alone(i, samples, limits)) fail(team, shape);
    }
    if (team.sample_together(samples, limits)) fail(team, shape);
    profile.results.push_back(samples.fastest());
    done(samples, profile);
  }
  return profile;
}

std::string to_text(const TeamSamples& samples) {
  const auto text = [](const std::vector<double>& rates) -> std::string {
    if (rates.empty()) return "no part";
    const Summary rate = summarize(rates);
    return fmt::format("{:.4g} ({:.4g}-{:.4g})", rate.median, rate.low, rate.high);
  };
  const auto sum_text = [&](const std::vector<std::vector<double>>& of_members) {
    std::vector<std::string> texts;
    for (const std::vector<double>& rates : of_members) texts.push_back(text(rates));
    return fmt::format("{}", fmt::join(texts, " + "));
  };
  std::vector<double> alone;
  for (const std::vector<double>& rates : samples.alone) alone.push_back(summarize(rates).median);
  const double sum = std::accumulate(alone.begin(), alone.end(), 0.0);
  const double best = *std::max_element(alone.begin(), alone.end());
  const double team = summarize(samples.team).median;
  return fmt::format(
      "{}: alone {}, together {}, team {} GFLOPS: {:.2f} times the best member, {:.0f} % of the "
      "sum",
      to_text(samples.shape), sum_text(samples.alone), sum_text(samples.together),
      text(samples.team), team / best, 100.0 * team / sum);
}

}  // namespace tilewright
