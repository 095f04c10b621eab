// Creates the contents of artificial journals.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// Returns a header for a device without limits.
JournalHeader example_header(std::vector<GemmShape> shapes);

// Returns an outcome of class kOk with these samples and no reference.
Outcome example_outcome(const std::string& point, const std::string& task,
                        const std::vector<std::pair<GemmShape, std::vector<double>>>& samples,
                        double at_s);

// Returns an auxiliary kernel for a requirement; points are given as text.
PackOutcome example_pack(const std::string& requirement, const std::string& kernel,
                         double ns_per_element);

// Returns `count` rounds of a final on a shape, in which each finalist takes its time with up to a
// quarter of a percent of noise that is common to all.
std::vector<Round> example_rounds(const GemmShape& shape, const std::map<std::size_t, double>& ns,
                                  int count = 8);

}  // namespace tilewright
