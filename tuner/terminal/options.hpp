// What holds for the options of all commands?
#pragma once

#include <CLI/CLI.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "profiles/profile.hpp"

namespace tilewright {

// An option that takes a time; parse_duration() reads it.
CLI::Option* add_time_option(CLI::App& command, const std::string& name, std::string& value,
                             const std::string& what);

// Each comma-separated word, parsed.
template <class Parse>
auto parse_list(const std::string& list, const Parse& parse) {
  std::vector<decltype(parse(list))> values;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) values.push_back(parse(word));
  return values;
}

// --precision: s, d or h.
CLI::Option* add_precision_option(CLI::App& command, std::string& value);
// The same for a list of them.
CLI::Option* add_precisions_option(CLI::App& command, std::string& value);
std::vector<Precision> precisions_of(const std::string& value);
// What it says. Throws UsageError.
Precision precision_of(const std::string& value);
// Leaves of the profile in that file the kernels of the type, and their results; all where no type
// is named. Throws UsageError if there are none, with the command that adds some.
void keep_precision(const std::string& value, const std::string& file, Profile& profile);

// What a product multiplies: numbers of a precision, or complex numbers of two of them.
struct NumberType {
  Precision precision = Precision::kSingle;
  bool complex = false;
};
// --precision of commands that serve calls: c and z, too.
CLI::Option* add_number_type_option(CLI::App& command, std::string& value);
// What it says. Throws UsageError.
NumberType number_type_of(const std::string& value);

// From now on options refuse what cannot be meant: nothing at all, which is what a shell makes of a
// variable that is not set, and numbers that do not fit. Of all commands below, too, but for hidden
// ones, which only the program itself starts.
void refuse_bad_values(CLI::App& app);

// CLI11 takes the argument after `--name=` for its value. Throws UsageError.
void refuse_missing_values(int argc, const char* const* argv);

}  // namespace tilewright
