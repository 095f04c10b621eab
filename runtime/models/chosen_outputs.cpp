#include <fmt/ranges.h>

#include <algorithm>

#include "model_place.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/models/network_files.hpp"

namespace tilewright {
namespace {

std::string list_names(const std::vector<NetworkOutput>& outputs) {
  std::vector<std::string> names;
  for (const NetworkOutput& output : outputs) names.push_back(in_quotes(output.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Returns the index of an output. Fails if the model does not have it.
std::size_t find_output(const NetworkModel& model, const std::vector<NetworkOutput>& outputs,
                        const std::string& name, const ModelPlace& place) {
  const auto found = std::ranges::find(outputs, name, &NetworkOutput::name);
  if (found != outputs.end()) return static_cast<std::size_t>(found - outputs.begin());
  const auto skipped = std::ranges::find(model.skipped_outputs, name, &NetworkSkippedOutput::name);
  if (skipped != model.skipped_outputs.end()) {
    place.fail(fmt::format("the output {} cannot be computed: {}; outputs that can be chosen: {}",
                           in_quotes(name), skipped->reason, list_names(outputs)));
  }
  std::string others;
  for (const NetworkSkippedOutput& output : model.skipped_outputs) {
    others += fmt::format("{}{} ({})", others.empty() ? "; not computed: " : ", ",
                          in_quotes(output.name), output.reason);
  }
  place.fail(fmt::format("the network has no output {}; it has {} (floats){}", in_quotes(name),
                         list_names(outputs), others));
}

}  // namespace

NetworkModel choose_network_outputs(NetworkModel model, const std::vector<std::string>& names,
                                    const std::string& file) {
  const ModelPlace place{file, ""};
  const std::vector<NetworkOutput> outputs = numbered_outputs(model);
  if (names.empty()) {
    const auto first =
        std::ranges::find(model.skipped_outputs, true, &NetworkSkippedOutput::is_first);
    if (first == model.skipped_outputs.end()) return model;
    place.fail(fmt::format(
        "the first output, {}, cannot be computed: {}; outputs that can be chosen by name: {}",
        in_quotes(first->name), first->reason, list_names(outputs)));
  }
  std::vector<std::size_t> chosen;
  for (const std::string& name : names) {
    const std::size_t output = find_output(model, outputs, name, place);
    if (std::find(chosen.begin(), chosen.end(), output) != chosen.end()) {
      place.fail(fmt::format("the output {} is chosen twice", in_quotes(name)));
    }
    chosen.push_back(output);
  }
  return select_network_outputs(model, chosen);
}

}  // namespace tilewright
