// A final of artificial kernels for NN on two shapes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "tuner/select/lineup.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {

inline const GemmShape kSmall{64, 64, 64};
inline const GemmShape kLarge{512, 512, 512};

inline constexpr const char* kScalar = "gemm";
inline constexpr const char* kTile = "gemm tile_m=4 tile_n=4 vector_width=4";
inline constexpr const char* kWide = "gemm tile_m=4 tile_n=8 vector_width=4";
inline constexpr const char* kAligned = "gemm tile_m=8 tile_n=8 vector_width=4 access=aligned";
inline constexpr const char* kPacked = "gemm layout_a=R4x1C tile_m=4 tile_n=4 vector_width=4";
inline constexpr const char* kPack = "pack to=R4x1C from=R tile_m=4";

// A kernel with its time per shape; 0 if it does not support the shape.
struct Entry {
  std::string kernel;
  double small_ns;
  double large_ns;
};

// Returns the journal of a final. `pack_ns` is the time of packing on the small shape.
inline JournalContents make_final(const std::vector<Entry>& entries, double pack_ns = 0.0) {
  JournalContents contents;
  contents.header = example_header({kSmall, kLarge});
  contents.rates = DeviceRates{};
  contents.rates->launch_ns = 10.0;
  if (pack_ns > 0.0) {
    contents.packs = {example_pack("pack from=R to=R4x1C", kPack, pack_ns / (64.0 * 64.0))};
  }
  const AuxiliaryCost auxiliary = make_auxiliary_cost(contents);
  Lineup lineup;
  std::map<std::size_t, double> small;
  std::map<std::size_t, double> large;
  for (const Entry& entry : entries) {
    const auto plan =
        add_plan(lineup, parse_kernel(entry.kernel), Op::kNN, contents.header.shapes, auxiliary);
    REQUIRE(plan);
    if (entry.small_ns > 0.0) small[*plan] = entry.small_ns;
    if (entry.large_ns > 0.0) large[*plan] = entry.large_ns;
    contents.outcomes.push_back(example_outcome(entry.kernel, "NN", {}, 1.0));
  }
  contents.lineup = lineup;
  contents.rounds = example_rounds(kSmall, small);
  const std::vector<Round> more = example_rounds(kLarge, large);
  contents.rounds.insert(contents.rounds.end(), more.begin(), more.end());
  return contents;
}

inline std::string plan_kernel(const Standings& standings, std::optional<std::size_t> plan) {
  return plan ? standings.kernel(*plan).text() : "nobody";
}

inline std::vector<std::string> portfolio_kernels(const JournalContents& contents,
                                                  int max_kernels) {
  const Standings all = standings(contents);
  std::vector<std::string> kernels;
  for (const std::size_t plan : choose_portfolio(all, max_kernels).plans) {
    kernels.push_back(plan_kernel(all, plan));
  }
  return kernels;
}

}  // namespace tilewright
