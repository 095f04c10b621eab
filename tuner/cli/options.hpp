// Options that several commands have, and checks of the values of all options.
#pragma once

#include <CLI/CLI.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/measure/device/device_choice.hpp"

namespace tilewright {

// --device: number of a device, or a part of its name.
CLI::Option* add_device_option(CLI::App& command, std::string& value);
// --profile: a file, or "builtin"; empty: the profile that applications use.
CLI::Option* add_profile_option(CLI::App& command, std::string& value);
// --limits: a known device, or a limits file.
CLI::Option* add_limits_option(CLI::App& command, std::string& value);
// --verbose: print all details.
CLI::Option* add_verbose_flag(CLI::App& command, bool& value);
// --json: print JSON instead of text.
CLI::Option* add_json_flag(CLI::App& command, bool& value);
// An option with a time as its value; parse_duration() reads it.
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
// --precision: a list of types.
CLI::Option* add_precisions_option(CLI::App& command, std::string& value);
// Parses a list of precisions. Throws UsageError if it is empty or has duplicates.
std::vector<Precision> parse_precisions(const std::string& value);
// Parses the value of --precision. Throws UsageError.
Precision parse_precision_option(const std::string& value);
// Adds --precision with the values s or h, for networks; parse_network_precision() parses it.
CLI::Option* add_network_precision_option(CLI::App& command, std::string& value);
// Parses the precision of a network. Throws UsageError.
Precision parse_network_precision(const std::string& value);
// Loads the profile that an argument names: a file, or builtin.
Profile load_named_profile(const std::string& name);
// Removes the kernels of other precisions, and their results, from a profile. Does nothing if
// `value` is empty. Throws UsageError if no kernels remain, with the command that adds some. `file`
// is the path of the profile for the message.
void keep_precision(const std::string& value, const std::string& file, Profile& profile);

// Element type of a product. A complex number consists of two numbers of the precision.
struct NumberType {
  Precision precision = Precision::kSingle;
  bool complex = false;
};
// --precision of commands about GEMM calls: also c and z.
CLI::Option* add_number_type_option(CLI::App& command, std::string& value);
// Parses the value of --precision. Throws UsageError.
NumberType parse_number_type(const std::string& value);

// Makes all options of `app` and its visible commands reject empty values (as from a shell variable
// that is not set) and numbers that are out of range.
void refuse_bad_values(CLI::App& app);

// Throws UsageError for an argument `--name=`: CLI11 would use the next argument as its value.
void refuse_missing_values(int argc, const char* const* argv);

// Prints each failure on standard error, once in a process. `failures`: DeviceList::failures.
void print_failures(const std::vector<std::string>& failures);

// The result of enumerate_devices(). Prints its failures.
DeviceList list_devices();

}  // namespace tilewright
