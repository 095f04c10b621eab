// What do made-up journals hold?
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// Of a device that allows anything.
JournalHeader example_header(std::vector<GemmShape> shapes);

// An outcome of class kOk with these samples, without a reference.
Outcome example_outcome(const std::string& point, const std::string& phase,
                        const std::vector<std::pair<GemmShape, std::vector<double>>>& samples,
                        double at_s);

// What packs, or else runs beside products, for a demand; points as text.
PackOutcome example_pack(const std::string& requirement, const std::string& kernel,
                         double ns_per_element);

// Rounds of a final on a shape: so many, in which each finalist takes its time, and all of them up
// to a quarter of a percent more or less.
std::vector<Round> example_rounds(const GemmShape& shape, const std::map<std::size_t, double>& ns,
                                  int count = 8);

}  // namespace tilewright
