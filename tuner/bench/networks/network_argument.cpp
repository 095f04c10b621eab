#include "tuner/bench/networks/network_argument.hpp"

#include <fmt/format.h>

#include <string_view>
#include "runtime/models/network_files.hpp"

#include "profiles/base/usage_error.hpp"

namespace tilewright {

NetworkModel read_network_argument(const std::string& argument, std::vector<std::string>* files,
                                   NetworkReading reading,
                                   const std::vector<std::string>& outputs) {
  constexpr std::string_view kPrefix = "preset:";
  constexpr std::uint64_t kSeed = 1;
  if (!argument.starts_with(kPrefix)) {
    return read_network_model(argument, files, reading, outputs);
  }
  try {
    return preset_model(argument.substr(kPrefix.size()), kSeed);
  } catch (const ModelError& error) {
    throw UsageError(error.what());
  }
}

NetworkModel with_output(const NetworkModel& model, const std::string& name) {
  try {
    if (!name.empty()) return choose_network_outputs(model, {name});
    return select_network_outputs(choose_network_outputs(model, {}), {0});
  } catch (const ModelError& error) {
    throw UsageError(fmt::format("--output-name: {}", error.reason()));
  }
}

}  // namespace tilewright
