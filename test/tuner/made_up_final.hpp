// A final of artificial kernels for NN on two shapes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {

inline constexpr const char* kScalar = "gemm";
inline constexpr const char* kTile = "gemm tile_m=4 tile_n=4 vector_width=4";
inline constexpr const char* kWide = "gemm tile_m=4 tile_n=8 vector_width=4";
inline constexpr const char* kAligned = "gemm tile_m=8 tile_n=8 vector_width=4 access=aligned";
inline constexpr const char* kPacked = "gemm layout_a=R4x1C tile_m=4 tile_n=4 vector_width=4";
inline constexpr const char* kPack = "pack to=R4x1C from=R tile_m=4";

// A kernel with its time per shape; 0 if it does not support the shape.
struct MadeUpTimes {
  std::string kernel;
  double small_ns;
  double large_ns;
};

// Returns the journal of a final. `pack_ns` is the time of packing on the small shape.
inline JournalContents make_final(const std::vector<MadeUpTimes>& entries, double pack_ns = 0.0) {
  JournalContents contents;
  contents.header = example_header({kSmall, kLarge});
  contents.rates.emplace();
  contents.rates->launch_ns = 10.0;
  if (pack_ns > 0.0) {
    contents.packs = {example_pack(kPack, pack_ns / (64.0 * 64.0))};
  }
  std::map<std::string, double> small;
  std::map<std::string, double> large;
  for (const MadeUpTimes& entry : entries) {
    contents.finals.kernels.push_back(parse_kernel(entry.kernel));
    if (entry.small_ns > 0.0) small[entry.kernel] = entry.small_ns;
    if (entry.large_ns > 0.0) large[entry.kernel] = entry.large_ns;
    contents.outcomes.push_back(example_outcome(entry.kernel, "NN", {}, 1.0));
  }
  contents.finals.outcomes = example_finals(kSmall, small);
  for (const Outcome& more : example_finals(kLarge, large))
    contents.finals.outcomes.push_back(more);
  return contents;
}

inline std::string kernel_or_nobody(const KernelId& kernel) {
  return kernel.empty() ? "nobody" : kernel.text();
}

inline std::vector<std::string> portfolio_kernels(const JournalContents& contents,
                                                  int max_kernels) {
  std::vector<std::string> kernels;
  for (const OpKernel& entry : choose_portfolio(standings(contents), max_kernels).entries) {
    kernels.push_back(entry.kernel.text());
  }
  return kernels;
}

}  // namespace tilewright
