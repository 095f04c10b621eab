// Operators of products with constant weights.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "onnx/onnx_operators.hpp"
#include "onnx/onnx_weights.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

// The product with input 2, the bias, if there is one.
OnnxValue biased_product(OnnxNode& node, const OnnxValue& a, const OnnxValue& b,
                         const Factors& factors) {
  const OnnxValue y = product(node, a, b, factors);
  std::vector<NetworkLayer>& layers = node.evaluation.layers;
  if (!y.is_constant() && !std::holds_alternative<AffineLayer>(layers.back())) {
    node.fail(
        "reads a value with 3 dimensions; only batches of rows (2 dimensions, as Flatten makes "
        "them) are supported");
  }
  const OnnxValue* const bias = node.input(2);
  if (bias == nullptr || factors.beta == 0.0f) return y;
  if (y.is_constant() || !bias->is_constant()) {
    const OnnxValue beta = node.number(static_cast<double>(factors.beta));
    return node.elements(
        NetworkOperation::kAdd,
        {y,
         factors.beta == 1.0f ? *bias : node.elements(NetworkOperation::kMultiply, {*bias, beta})});
  }
  auto& layer = std::get<AffineLayer>(layers.back());
  const TensorExtents& own = bias->extents;
  const std::int64_t last = own.empty() ? 1 : own.back();
  const bool is_row = own.size() <= 2 && (own.size() < 2 || own.front() == 1);
  const bool is_column = own.size() == 2 && own.back() == 1 && own.front() == layer.outputs &&
                         y.extents.size() == 2 && y.extents.front() == layer.outputs;
  if (!is_column && (!is_row || (last != 1 && last != layer.outputs))) {
    node.fail(fmt::format(
        "adds {}, which is {}, to rows of {} elements; it must be 1, {} or 1 x {}",
        value_text(*bias), extents_text(own), layer.outputs, layer.outputs, layer.outputs));
  }
  const std::vector<double> values = node.elements_of(*bias).values;
  for (std::int64_t i = 0; i < layer.outputs; ++i) {
    layer.bias.push_back(
        static_cast<float>(values.at(values.size() == 1 ? 0 : static_cast<std::size_t>(i))) *
        factors.beta);
  }
  return y;
}

Factors read_factors(const OnnxNode& node) {
  return {node.is_set("transA"), node.is_set("transB"), node.real("alpha", 1.0f),
          node.real("beta", 1.0f)};
}

OnnxValue gemm(OnnxNode& node, const OnnxValue& x) {
  return biased_product(node, x, node.expect(1, "constant weights"), read_factors(node));
}

// A convolution whose kernel covers all of its input is a product with the flattened sample.
OnnxShape conv_shape(const OnnxNode& node, const OnnxValue& x) {
  const OnnxValue& kernel = node.expect_constant(1, "kernel");
  const auto are_all = [&](const char* name, std::int64_t value) {
    const onnx::Attribute* const given = node.attribute(name);
    return given == nullptr || std::ranges::all_of(given->ints, [=](auto i) { return i == value; });
  };
  const std::string padding = node.text("auto_pad", "NOTSET");
  const bool is_moved =
      x.extents.size() < 3 || kernel.extents.size() != x.extents.size() ||
      !std::equal(x.extents.begin() + 1, x.extents.end(), kernel.extents.begin() + 1) ||
      !are_all("pads", 0) || !are_all("dilations", 1) ||
      (padding != "NOTSET" && padding != "VALID");
  if (is_moved || node.integer("group", 1) != 1) {
    node.fail(fmt::format(
        "is a convolution that moves a kernel of {} over a value of {}, which is not supported; "
        "only kernels that cover all channels and positions are, without padding",
        extents_text(kernel.extents), shape_text(x.extents)));
  }
  TensorExtents extents(x.extents.size(), 1);
  extents[0] = x.extents[0];
  extents[1] = kernel.extents[0];
  return {std::move(extents)};
}

OnnxValue conv(OnnxNode& node, const OnnxValue& x) {
  const TensorExtents& kernel = node.expect(1).extents;
  const std::int64_t width = columns({kernel.begin() + 1, kernel.end()}).value_or(0);
  return biased_product(node, node.reshaped(x, {x.extents[0], width}),
                        node.reshaped(node.expect(1), {kernel[0], width}), {false, true});
}

// The products "bi,io->bo" and "bi,oi->bo", with any letters, with or without the result.
OnnxValue einsum(OnnxNode& node, const OnnxValue& x) {
  std::string letters = node.text("equation", "");
  std::erase(letters, ' ');
  // Without an arrow, the result has the letters that occur once, in alphabetical order. Upper and
  // lower case together are not defined: numpy and onnxruntime sort them differently.
  if (letters.size() == 5 && letters[2] == ',') {
    std::string once;
    std::ranges::copy_if(letters, std::back_inserter(once), [&](char letter) {
      return letter != ',' && std::ranges::count(letters, letter) == 1;
    });
    std::ranges::sort(once);
    const bool is_defined = !once.empty() && (once.front() < 'a') == (once.back() < 'a');
    if (is_defined) letters += "->" + once;
  }
  const bool is_product = letters.size() == 9 && letters[2] == ',' && letters.substr(5, 2) == "->";
  const std::string a = is_product ? letters.substr(0, 2) : "";
  const std::string b = is_product ? letters.substr(3, 2) : "";
  Factors factors;
  factors.transpose_b = is_product && b[1] == a[1];
  const bool is_known = is_product && a[0] != a[1] && b[0] != b[1] &&
                        (factors.transpose_b || b[0] == a[1]) && letters[7] == a[0] &&
                        letters[8] == b[factors.transpose_b ? 0 : 1] && letters[8] != a[0];
  const OnnxValue& w = node.expect(1, "weights");
  if (!is_known || x.extents.size() != 2 || w.extents.size() != 2) {
    node.fail(fmt::format(
        "has the equation {}; only products of two matrices, such as bi,io->bo, are supported",
        in_quotes(letters)));
  }
  return product(node, x, w, factors);
}

OnnxValue matmul(OnnxNode& node, const OnnxValue& x) {
  for (const char* name : {"transBatchA", "transBatchB"}) {
    if (node.is_set(name)) {
      node.fail(fmt::format(
          "has {}, which is not supported; export the network without optimisations", name));
    }
  }
  node.check_not_flat(x);
  const OnnxValue& w = node.expect(1, "constant weights");
  const Factors factors = read_factors(node);
  const bool is_stack = w.is_constant() && w.extents.size() == 3 && w.extents[0] > 1;
  return is_stack && !x.is_constant() && !factors.transpose_a ? times_stack(node, x, w, factors)
                                                              : product(node, x, w, factors);
}

// Gemm fused with an activation, an operator of onnxruntime. The attributes activation_alpha and so
// on are those of the activation.
OnnxValue fused_gemm(OnnxNode& node, const OnnxValue& x) {
  static const std::set<std::string_view> kMerged = {
      "Elu",     "HardSigmoid", "LeakyRelu", "Relu", "Selu",
      "Sigmoid", "Softplus",    "Softsign",  "Tanh", "ThresholdedRelu"};
  const OnnxValue y = gemm(node, x);
  const std::string name = node.text("activation", "");
  if (name.empty()) return y;
  if (kMerged.count(name) == 0) {
    node.fail(
        fmt::format("applies the activation {}, which is not supported; export the network without "
                    "optimisations",
                    in_quotes(name)));
  }
  onnx::Node activation;
  activation.op_type = name;
  const std::string_view prefix = "activation_";
  for (onnx::Attribute attribute : node.proto.attribute) {
    if (!attribute.name.starts_with(prefix)) continue;
    attribute.name.erase(0, prefix.size());
    activation.attribute.push_back(std::move(attribute));
  }
  OnnxNode inner(node.evaluation, activation, node.place, {&y});
  return evaluate_operator(*find_operator(name), inner);
}

// The scores of LinearClassifier and LinearRegressor: X W^T + b.
OnnxValue linear_scores(OnnxNode& node, const OnnxValue& x, std::int64_t count) {
  const onnx::Attribute* const weights = node.attribute("coefficients");
  const std::int64_t size = weights == nullptr ? 0 : std::ssize(weights->floats);
  if (count < 1 || size < 1 || size % count != 0) {
    node.fail(
        fmt::format("has {} coefficients for {} results; it needs a row for each", size, count));
  }
  const onnx::Attribute* const given = node.attribute("intercepts");
  const std::int64_t num_intercepts = given == nullptr ? 0 : std::ssize(given->floats);
  if (num_intercepts != 0 && num_intercepts != count) {
    node.fail(fmt::format("has {} intercepts for {} results; it needs one for each, or none",
                          num_intercepts, count));
  }
  const OnnxValue w = node.reshaped(node.row("coefficients", 0.0), {count, size / count});
  const OnnxValue y = product(node, as_floats(x), w, {false, true});
  return node.elements(NetworkOperation::kAdd, {y, node.row("intercepts", 0.0)});
}

// The function of the scores that the node gives as its result.
OnnxValue post_transformed(OnnxNode& node, const OnnxValue& scores) {
  const std::string function = node.text("post_transform", "NONE");
  if (function == "NONE") return scores;
  if (function != "SOFTMAX" && function != "LOGISTIC") {
    node.fail(fmt::format("has the post_transform {}; NONE, SOFTMAX and LOGISTIC are supported",
                          in_quotes(function)));
  }
  return node.activation(function == "SOFTMAX" ? Activation::kSoftmax : Activation::kSigmoid,
                         scores);
}

OnnxValue linear_regressor(OnnxNode& node, const OnnxValue& x) {
  return post_transformed(node, linear_scores(node, x, node.integer("targets", 1)));
}

// The label of each sample, and its scores as the second output. Labels that are strings are given
// as their numbers.
OnnxValue linear_classifier(OnnxNode& node, const OnnxValue& x) {
  const onnx::Attribute* const labels = node.attribute("classlabels_ints");
  const onnx::Attribute* const intercepts = node.attribute("intercepts");
  const std::int64_t count = intercepts == nullptr ? 1 : std::ssize(intercepts->floats);
  if (count < 2 || (labels != nullptr && std::ssize(labels->ints) != count)) {
    node.fail("does not have a row of coefficients and an intercept for each of its classes");
  }
  if (x.extents.size() != 2) {
    node.fail(
        fmt::format("classifies a value of {}; only batches of rows (2 dimensions) are supported",
                    shape_text(x.extents)));
  }
  const OnnxValue scores = linear_scores(node, x, count);
  node.define(1, post_transformed(node, scores));
  OnnxValue label = index_of_best(node, scores, -1, true, false);
  if (labels != nullptr) {
    ConstantTensor numbers{onnx::kInt64, {count}, {labels->ints.begin(), labels->ints.end()}};
    ConstantTensor classes = numbers;
    std::iota(classes.values.begin(), classes.values.end(), 0.0);
    if (numbers.values != classes.values) {
      const OnnxValue is_class =
          node.elements(NetworkOperation::kEqual, {label, node.make_constant(std::move(classes))});
      label = node.elements(NetworkOperation::kWhere,
                            {is_class, node.make_constant(std::move(numbers)), node.number(0.0)});
      label = node.reduced(NetworkOperation::kSum, label, {-1});
    }
  }
  return node.reshaped(std::move(label), {scores.extents[0]});
}

constexpr std::string_view kAffineResult = "an affine layer, with constant weights";
constexpr std::string_view kMatMulResult =
    "an affine layer, with constant weights; of samples with up to 16 rows (batch x rows x "
    "columns): one for each row; with a stack of matrices (members x inputs x outputs), as ensembles have: one for all members that "
    "share an input, otherwise one for each";
constexpr std::string_view kLinearResult =
    "an affine layer and the activation, with `NONE`, `SOFTMAX` or `LOGISTIC`, and a row of "
    "coefficients for each class; labels as by `ArgMax`, those that are strings as their numbers";

constexpr OnnxOperator kProductTable[] = {
    {"Gemm", 1, 3, kProduct, gemm, kAffineResult},
    {"com.microsoft.FusedGemm", 1, 3, kProduct, fused_gemm, kAffineResult},
    {"MatMul", 1, 2, kProduct, matmul, kMatMulResult},
    {"com.microsoft.FusedMatMul", 1, 2, kProduct, matmul, kMatMulResult},
    {"Einsum", 12, 2, kProduct, einsum,
     "an affine layer; of two matrices, such as `bi,oi->bo` or `bi,io`"},
    {"Conv", 1, 3, conv_shape, conv,
     "an affine layer, with a constant kernel that covers all channels and positions of its input, without padding"},
    {"ai.onnx.ml.LinearClassifier", 1, 1, kProduct, linear_classifier, kLinearResult},
    {"ai.onnx.ml.LinearRegressor", 1, 1, kProduct, linear_regressor, kLinearResult},
};

}  // namespace

constinit const OnnxOperators kProductOperators = kProductTable;

}  // namespace tilewright
