#include "tuner/journal/journal_scale.hpp"

#include <algorithm>
#include <utility>

#include "tuner/journal/records/round_estimates.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

std::vector<double> ratios(const Medians& first, const Medians& other) {
  std::vector<double> result;
  for (const auto& [kernel, value] : other) {
    const auto found = first.find(kernel);
    if (found != first.end()) result.push_back(found->second / value);
  }
  return result;
}

}  // namespace

Medians final_medians(const JournalContents& journal, const GemmShape& shape) {
  Medians medians;
  for (const auto& [kernel, estimate] :
       estimates(journal.finals, shape, failed_finalists(journal))) {
    medians[kernel] = estimate.ns;
  }
  return medians;
}

Medians search_medians(const JournalContents& journal, const GemmShape& shape) {
  Medians medians;
  for (const Outcome& outcome : journal.outcomes) {
    const ShapeSamples* samples = samples_on(outcome, shape);
    if (samples == nullptr || samples->ns.empty()) continue;
    medians.emplace(outcome.kernel, median_ns(*samples));
  }
  return medians;
}

JournalScale::JournalScale(const JournalContents& first, const JournalContents& other,
                           const std::vector<ReadMedians>& readers)
    : shapes_(first.header.shapes), overall_(0.0) {
  for (const ReadMedians& read_medians : readers) {
    std::vector<double> all;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const std::vector<double> here =
          ratios(read_medians(first, shapes_[i]), read_medians(other, shapes_[i]));
      if (!here.empty()) by_shape_.emplace(i, quantile(here, 0.5));
      all.insert(all.end(), here.begin(), here.end());
    }
    if (overall_ == 0.0 && !all.empty()) overall_ = quantile(std::move(all), 0.5);
  }
}

double JournalScale::on(const GemmShape& shape) const {
  const auto at = std::find(shapes_.begin(), shapes_.end(), shape) - shapes_.begin();
  const auto found = by_shape_.find(static_cast<std::size_t>(at));
  return found == by_shape_.end() ? overall_ : found->second;
}

}  // namespace tilewright
