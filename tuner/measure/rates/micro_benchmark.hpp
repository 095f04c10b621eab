// Measures multiply-adds on a device in each form and vector width.
//
// These are part of the device's rates (device_rates.hpp). forms.hpp explains why there are several
// forms and how one is chosen.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "codelets/text/multiply_add.hpp"
#include "profiles/profile.hpp"
#include "runtime/device/executor.hpp"
#include "tuner/journal/records/forms.hpp"
#include "tuner/measure/device/device_choice.hpp"
#include "tuner/measure/rates/device_rates.hpp"

namespace tilewright {

// Times of one form, one per round.
struct FormTimes {
  MultiplyAdd form = MultiplyAdd::kExpression;
  // Time per flop of the whole device. A form that is clearly slower than another has a single
  // sample, from a short run.
  std::vector<double> ns_per_flop;
};

// Runs the kernel of a form with `iterations` loop iterations and returns its time in ns; nullopt
// if it does not build or run.
using TimeForm = std::function<std::optional<double>(MultiplyAdd form, int iterations)>;

// Times all forms that run, in the order of kMultiplyAdds (simplest first). The number of
// iterations grows step by step, and forms that are clearly slower are dropped on the way: an
// emulated fma can be hundreds of times slower, and long launches hang some boards. The remaining
// forms are then measured in rounds, some milliseconds each. `flops_per_iteration` are the flops of
// one loop iteration of the whole launch.
std::vector<FormTimes> time_forms(const TimeForm& time, double flops_per_iteration);

// Returns the median rate of each form, in the order of `times`. The slow-down of each round is
// divided out, so that the rates of one vector width are comparable.
std::vector<MultiplyAddRate> median_rates(int vector_width, const std::vector<FormTimes>& times);

// Given two measurements of the same width, returns the one whose fastest form is faster, because
// the machine may have been slow during all rounds of the other. Forms that are missing from either
// measurement are left out.
std::vector<MultiplyAddRate> faster_rates(const std::vector<MultiplyAddRate>& one,
                                          const std::vector<MultiplyAddRate>& other);

// Result of measure_multiply_adds().
struct MultiplyAdds {
  std::vector<MultiplyAddRate> rates;  // the known rates and the new ones
  bool partial = false;                // true if the time was over before all widths were measured
};
// Measures multiply-adds in the type `arithmetic` for every vector width that `known` does not
// contain. Each width is measured twice, some time apart. This takes about one second, mostly for
// compiling, or two seconds on a machine that slows down. When `is_over` returns true, no further
// width is started. Uses event times if `event_time` is true, otherwise wall time. Throws Error if
// the driver cannot create a queue or a buffer.
MultiplyAdds measure_multiply_adds(const Executor& executor, const ListedDevice& device,
                                   bool event_time, const IsOver& is_over = never_stop,
                                   const std::vector<MultiplyAddRate>& known = {},
                                   Precision arithmetic = Precision::kSingle);

}  // namespace tilewright
