#include "tuner/bench/networks/network_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "runtime/network/model/host_network.hpp"

namespace tilewright {
namespace {

// Returns the first and the last row of a batch, and one in between.
std::vector<std::size_t> some_rows(std::size_t batch) {
  const std::set<std::size_t> rows{0, batch / 2, batch - 1};
  return {rows.begin(), rows.end()};
}

}  // namespace

NetworkCheck::NetworkCheck(const NetworkModel& model, const std::vector<float>& input,
                           std::size_t batch, Precision precision)
    : rows_(some_rows(batch)) {
  const std::size_t inputs = input.size() / batch;
  std::vector<float> samples;
  for (const std::size_t row : rows_) {
    const auto first = input.begin() + static_cast<std::ptrdiff_t>(row * inputs);
    samples.insert(samples.end(), first, first + static_cast<std::ptrdiff_t>(inputs));
  }
  expected_ = host_forward(round_to_precision(model, precision),
                           round_to_precision(std::move(samples), precision),
                           static_cast<std::int64_t>(rows_.size()));
  columns_ = expected_.size() / rows_.size();
  for (const double value : expected_) bound_ = std::max(bound_, std::abs(value));
  bound_ *= max_relative_error(model, precision);
}

std::string NetworkCheck::difference(const std::string& name, const std::vector<float>& output,
                                     std::size_t place, double right, double bound) const {
  const auto got = static_cast<double>(output[place]);
  if (std::abs(got - right) <= bound) return "";
  return fmt::format("{} computes output({}, {}) = {}, expected {} +- {:.2g}", name,
                     place / columns_, place % columns_, got, right, bound);
}

std::string NetworkCheck::wrong(const std::string& name, const std::vector<float>& output) {
  std::string wrong;
  for (std::size_t i = 0; wrong.empty() && i < expected_.size(); ++i) {
    const std::size_t place = rows_[i / columns_] * columns_ + i % columns_;
    wrong = difference(name, output, place, expected_[i], bound_);
  }
  if (wrong.empty() && first_.empty()) {
    first_name_ = name;
    first_ = output;
  }
  for (std::size_t i = 0; wrong.empty() && i < first_.size(); ++i) {
    wrong = difference(name, output, i, static_cast<double>(first_[i]), 2.0 * bound_);
    if (!wrong.empty()) wrong += fmt::format(", which {} computes", first_name_);
  }
  return wrong;
}

}  // namespace tilewright
