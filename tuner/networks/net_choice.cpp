#include "tuner/networks/net_choice.hpp"

#include <fmt/format.h>

#include <string_view>
#include <tilewright/mlp_files.hpp>

#include "tuner/terminal/options.hpp"
#include "tuner/terminal/usage_error.hpp"

namespace tilewright {

MlpModel choose_net(const std::string& argument, std::vector<std::string>* files) {
  constexpr std::string_view kPrefix = "preset:";
  constexpr std::uint64_t kSeed = 1;
  if (!argument.starts_with(kPrefix)) return read_mlp_model(argument, files);
  try {
    return preset_model(argument.substr(kPrefix.size()), kSeed);
  } catch (const ModelError& error) {
    throw UsageError(error.what());
  }
}

CLI::Option* add_net_precision_option(CLI::App& command, std::string& value) {
  return add_precision_option(command, value)
      ->description("of weights and batches: s (float) or h (half; sums are floats)");
}

Precision net_precision_of(const std::string& value) {
  const NumberType type = number_type_of(value);
  if (!type.complex && is_of_nets(type.precision)) return type.precision;
  throw UsageError(fmt::format("--precision: nets are of s or h, not of {}", value));
}

}  // namespace tilewright
