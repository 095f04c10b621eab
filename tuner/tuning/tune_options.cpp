#include "tuner/tuning/tune_options.hpp"

#include <algorithm>

#include "tuner/search/shape_design.hpp"

namespace tilewright {

TuneOptions with_design(TuneOptions options, const DeviceInfo& device) {
  constexpr std::size_t kShapes = 24;
  if (!options.design) return options;
  const ShapeBounds bounds =
      shape_bounds(device, options.measure.max_dispatch_ns, options.precision);
  const std::size_t own = options.shapes.size();
  for (const GemmShape& shape : designed_shapes(kShapes, options.seed, bounds)) {
    const auto& all = options.shapes;
    if (std::find(all.begin(), all.end(), shape) == all.end()) options.shapes.push_back(shape);
  }
  options.designed = options.shapes.size() - own;
  return options;
}

bool is_validated(const TuneOptions& options) {
  const bool counted = options.candidates > 0 || options.rounds > 0;
  return options.designed > 0 && !options.b_prepacked && (options.validate > 0 || !counted);
}

bool for_networks(const TuneOptions& options) {
  return !options.activations.empty() || options.softmax;
}

std::string same_command(const TuneOptions& options) {
  return options.fresh ? "the same command without --fresh" : "the same command";
}

}  // namespace tilewright
