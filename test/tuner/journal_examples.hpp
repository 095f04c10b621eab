// Creates the contents of artificial journals.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// Shapes for tests in which the shape does not matter.
inline constexpr GemmShape kSmall{64, 64, 64};
inline constexpr GemmShape kLarge{512, 512, 512};

// Returns a header for a device without limits.
JournalHeader example_header(std::vector<GemmShape> shapes);

// Returns an outcome of class kOk with these samples and no reference.
Outcome example_outcome(const std::string& point, const std::string& task,
                        const std::vector<std::pair<GemmShape, std::vector<double>>>& samples,
                        double at_s);

// Returns the outcome of an auxiliary kernel, which is given as text.
Outcome example_pack(const std::string& kernel, double ns_per_element);

// Returns the outcomes of a plan of a validated product, with one sample.
Outcome example_plan(const std::string& kernel, const GemmShape& shape, double ns,
                     double predicted_ns = 0.0);

// Returns `count` rounds of a final on a shape, in which each finalist takes its time with up to a
// quarter of a percent of noise that is common to all.
std::vector<Outcome> example_finals(const GemmShape& shape, const std::map<std::string, double>& ns,
                                    int count = 8);

// Returns the outcome of a finalist in one round.
Outcome example_round(const std::string& kernel, const GemmShape& shape, int process, int round,
                      double ns);

}  // namespace tilewright
