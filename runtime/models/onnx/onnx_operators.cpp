// Lists the ONNX operators that the importer converts.
#include <algorithm>
#include <map>

#include "onnx/onnx_importer.hpp"
#include "onnx/onnx_model.hpp"
#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

// Operators that are only evaluated on constants, or give one.
constexpr std::string_view kConstantOperators[] = {
    "Constant", "ConstantOfShape", "DequantizeLinear", "Range", "Shape", "Size"};

}  // namespace

// Operators that are neither operations nor activations of a model. The names of domains other than
// ONNX' own are part of the name.
const std::map<std::string_view, OnnxImporter::Handler>& OnnxImporter::handlers() {
  using I = OnnxImporter;
  static const std::map<std::string_view, Handler> kHandlers = {
      {"BatchNormalization", &I::batch_normalization},
      {"Cast", &I::cast},
      {"CastLike", &I::cast_like},
      {"Celu", &I::celu},
      {"Clip", &I::clip},
      {"Concat", &I::concat},
      {"Dropout", &I::dropout},
      {"Expand", &I::move},
      {"Flatten", &I::flatten},
      {"Gather", &I::move},
      {"Gelu", &I::gelu},
      {"Gemm", &I::gemm},
      {"Identity", &I::identity},
      {"LayerNormalization", &I::layer_normalization},
      {"LogSoftmax", &I::softmax},
      {"LpNormalization", &I::lp_normalization},
      {"MatMul", &I::matmul},
      {"Max", &I::variadic},
      {"Mean", &I::variadic},
      {"Min", &I::variadic},
      {"Mish", &I::mish},
      {"Mod", &I::mod},
      {"PRelu", &I::prelu},
      {"RMSNormalization", &I::rms_normalization},
      {"ReduceL1", &I::reduction},
      {"ReduceL2", &I::reduction},
      {"ReduceLogSum", &I::reduction},
      {"ReduceLogSumExp", &I::reduction},
      {"ReduceSumSquare", &I::reduction},
      {"Reshape", &I::reshape},
      {"Selu", &I::selu},
      {"Shrink", &I::shrink},
      {"Slice", &I::move},
      {"Softmax", &I::softmax},
      {"Softsign", &I::softsign},
      {"Split", &I::move},
      {"Squeeze", &I::squeeze},
      {"Sum", &I::variadic},
      {"Swish", &I::swish},
      {"ThresholdedRelu", &I::thresholded_relu},
      {"Tile", &I::move},
      {"Transpose", &I::move},
      {"Unsqueeze", &I::unsqueeze},
      {"ai.onnx.ml.Normalizer", &I::normalizer},
      {"ai.onnx.ml.Scaler", &I::scaler},
      {"com.microsoft.BiasGelu", &I::bias_gelu},
      {"com.microsoft.FastGelu", &I::bias_gelu},
      {"com.microsoft.FusedGemm", &I::fused_gemm},
      {"com.microsoft.FusedMatMul", &I::fused_matmul},
      {"com.microsoft.Gelu", &I::gelu},
      {"com.microsoft.QuickGelu", &I::swish},
      {"SimplifiedLayerNormalization", &I::rms_normalization},
  };
  return kHandlers;
}

OnnxImporter::Handler OnnxImporter::find_handler(std::string_view name) {
  if (const auto found = handlers().find(name); found != handlers().end()) return found->second;
  if (const OperationDescription* described = find_operation(name)) {
    return is_row_operation(described->operation) ? &OnnxImporter::reduction
                                                  : &OnnxImporter::operation;
  }
  for (const ActivationDescription& described : kActivations) {
    if (described.onnx_operator == name && is_elementwise(described.activation)) {
      return &OnnxImporter::listed_activation;
    }
  }
  return nullptr;
}

std::vector<std::string> OnnxImporter::operators() {
  std::vector<std::string> names(std::begin(kConstantOperators), std::end(kConstantOperators));
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
