// Lists the ONNX operators that the importer converts.
#include <algorithm>
#include <map>

#include "onnx/onnx_importer.hpp"
#include "onnx/onnx_model.hpp"
#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

// Operators that are only evaluated on constants, or give one, with the maximal number of inputs.
constexpr std::pair<std::string_view, int> kConstantOperators[] = {{"Constant", 0},
                                                                   {"ConstantOfShape", 1},
                                                                   {"DequantizeLinear", 3},
                                                                   {"If", 1},
                                                                   {"QuantizeLinear", 3},
                                                                   {"Range", 3},
                                                                   {"Shape", 1},
                                                                   {"Size", 1}};

}  // namespace

// Operators that are neither operations nor activations of a model. The names of domains other than
// ONNX' own are part of the name.
const std::map<std::string_view, OnnxImporter::Operator>& OnnxImporter::handlers() {
  using I = OnnxImporter;
  static const std::map<std::string_view, Operator> kHandlers = {
      {"BatchNormalization", {&I::batch_normalization, 5}},
      {"Cast", {&I::cast, 1}},
      {"CastLike", {&I::cast_like, 2}},
      {"Celu", {&I::celu, 1}},
      {"Clip", {&I::clip, 3}},
      {"Concat", {&I::concat, kAnyNumber}},
      {"Conv", {&I::conv, 3}},
      {"Dropout", {&I::dropout, 3}},
      {"Einsum", {&I::einsum, 2}},
      {"Expand", {&I::move, 2}},
      {"Flatten", {&I::flatten, 1}},
      {"Gather", {&I::move, 2}},
      {"Gelu", {&I::gelu, 1}},
      {"Gemm", {&I::gemm, 3}},
      {"Identity", {&I::identity, 1}},
      {"IsNaN", {&I::is_nan, 1}},
      {"LayerNormalization", {&I::layer_normalization, 3}},
      {"LogSoftmax", {&I::softmax, 1}},
      {"LpNormalization", {&I::lp_normalization, 1}},
      {"MatMul", {&I::matmul, 2}},
      {"Max", {&I::variadic, kAnyNumber}},
      {"Mean", {&I::variadic, kAnyNumber}},
      {"Min", {&I::variadic, kAnyNumber}},
      {"Mish", {&I::mish, 1}},
      {"Mod", {&I::mod, 2}},
      {"PRelu", {&I::prelu, 2}},
      {"RMSNormalization", {&I::rms_normalization, 2}},
      {"ReduceL1", {&I::reduction, 2}},
      {"ReduceL2", {&I::reduction, 2}},
      {"ReduceLogSum", {&I::reduction, 2}},
      {"ReduceLogSumExp", {&I::reduction, 2}},
      {"ReduceSumSquare", {&I::reduction, 2}},
      {"Reshape", {&I::reshape, 2}},
      {"Selu", {&I::selu, 1}},
      {"Shrink", {&I::shrink, 1}},
      {"Slice", {&I::move, 5}},
      {"Softmax", {&I::softmax, 1}},
      {"Softsign", {&I::softsign, 1}},
      {"Split", {&I::move, 2}},
      {"Squeeze", {&I::squeeze, 2}},
      {"Sum", {&I::variadic, kAnyNumber}},
      {"Swish", {&I::swish, 1}},
      {"ThresholdedRelu", {&I::thresholded_relu, 1}},
      {"Tile", {&I::move, 2}},
      {"Transpose", {&I::move, 1}},
      {"Unsqueeze", {&I::unsqueeze, 2}},
      {"ai.onnx.ml.Imputer", {&I::imputer, 1}},
      {"ai.onnx.ml.Normalizer", {&I::normalizer, 1}},
      {"ai.onnx.ml.Scaler", {&I::scaler, 1}},
      {"com.microsoft.BiasGelu", {&I::bias_gelu, 2}},
      {"com.microsoft.FastGelu", {&I::bias_gelu, 2}},
      {"com.microsoft.FusedGemm", {&I::fused_gemm, 3}},
      {"com.microsoft.FusedMatMul", {&I::fused_matmul, 2}},
      {"com.microsoft.Gelu", {&I::gelu, 1}},
      {"com.microsoft.QuickGelu", {&I::swish, 1}},
      {"SimplifiedLayerNormalization", {&I::rms_normalization, 2}},
  };
  return kHandlers;
}

OnnxImporter::Operator OnnxImporter::find_operator(std::string_view name) {
  if (const auto found = handlers().find(name); found != handlers().end()) return found->second;
  if (const OperationDescription* described = find_operation(name)) {
    if (is_row_operation(described->operation)) return {&OnnxImporter::reduction, 2};
    return {&OnnxImporter::operation, described->operands};
  }
  for (const ActivationDescription& described : kActivations) {
    if (described.onnx_operator == name && is_elementwise(described.activation)) {
      return {&OnnxImporter::listed_activation, 1};
    }
  }
  for (const auto& [constant, max_inputs] : kConstantOperators) {
    if (constant == name) return {nullptr, max_inputs};
  }
  return {};
}

std::vector<std::string> OnnxImporter::operators() {
  std::vector<std::string> names;
  for (const auto& [name, max_inputs] : kConstantOperators) names.emplace_back(name);
  for (const auto& [name, handler] : handlers()) names.emplace_back(name);
  for (const OperationDescription& described : kOperations)
    names.emplace_back(described.onnx_operator);
  for (const ActivationDescription& described : kActivations)
    names.emplace_back(described.onnx_operator);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (!names.empty() && names.front().empty()) names.erase(names.begin());
  return names;
}

std::vector<std::string> supported_onnx_operators() {
  return OnnxImporter::operators();
}

}  // namespace tilewright
