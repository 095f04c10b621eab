// Evaluates reductions of constants, such as ReduceSum.
#include "onnx/constant_tensor.hpp"
#include "onnx/onnx_attributes.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {

ConstantTensor reduce_constant(const onnx::Node& node, const OperationDescription& described,
                               const ConstantTensor& from, const std::vector<std::int64_t>& axes,
                               ConstantBudget& budget, const ModelPlace& place) {
  const bool is_over_all =
      axes.empty() && integer_attribute(node, "noop_with_empty_axes", 0, place) == 0;
  std::vector<bool> is_reduced(from.extents.size(), is_over_all);
  for (const std::int64_t axis : axes) {
    is_reduced[static_cast<std::size_t>(checked_axis(axis, from.extents.size(), place))] = true;
  }
  const bool keeps = integer_attribute(node, "keepdims", 1, place) != 0;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < is_reduced.size(); ++i) {
    extents.push_back(is_reduced[i] ? 1 : from.extents[i]);
    if (keeps || !is_reduced[i]) kept.push_back(extents.back());
  }
  const std::uint64_t count = num_elements(extents, place);
  budget.take(count, place);
  // Nothing is combined. In particular, placeholders stay what they are.
  if (count == from.values.size()) return {from.type, kept, from.values};
  ConstantTensor result{from.type, kept, std::vector<double>(count, described.start)};
  for (std::size_t element = 0; element < from.values.size(); ++element) {
    std::size_t rest = element;
    std::size_t index = 0;
    std::size_t stride = 1;
    for (std::size_t i = extents.size(); i-- > 0;) {
      const auto own = static_cast<std::size_t>(from.extents[i]);
      if (!is_reduced[i]) {
        index += rest % own * stride;
        stride *= own;
      }
      rest /= own;
    }
    double& sum = result.values[index];
    sum = described.function(sum, from.values[element], 0.0);
  }
  if (described.operation == MlpOperation::kMean && count > 0) {
    const double terms = static_cast<double>(from.values.size()) / static_cast<double>(count);
    for (double& value : result.values) value /= terms;
  }
  return result;
}

}  // namespace tilewright
