// How fast are multiply-adds on a device, in each form and vector width?
//
// Part of its rates (device_rates.hpp). forms.hpp says why forms are measured, and which is
// chosen.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "codelets/text/multiply_add.hpp"
#include "profiles/profile.hpp"
#include "runtime/device/executor.hpp"
#include "tuner/device/device_choice.hpp"
#include "tuner/rates/device_rates.hpp"
#include "tuner/records/forms.hpp"

namespace tilewright {

// Times of one form, one a round.
struct FormTimes {
  MultiplyAdd form = MultiplyAdd::kExpression;
  // Of one flop of the whole device. A form that is clearly slower than another has one sample,
  // of a short run.
  std::vector<double> ns_per_flop;
};

// Runs the kernel of a form for that many turns of its loop and returns its time in ns;
// nullopt: it does not build or run.
using TimeForm = std::function<std::optional<double>(MultiplyAdd form, int turns)>;

// Times of all forms that run, simplest first. Runs get longer step by step, and what is
// clearly slower on the way is left behind: an emulated fma can be hundreds of times slower, and
// long launches hang some boards. The others then take turns, some milliseconds each.
std::vector<FormTimes> time_forms(const TimeForm& time, double flops_per_turn);

// The median rates of forms, in their order. The slow-down of each round is taken out, so that
// rates of one width can be compared.
std::vector<MultiplyAddRate> rates_of(int vector_width, const std::vector<FormTimes>& times);

// Of two measurements of one width, the one whose fastest form is faster: the machine may have
// been slow during the other, for all of its rounds. Without what ran in but one of them.
std::vector<MultiplyAddRate> faster_of(const std::vector<MultiplyAddRate>& one,
                                       const std::vector<MultiplyAddRate>& other);

// Rates of arithmetic in that type of what runs, in all vector widths that are not `known` of it,
// each measured twice, some time apart: about a second, most of it compiling; two where the machine
// slows down. When the time is over no further width is begun. By event times, or by the clock on
// the wall if those make no sense. Throws Error if there is no queue or buffer to be had.
struct MultiplyAdds {
  std::vector<MultiplyAddRate> rates;  // all known, too
  bool partial = false;                // a width was not begun
};
MultiplyAdds measure_multiply_adds(const Executor& executor, const ListedDevice& device,
                                   bool event_time, const IsOver& is_over = never,
                                   const std::vector<MultiplyAddRate>& known = {},
                                   Precision arithmetic = Precision::kSingle);

}  // namespace tilewright
