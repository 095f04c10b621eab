#include "runtime/network/network_explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profiles/base/printable.hpp"
#include "runtime/api/explanation.hpp"

namespace tilewright {
namespace {

std::string extents(const StepDescription& step) {
  if (step.flops == 0.0) return fmt::format("{}x{}", step.batch, step.outputs);
  return fmt::format("{}x{}x{}", step.batch, step.outputs, step.inputs);
}

}  // namespace

std::string to_text(const std::vector<StepDescription>& steps) {
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepDescription& step = steps[i];
    text += fmt::format("{}  {}  {}  {}  {}\n", i + 1, printable(step.name), extents(step),
                        predicted_text(step.predicted_ns), fmt::join(step.kernels, " + "));
  }
  return text.empty() ? "nothing to do, because the batch is empty\n" : text;
}

}  // namespace tilewright
