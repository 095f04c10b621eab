#include "onnx/onnx_operators.hpp"

#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

constexpr const OnnxOperators* kTables[] = {
    &kProductOperators, &kActivationOperators, &kElementOperators, &kRowOperators,
    &kMoveOperators,    &kShapeOperators,      &kConstantOperators};

// Calls visit(row) for each row. Of equal ones, the first counts.
template <class Visit>
void for_each_operator(const Visit& visit) {
  for (const OnnxOperators* table : kTables) {
    for (const OnnxOperator& row : *table) visit(row);
  }
  for (const OperationDescription& described : kOperations) {
    const std::string_view name = described.onnx_operator;
    const int version = described.onnx_version;
    if (is_row_operation(described.operation)) {
      visit({name, 1, 1, reduction, kReductionResult});
      visit({name, version, 2, reduction, kReductionResult});
    } else if (!name.empty()) {
      // Without broadcasting as in NumPy before operator set 7.
      const bool is_old = described.operands == 2 && version == 7;
      if (is_old) visit({name, 1, 2, operation_before_7, kElementsResult});
      visit({name, version, described.operands, operation, kElementsResult});
    }
  }
}

}  // namespace

std::optional<OnnxOperator> find_operator(std::string_view name, int version) {
  std::optional<OnnxOperator> found;
  for_each_operator([&](const OnnxOperator& row) {
    if (row.name != name) return;
    if (!found || (row.version <= version && row.version > found->version)) found = row;
  });
  return found;
}

std::vector<OnnxOperator> onnx_operators() {
  std::vector<OnnxOperator> rows;
  for_each_operator([&](const OnnxOperator& row) { rows.push_back(row); });
  return rows;
}

}  // namespace tilewright
