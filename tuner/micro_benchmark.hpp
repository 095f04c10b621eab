// How should a multiply-add be spelled on a device?
//
// Which spelling is fast differs between devices, and on some between vector widths of one device
// (RaijinCL, section III-B): a * b + c may or may not be contracted to one instruction, mad() may
// be a macro of it, fma() may be emulated. So it is measured, before kernels are, and the search
// tries kernels in the device's best spelling only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codelets/multiply_add.hpp"
#include "codelets/parameter_point.hpp"
#include "tuner/device_choice.hpp"

namespace tilewright {

// Best spelling for each vector width; widths that it does not name have the simplest.
using Spellings = std::map<int, MultiplyAdd>;

// The point as the device spells it best. dot() holds its own multiply-adds, and points of other
// codelets than gemm and gemv have none.
ParameterPoint spelled(ParameterPoint point, const Spellings& spellings);

// Times of one spelling, one a round.
struct SpellingTimes {
  MultiplyAdd spelling = MultiplyAdd::kExpression;
  // Of one flop of the whole device. A spelling that is clearly slower than another has one sample,
  // of a short run.
  std::vector<double> ns_per_flop;
};

// The fastest of those that ran in all rounds, compared round by round, since machines change pace;
// of those that tie with it (is_tie) the simplest. The simplest of all if there are no times.
MultiplyAdd best_spelling(const std::vector<SpellingTimes>& times);

// Runs the kernel of a spelling for that many turns of its loop and returns its device time in ns;
// nullopt: it does not build or run.
using TimeSpelling = std::function<std::optional<double>(MultiplyAdd spelling, int turns)>;

// Times of all spellings that run, simplest first. Runs get longer step by step, and what is
// clearly slower on the way is left behind: an emulated fma can be hundreds of times slower, and
// long launches hang some boards. The others then take turns, some milliseconds each.
std::vector<SpellingTimes> time_spellings(const TimeSpelling& time, double flops_per_turn);

// What a device makes of multiply-adds of one vector width.
struct WidthResult {
  int vector_width = 1;
  std::vector<SpellingTimes> times;
  MultiplyAdd best = MultiplyAdd::kExpression;
};

// Measures all vector widths: about a second, most of it compiling. Throws Error if the device is
// broken.
std::vector<WidthResult> run_micro_benchmark(const ListedDevice& device);

Spellings spellings_of(const std::vector<WidthResult>& results);
// The rate of the best spelling and width; 0 if nothing ran.
double peak_gflops(const std::vector<WidthResult>& results);

// What was chosen, with the rate of the best width: a line.
std::string summary_of(const std::vector<WidthResult>& results);

}  // namespace tilewright
