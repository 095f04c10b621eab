// Defines options that several commands share, and the checks that apply to all options.
#pragma once

#include <CLI/CLI.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "profiles/profile.hpp"

namespace tilewright {

// Adds an option for a duration; parse_duration() parses its value.
CLI::Option* add_time_option(CLI::App& command, const std::string& name, std::string& value,
                             const std::string& what);

// Parses each word of a comma-separated list with `parse`.
template <class Parse>
auto parse_list(const std::string& list, const Parse& parse) {
  std::vector<decltype(parse(list))> values;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) values.push_back(parse(word));
  return values;
}

// Adds --precision with the values s, d or h; parse_precision_option() parses it.
CLI::Option* add_precision_option(CLI::App& command, std::string& value);
// Adds --precision for a comma-separated list; parse_precisions() parses it.
CLI::Option* add_precisions_option(CLI::App& command, std::string& value);
// Parses a list of precisions. Throws UsageError if it is empty or has duplicates.
std::vector<Precision> parse_precisions(const std::string& value);
// Parses the value of --precision. Throws UsageError.
Precision parse_precision_option(const std::string& value);
// Adds --precision with the values s or h, for networks; parse_net_precision() parses it.
CLI::Option* add_net_precision_option(CLI::App& command, std::string& value);
// Parses the precision of a network. Throws UsageError.
Precision parse_net_precision(const std::string& value);
// Removes the kernels of other precisions, and their results, from a profile. Does nothing if
// `value` is empty. Throws UsageError if no kernels remain, with the command that adds some. `file`
// is the path of the profile for the message.
void keep_precision(const std::string& value, const std::string& file, Profile& profile);

// Element type of a product: real or complex numbers of some precision.
struct NumberType {
  Precision precision = Precision::kSingle;
  bool complex = false;
};
// Adds --precision for commands that run GEMM calls, which also accept c and z.
CLI::Option* add_number_type_option(CLI::App& command, std::string& value);
// Parses the value of that option. Throws UsageError.
NumberType parse_number_type(const std::string& value);

// Makes all options of the command and of its subcommands reject empty values (the result of an
// unset shell variable) and numbers out of range. Hidden subcommands are excluded, since only this
// program calls them.
void refuse_bad_values(CLI::App& app);

// Throws UsageError for an argument `--name=` without a value, because CLI11 would use the next
// argument as the value.
void refuse_missing_values(int argc, const char* const* argv);

}  // namespace tilewright
