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

std::string result(const StepDescription& step) {
  if (step.layout == "R" && step.columns == step.outputs) return "row-major";
  return fmt::format("{} with {} columns", step.layout == "R" ? "row-major" : step.layout,
                     step.columns);
}

}  // namespace

std::string to_text(const std::vector<StepDescription>& steps) {
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepDescription& step = steps[i];
    text += fmt::format("{}  {}  {}  {}  {}  result {}\n", i + 1, printable(step.name),
                        extents(step), predicted_text(step.predicted_ns),
                        fmt::join(step.kernels, " + "), result(step));
  }
  return text.empty() ? "nothing to do, because the batch is empty\n" : text;
}

}  // namespace tilewright
