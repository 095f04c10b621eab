#include "tuner/cli/network_needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "profiles/base/usage_error.hpp"
#include "runtime/network/steps/layer_steps.hpp"

namespace tilewright {
namespace {

template <class Value>
void add_once(std::vector<Value>& values, const Value& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

}  // namespace

NetworkNeeds network_needs(const NetworkModel& model, const std::vector<std::int64_t>& batches) {
  NetworkNeeds needs;
  for (const LayerStep& step : layer_steps(model)) {
    if (step.kind == LayerStep::Kind::kSoftmax) {
      const bool is_log = step.epilogue.activation == Activation::kLogSoftmax;
      if (is_log) add_once(needs.activations, Activation::kLogSoftmax);
      needs.softmax = needs.softmax || !is_log;
      continue;
    }
    if (!step.epilogue.empty()) add_once(needs.activations, step.epilogue.activation);
    if (step.kind != LayerStep::Kind::kProduct) continue;
    for (const std::int64_t batch : batches) {
      add_once(needs.shapes, {batch, step.outputs, step.inputs});
    }
  }
  return needs;
}

std::vector<Activation> parse_activations(const std::string& option, const std::string& argument) {
  std::vector<Activation> activations;
  if (argument == "none") return activations;
  std::istringstream words(argument + ",");
  for (std::string word; std::getline(words, word, ',');) {
    const auto activation = parse_activation(word);
    if (!activation) {
      throw UsageError(
          fmt::format("{}: '{}' is not one of {}", option, word, list_activation_words()));
    }
    add_once(activations, *activation);
  }
  return activations;
}

}  // namespace tilewright
