#include "tuner/cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <set>
#include <string_view>

#include "profiles/base/usage_error.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/cli/help_format.hpp"
#include "tuner/cli/print.hpp"

namespace tilewright {
namespace {

constexpr const char* kEmpty = "the value must not be empty; is a shell variable unset?";

// CLI11 would clamp numbers that are too large, and read numbers that begin with 0 as octal.
template <class Number>
std::string check_whole(const std::string& text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
  if (error == std::errc() && stop == end && !(digits.size() > 1 && digits[0] == '0')) return "";
  return fmt::format("'{}' is not a whole number from {} to {} (without leading zeros)", text,
                     std::numeric_limits<Number>::min(), std::numeric_limits<Number>::max());
}

std::string check_real(const std::string& text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  constexpr double kMaxFloat = std::numeric_limits<float>::max();
  if (error == std::errc() && stop == end && std::abs(value) <= kMaxFloat) return "";
  return fmt::format("'{}' is not a finite number", text);
}

using ArgumentCheck = std::string (*)(const std::string&);

ArgumentCheck check_for(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.starts_with("UINT")) return check_whole<std::uint64_t>;
  if (type.starts_with("INT")) return check_whole<std::int64_t>;
  if (type.starts_with("FLOAT")) return check_real;
  return [](const std::string&) { return std::string(); };
}

}  // namespace

CLI::Option* add_device_option(CLI::App& command, std::string& value) {
  return command
      .add_option("--device", value,
                  "Device: its number or a part of its name [default: first GPU, or else first "
                  "device]")
      ->type_name("DEVICE");
}

CLI::Option* add_profile_option(CLI::App& command, std::string& value) {
  return command
      .add_option("--profile", value,
                  "Profile: a file, or builtin [default: the one that applications use]")
      ->type_name("FILE");
}

CLI::Option* add_limits_option(CLI::App& command, std::string& value) {
  return command
      .add_option("--limits", value, "A known device, such as mali-t628, or a limits file")
      ->type_name("DEVICE");
}

CLI::Option* add_verbose_flag(CLI::App& command, bool& value) {
  return command.add_flag("--verbose", value, "Also print details, such as the names of kernels");
}

CLI::Option* add_json_flag(CLI::App& command, bool& value) {
  return command.add_flag("--json", value, "Print JSON");
}

CLI::Option* add_time_option(CLI::App& command, const std::string& name, std::string& value,
                             const std::string& what) {
  return command.add_option(name, value, what)->type_name(kTimeValue);
}

CLI::Option* add_precision_option(CLI::App& command, std::string& value) {
  return command
      .add_option("--precision", value,
                  "Element type: s (single), d (double) or h (half, with single-precision sums)")
      ->type_name("TYPE")
      ->capture_default_str();
}

CLI::Option* add_number_type_option(CLI::App& command, std::string& value) {
  CLI::Option* option = add_precision_option(command, value);
  option->description(
      "Element type: s (single), d (double), h (half, with single-precision sums), c (complex "
      "single) or z (complex double)");
  return option;
}

CLI::Option* add_precisions_option(CLI::App& command, std::string& value) {
  CLI::Option* option = add_precision_option(command, value)->type_name("LIST");
  option->description(
      "Element types: s (single), d (double), h (half, with single-precision sums)");
  return option;
}

std::vector<Precision> parse_precisions(const std::string& value) {
  const std::vector<Precision> all = parse_list(value, parse_precision_option);
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (std::find(all.begin(), one, *one) == one) continue;
    throw UsageError(fmt::format("--precision: '{}' names {} twice", value, to_text(*one)));
  }
  if (all.empty()) throw UsageError("--precision: the list of types is empty");
  return all;
}

Precision parse_precision_option(const std::string& value) {
  if (const auto precision = parse_precision(value)) return *precision;
  if (value == "c" || value == "z") {
    const Precision parts = parse_number_type(value).precision;
    throw UsageError(
        fmt::format("--precision: complex products run with the kernels for {}: use --precision {}",
                    elements_text(parts), to_text(parts)));
  }
  throw UsageError(fmt::format("--precision: '{}' is not one of s, d, h", value));
}

NumberType parse_number_type(const std::string& value) {
  if (value == "c") return {Precision::kSingle, true};
  if (value == "z") return {Precision::kDouble, true};
  if (const auto precision = parse_precision(value)) return {*precision, false};
  throw UsageError(fmt::format("--precision: '{}' is not one of s, d, h, c, z", value));
}

CLI::Option* add_network_precision_option(CLI::App& command, std::string& value) {
  return add_precision_option(command, value)
      ->description("Element type: s (single) or h (half, with single-precision sums)");
}

Precision parse_network_precision(const std::string& value) {
  const NumberType type = parse_number_type(value);
  if (!type.complex && is_network_type(type.precision)) return type.precision;
  throw UsageError(fmt::format("--precision: networks run with s or h, not with {}", value));
}

Profile load_named_profile(const std::string& name) {
  return name == "builtin" ? parse_profile(generic_profile_text(), "built-in profile")
                           : load_profile(name);
}

void keep_precision(const std::string& value, const std::string& file, Profile& profile) {
  if (value.empty()) return;
  const Precision wanted = parse_precision_option(value);
  const auto is_other = [&](const auto& result) {
    const KernelRecord* kernel = find_kernel(profile, result.kernel);
    return kernel == nullptr || kernel->precision != wanted;
  };
  std::erase_if(profile.results, is_other);
  std::erase_if(profile.pack_results, is_other);
  std::erase_if(profile.kernels, [&](const auto& kernel) { return kernel.precision != wanted; });
  if (!profile.kernels.empty()) return;
  throw UsageError(fmt::format(
      "--precision: {0} has no kernels for {1}; tilewright tune --precision {2} --profile {0} adds "
      "some",
      file, elements_text(wanted), to_text(wanted)));
}

void refuse_bad_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    option->check([check = check_for(*option)](const std::string& text) {
      return text.empty() ? kEmpty : check(text);
    });
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) refuse_bad_values(*command);
  }
}

void refuse_missing_values(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") return;
    if (argument.starts_with("--") && argument.find('=') + 1 == argument.size()) {
      throw UsageError(fmt::format("{}: {}", argument.substr(0, argument.size() - 1), kEmpty));
    }
  }
}

void print_failures(const std::vector<std::string>& failures) {
  static std::set<std::string> printed;  // several workers meet the same failures
  for (const std::string& failure : failures) {
    if (!printed.insert(failure).second) continue;
    print(stderr, "tilewright: {} (run tilewright doctor to find the cause)\n", failure);
  }
}

DeviceList list_devices() {
  DeviceList list = enumerate_devices();
  print_failures(list.failures);
  return list;
}

}  // namespace tilewright
