#include "tuner/finals/best_so_far.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tuner/records/shapes.hpp"
#include "tuner/records/shares.hpp"
#include "tuner/records/slow_down.hpp"

namespace tilewright {
namespace {

constexpr const char* kPackedColumn = "packed";

// "NN" ... of a kernel that reads the caller's matrices, else "packed".
std::string column_of(const KernelRecord& kernel) {
  const bool as_they_lie = kernel.edges == Edges::kGuarded && !kernel.images.a && !kernel.images.b;
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
    if (as_they_lie && kernel.layout_a == layout_a_of(op) && kernel.layout_b == layout_b_of(op)) {
      return std::string(to_text(op));
    }
  }
  return kPackedColumn;
}

std::string cell(double gflops, double peak_gflops) {
  const std::string rate = fmt::format("{:.{}f}", gflops, gflops < 1e3 ? 1 : 0);
  return peak_gflops > 0.0 ? fmt::format("{} ({} %)", rate, percent_of_peak(gflops, peak_gflops))
                           : rate;
}

}  // namespace

bool BestSoFar::Larger::operator()(const GemmShape& a, const GemmShape& b) const {
  return std::make_tuple(flops(a), a.m, a.n) > std::make_tuple(flops(b), b.m, b.n);
}

void BestSoFar::note(const Outcome& outcome) {
  const bool is_product = outcome.phase != kFused;
  if (outcome.result != OutcomeClass::kOk || outcome.kernel.empty() || !is_product) return;
  for (const ShapeSamples& samples : outcome.shapes) {
    if (samples.ns.empty()) continue;
    double& best = gflops_[samples.shape][column_of(outcome.kernel.facts())];
    best = std::max(best, flops(samples.shape) / median_ns(samples));
  }
}

std::vector<std::string> BestSoFar::table(std::size_t most_shapes, double peak_gflops) const {
  if (gflops_.empty() || most_shapes == 0) return {};
  std::set<std::string> columns;  // "NN", "NT", "TN" and then "packed", as letters go
  for (const auto& [shape, by_column] : gflops_) {
    for (const auto& [column, gflops] : by_column) columns.insert(column);
  }
  std::string head = fmt::format("{:<18}", "best GFLOPS so far");
  for (const std::string& column : columns) head += fmt::format("{:>15}", column);
  std::vector<std::string> lines{head};
  const std::size_t count = std::min(most_shapes, gflops_.size());
  std::size_t index = 0;
  for (const auto& [shape, by_column] : gflops_) {
    // Of many shapes some at even distances.
    const std::size_t wanted = (lines.size() - 1) * gflops_.size() / count;
    if (index++ != wanted || lines.size() > count) continue;
    std::string line = fmt::format("{:<18}", to_text(shape));
    for (const std::string& column : columns) {
      const auto found = by_column.find(column);
      line +=
          fmt::format("{:>15}", found == by_column.end() ? "-" : cell(found->second, peak_gflops));
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace tilewright
