// Finds the kernels that networks need in addition to plain products.
//
// This stage runs after the finals, in a small part of the time. The chosen kernels are tried with
// bias and activation; each is verified like any candidate and measured together with the plain
// kernel. In addition, separate kernels for bias and activation and for softmax are searched for.
// The journal records everything.
#pragma once

#include <optional>
#include <string>

#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

// Tries what options.activations and options.softmax require and the journal does not contain yet,
// until the journal's clock reaches `until_s`. Returns a sentence about what there was no time for;
// nullopt if everything was tried or a stop was requested.
std::optional<std::string> tune_for_networks(TuneContext& context, double until_s);

}  // namespace tilewright
