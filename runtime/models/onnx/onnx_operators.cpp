#include "onnx/onnx_operators.hpp"

#include <set>
#include <string>
#include <vector>

#include "onnx/onnx_model.hpp"
#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

using Table = std::span<const OnnxOperator> (*)();
constexpr Table kTables[] = {activation_operators, constant_operators, element_operators,
                             move_operators,       product_operators,  row_operators,
                             shape_operators};

}  // namespace

std::optional<OnnxOperator> find_operator(std::string_view name) {
  for (const Table table : kTables) {
    for (const OnnxOperator& row : table()) {
      if (row.name == name) return row;
    }
  }
  if (const OperationDescription* described = find_operation(name)) {
    if (is_row_operation(described->operation)) return OnnxOperator{name, 2, reduction};
    return OnnxOperator{name, described->operands, operation};
  }
  for (const ActivationDescription& described : kActivations) {
    if (described.onnx_operator == name) return OnnxOperator{name, 1, listed_activation};
  }
  return std::nullopt;
}

std::vector<std::string> supported_onnx_operators() {
  std::set<std::string> names;
  for (const Table table : kTables) {
    for (const OnnxOperator& row : table()) names.emplace(row.name);
  }
  for (const OperationDescription& described : kOperations) names.emplace(described.onnx_operator);
  for (const ActivationDescription& described : kActivations) {
    names.emplace(described.onnx_operator);
  }
  names.erase("");
  return {names.begin(), names.end()};
}

}  // namespace tilewright
