// Made-up figures for tests of reports.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tuner/bench/bench_report.hpp"

namespace tilewright {

// Returns samples with this 10th percentile, median and 90th percentile.
inline std::vector<double> samples(double low, double median, double high) {
  return {low, low, low, median, median, median, high, high, high};
}

// Returns a figure without a prediction. `work`: per call, in the unit of its rate.
inline BenchFigure figure(FigureKind kind, const std::string& name, double work,
                          std::vector<double> samples_ns) {
  BenchFigure figure{kind, name};
  figure.work = work;
  figure.samples_ns = std::move(samples_ns);
  return figure;
}

}  // namespace tilewright
