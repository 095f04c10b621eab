#include "onnx/onnx_operators.hpp"

#include <algorithm>
#include <utility>

#include "profiles/activation.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

constexpr const OnnxOperators* kTables[] = {
    &kProductOperators, &kActivationOperators, &kElementOperators, &kRowOperators,
    &kMoveOperators,    &kShapeOperators,      &kConstantOperators};

}  // namespace

const std::vector<OnnxOperator>& onnx_operators() {
  static const std::vector<OnnxOperator> rows = [] {
    std::vector<OnnxOperator> all;
    for (const OnnxOperators* table : kTables) all.insert(all.end(), table->begin(), table->end());
    // The lists also name operators with a function of their own, which have rows in the tables.
    const auto is_new = [&](std::string_view name) {
      return !name.empty() && std::ranges::find(all, name, &OnnxOperator::name) == all.end();
    };
    for (const ActivationDescription& listed : kActivations) {
      const std::string_view name = listed.onnx_operator;
      if (!is_new(name)) continue;
      // 13, the default of the list, stands for all earlier ones.
      const int version = listed.onnx_operator_set > 13 ? listed.onnx_operator_set : 1;
      all.push_back({name, version, 1, same_shape, listed_activation, kActivationResult});
    }
    for (const OperationDescription& listed : kOperations) {
      const std::string_view name = listed.onnx_operator;
      const int version = listed.onnx_version;
      if (!is_new(name)) continue;
      if (is_row_operation(listed.operation)) {
        all.push_back({name, 1, 1, reduced_shape, reduction, kReductionResult});
        all.push_back({name, version, 2, reduced_shape, reduction, kReductionResult});
        continue;
      }
      // Without broadcasting as in NumPy before operator set 7.
      if (listed.operands == 2 && version == 7) {
        all.push_back({name, 1, 2, kBroadcast, operation_before_7, kElementsResult});
      }
      all.push_back({name, version, listed.operands, kBroadcast, operation, kElementsResult});
    }
    return all;
  }();
  return rows;
}

const OnnxOperator* find_operator(std::string_view name, int version) {
  const OnnxOperator* found = nullptr;
  for (const OnnxOperator& row : onnx_operators()) {
    if (row.name != name) continue;
    if (found == nullptr || (row.version <= version && row.version > found->version)) found = &row;
  }
  return found;
}

OnnxValue evaluate_operator(const OnnxOperator& row, OnnxNode& node) {
  static const OnnxValue kNone;
  const OnnxValue& x = row.max_inputs == 0 ? kNone : node.expect(0, "value");
  if (row.shape == nullptr) return row.function(node, x);
  // Other rules need samples and columns in dimensions of their own.
  if (row.shape != same_shape) node.check_not_flat(x);
  OnnxShape shape = row.shape(node, x);
  OnnxValue y = node.reshaped(row.function(node, x), std::move(shape.extents));
  y.is_flat = shape.is_flat;
  return y;
}

}  // namespace tilewright
