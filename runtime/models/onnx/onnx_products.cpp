// Converts products of a computed value and constant weights.
#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "matrix/matrix_text.hpp"
#include "onnx/onnx_importer.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

// The maximal number of rows of a sample: each has its own copy of the weights.
constexpr std::int64_t kMaxRows = 16;

}  // namespace

// Returns alpha op(W), where W is input `index` of the node.
FloatMatrix OnnxImporter::read_weights(const Node& node, int index, const Factor& factor) {
  const Constant constant = expect_constant(node, index, "weights");
  Extents own = extents(constant);
  if (own.size() == 1 && !factor.transposed) own.insert(index == 0 ? own.begin() : own.end(), 1);
  while (own.size() > 2 && own.front() == 1) own.erase(own.begin());
  if (own.size() != 2 || own[0] < 1 || own[1] < 1) {
    node.place.fail(fmt::format("its weights, {}, are {}, which is not a matrix; {}",
                                read_text(constant), temporary_extents(constant),
                                own.size() > 2
                                    ? "for a stack of matrices, use a MatMul for each of them"
                                    : "they need two dimensions of at least 1"));
  }
  FloatMatrix weights{own[0], own[1], {}};
  if (constant.numbers != nullptr) {
    weights.values.assign(constant.numbers->values.begin(), constant.numbers->values.end());
    budget_.take(weights.values.size(), node.place);
  } else {
    weights.values = tensors_.floats(*constant.tensor, node.place);
    if (constant.is_transposed) {
      std::swap(weights.rows, weights.columns);
      weights = transposed(weights);
    }
  }
  if (factor.transposed) weights = transposed(weights);
  if (factor.alpha != 1.0f) {
    for (float& weight : weights.values) weight *= factor.alpha;
  }
  return weights;
}

// X W, with the extents of the result. A sample may have several rows, which are multiplied by the
// same weights: then each row gets a layer of its own, and their results are joined.
OnnxImporter::Computed OnnxImporter::affine(const Node& node, FloatMatrix weights,
                                            const Computed& x, Extents extents) {
  const std::int64_t rows = columns(extents).value_or(weights.columns) / weights.columns;
  const std::int64_t width = columns(x.extents).value_or(weights.rows * rows);
  if (width != weights.rows * rows) {
    node.place.fail(fmt::format(
        "needs rows of {} elements, but its input has rows of {}; correct the extents of the "
        "network's input, or the weights",
        weights.rows, width / rows));
  }
  AffineLayer layer;
  layer.name = node.proto.name;
  layer.inputs = weights.rows;
  layer.outputs = weights.columns;
  layer.weights = std::move(weights.values);
  layer.input = x.value;
  if (rows == 1) return {push(std::move(layer)), std::move(extents), false};
  budget_.take(layer.weights.size() * static_cast<std::uint64_t>(rows - 1), node.place);
  OperationLayer joined{node.proto.name, MlpOperation::kConcat, {}, {}};
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<double> indices(static_cast<std::size_t>(layer.inputs));
    std::iota(indices.begin(), indices.end(), static_cast<double>(row * layer.inputs));
    layer.input = selected(x, indices, {kBatch, layer.inputs}).value;
    joined.operands.push_back({push(layer), {}});
  }
  return {push(std::move(joined)), std::move(extents), false};
}

// X W, where k is the last dimension of X; with transpose_x, the first of two dimensions.
OnnxImporter::Computed OnnxImporter::times_weights(const Node& node, const Computed& x,
                                                   bool transpose_x, const Factor& factor) {
  const Computed sample = transpose_x ? transposed_sample(node, x) : x;
  Extents rows = sample.extents;
  if (rows.empty())
    node.place.fail("reads a value without dimensions; it needs one for the columns");
  if (rows.back() == kBatch) {
    node.place.fail(
        "reads a value whose last dimension is the batch; the batch must be "
        "the first of two dimensions");
  }
  const auto count = columns({rows.begin(), rows.end() - 1});
  if (!count || *count > kMaxRows) {
    node.place.fail(fmt::format(
        "multiplies {} rows of each sample by the same weights; at most {} are supported: export "
        "the "
        "network with rows as samples",
        count ? fmt::format("{}", *count) : "an unknown number of", kMaxRows));
  }
  FloatMatrix weights = read_weights(node, 1, factor);
  const std::size_t rank = extents(expect(node, 1, "weights")).size();
  rows.back() = weights.columns;
  if (rank == 1) rows.pop_back();
  // Leading dimensions of one element, as NumPy broadcasts them.
  if (rank > rows.size()) rows.insert(rows.begin(), rank - rows.size(), 1);
  return affine(node, std::move(weights), sample, std::move(rows));
}

// X^T, where X is a matrix of known extents without a batch.
OnnxImporter::Computed OnnxImporter::transposed_sample(const Node& node, const Computed& x) {
  if (x.extents.size() != 2 || x.extents.front() == kBatch) {
    node.place.fail(
        "has transA, which would turn samples into columns; export it without, with a sample in "
        "each row");
  }
  const std::int64_t rows = x.extents.front(), width = x.extents.back();
  if (rows == 1 || width == 1 || width == kBatch) return {x.value, {width, rows}, x.is_flat};
  const ConstantTensor numbers = column_numbers(node, x.extents, 0.0);
  std::vector<double> indices;
  for (std::int64_t j = 0; j < width; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      indices.push_back(numbers.values[static_cast<std::size_t>(i * width + j)]);
    }
  }
  return selected(x, indices, {width, rows});
}

// W X, where k is the first dimension of X; with transpose_x, the last one. It is computed as
// X^T W^T with one sample per row; the result in the graph has the extents outputs x samples.
OnnxImporter::Computed OnnxImporter::weights_times(const Node& node, const Factor& factor,
                                                   const Computed& x, bool transpose_x) {
  Extents sides = x.extents;
  if (transpose_x && sides.size() == 2) std::swap(sides.front(), sides.back());
  const bool is_column = !sides.empty() && sides.size() <= 2 && sides.front() != kBatch &&
                         extents(expect(node, 0, "weights")).size() <= 2 &&
                         (sides.size() == 1 || sides.back() == 1 || sides.back() == kBatch);
  if (!is_column) {
    node.place.fail(
        "has a computed value as input 2; it must be input 1: constant weights are multiplied by "
        "samples that are not columns; transpose the weights and exchange the operands");
  }
  FloatMatrix weights = transposed(read_weights(node, 0, factor));
  sides.front() = weights.columns;
  if (extents(expect(node, 0, "weights")).size() == 1) sides.erase(sides.begin());
  return affine(node, std::move(weights), x, std::move(sides));
}

OnnxImporter::Computed OnnxImporter::product(const Node& node, bool transpose_a, bool transpose_b,
                                             float alpha) {
  const Operand& a = expect(node, 0, "value");
  const Operand& b = expect(node, 1, "constant weights");
  check_not_flat(node, a);
  check_not_flat(node, b);
  const auto* left = std::get_if<Computed>(&a);
  const auto* right = std::get_if<Computed>(&b);
  if (left != nullptr && right != nullptr) {
    node.place.fail(
        "multiplies two computed values, as attention does; only products with constant weights "
        "are "
        "supported");
  }
  if (left != nullptr) return times_weights(node, *left, transpose_a, {transpose_b, alpha});
  return weights_times(node, {transpose_a, alpha}, *right, transpose_b);
}

OnnxImporter::Computed OnnxImporter::gemm(const Node& node) {
  const bool trans_a = integer_attribute(node.proto, "transA", 0, node.place) != 0;
  const bool trans_b = integer_attribute(node.proto, "transB", 0, node.place) != 0;
  const float alpha = float_attribute(node.proto, "alpha", 1.0f, node.place);
  const float beta = float_attribute(node.proto, "beta", 1.0f, node.place);
  const auto* a = std::get_if<Constant>(&expect(node, 0, "value"));
  const auto* b = std::get_if<Constant>(&expect(node, 1, "constant weights"));
  const auto scaled = [&](const Operand& bias) -> Operand {
    if (beta == 1.0f) return bias;
    return elements(node, MlpOperation::kMultiply, {bias, number(static_cast<double>(beta))});
  };
  if (a != nullptr && b != nullptr) {
    onnx::Node constant = node.proto;
    constant.domain.clear();
    constant.op_type = "Gemm";
    const ConstantTensor left = numbers(node, *a);
    const ConstantTensor right = numbers(node, *b);
    auto folded = fold_constants(constant, {&left, &right}, budget_, node.place);
    return elements(node, MlpOperation::kAdd,
                    {make_constant(std::move(folded->front())), scaled(*find(node, 2))},
                    node.proto.name);
  }
  const Computed y = product(node, trans_a, trans_b, alpha);
  if (!std::holds_alternative<AffineLayer>(layers_.back())) {
    node.place.fail(
        "reads a value with 3 dimensions; only batches of rows (2 dimensions, as Flatten makes "
        "them) are supported");
  }
  const Operand* const bias = find(node, 2);
  if (bias == nullptr || beta == 0.0f) return y;
  const auto* constant = std::get_if<Constant>(bias);
  if (constant == nullptr) return elements(node, MlpOperation::kAdd, {y, scaled(*bias)});
  auto& layer = std::get<AffineLayer>(layers_.back());
  const Extents own = extents(*bias);
  const std::int64_t last = own.empty() ? 1 : own.back();
  const bool is_row = own.size() <= 2 && (own.size() < 2 || own.front() == 1);
  const bool is_column = own.size() == 2 && own.back() == 1 && own.front() == layer.outputs &&
                         y.extents.size() == 2 && y.extents.front() == layer.outputs;
  if (!is_column && (!is_row || (last != 1 && last != layer.outputs))) {
    node.place.fail(
        fmt::format("adds {}, which is {}, to rows of {} elements; it must be 1, {} or 1 x {}",
                    read_text(*constant), temporary_extents(*constant), layer.outputs,
                    layer.outputs, layer.outputs));
  }
  const std::vector<double> values = numbers(node, *constant).values;
  layer.bias.clear();
  for (std::int64_t i = 0; i < layer.outputs; ++i) {
    layer.bias.push_back(
        static_cast<float>(values.at(values.size() == 1 ? 0 : static_cast<std::size_t>(i))) * beta);
  }
  return y;
}

// A convolution whose kernel covers all of its input is a product with the flattened sample.
OnnxImporter::Computed OnnxImporter::conv(const Node& node) {
  const Computed x = expect_computed(node);
  ConstantTensor kernel = numbers(node, expect_constant(node, 1, "kernel"));
  const auto are_all = [&](const char* name, std::int64_t value) {
    const onnx::Attribute* const given = attribute(node.proto, name);
    return given == nullptr || std::ranges::all_of(given->ints, [=](auto i) { return i == value; });
  };
  const std::string padding = text_attribute(node.proto, "auto_pad", "NOTSET");
  const bool is_moved =
      x.extents.size() < 3 || kernel.extents.size() != x.extents.size() ||
      !std::equal(x.extents.begin() + 1, x.extents.end(), kernel.extents.begin() + 1) ||
      !are_all("pads", 0) || !are_all("dilations", 1) ||
      (padding != "NOTSET" && padding != "VALID");
  if (is_moved || integer_attribute(node.proto, "group", 1, node.place) != 1) {
    node.place.fail(fmt::format(
        "is a convolution that moves a kernel of {} over a value of {}, which is not supported; "
        "only kernels that cover all channels and positions are, without padding",
        temporary_extents(make_constant(kernel)), shape_text(x.extents)));
  }
  const std::int64_t outputs = kernel.extents[0];
  const std::int64_t columns = outputs == 0 ? 0 : std::ssize(kernel.values) / outputs;
  kernel.extents = {outputs, columns};
  onnx::Node product;
  product.name = node.proto.name;
  // These names are used only until gemm() has read them.
  product.input = {"samples of " + node.place.place, "kernel of " + node.place.place,
                   name_at(node.proto.input, 2)};
  onnx::Attribute& transposed = product.attribute.emplace_back();
  transposed.name = "transB";
  transposed.i = 1;
  values_.insert_or_assign(product.input[0], Computed{x.value, {x.extents[0], columns}});
  values_.insert_or_assign(product.input[1], make_constant(std::move(kernel)));
  Computed result = gemm({product, node.place});
  values_.erase(product.input[0]);
  values_.erase(product.input[1]);
  result.extents = x.extents;
  std::fill(result.extents.begin() + 1, result.extents.end(), 1);
  result.extents[1] = outputs;
  return result;
}

// The products "bi,io->bo" and "bi,oi->bo", with any letters.
OnnxImporter::Computed OnnxImporter::einsum(const Node& node) {
  std::string letters;
  for (const char c : text_attribute(node.proto, "equation", "")) {
    if (c != ' ') letters += c;
  }
  const bool is_product = letters.size() == 9 && letters[2] == ',' && letters.substr(5, 2) == "->";
  const std::string a = is_product ? letters.substr(0, 2) : "";
  const std::string b = is_product ? letters.substr(3, 2) : "";
  const bool is_transposed = is_product && b[1] == a[1];
  const bool is_known = is_product && a[0] != a[1] && b[0] != b[1] &&
                        (is_transposed || b[0] == a[1]) && letters[7] == a[0] &&
                        letters[8] == b[is_transposed ? 0 : 1] && letters[8] != a[0];
  if (!is_known || extents(expect(node, 0, "value")).size() != 2 ||
      extents(expect(node, 1, "weights")).size() != 2) {
    node.place.fail(fmt::format(
        "has the equation {}; only products of two matrices, such as bi,io->bo, are supported",
        in_quotes(letters)));
  }
  return product(node, false, is_transposed, 1.0f);
}

OnnxImporter::Computed OnnxImporter::matmul(const Node& node) {
  return product(node, false, false, 1.0f);
}

OnnxImporter::Computed OnnxImporter::fused_matmul(const Node& node) {
  for (const char* name : {"transBatchA", "transBatchB"}) {
    if (integer_attribute(node.proto, name, 0, node.place) != 0) {
      node.place.fail(fmt::format(
          "has {}, which is not supported; export the network without optimisations", name));
    }
  }
  return product(node, integer_attribute(node.proto, "transA", 0, node.place) != 0,
                 integer_attribute(node.proto, "transB", 0, node.place) != 0,
                 float_attribute(node.proto, "alpha", 1.0f, node.place));
}

// Gemm fused with an activation, an operator of onnxruntime. The attributes activation_alpha and so
// on are those of the activation.
OnnxImporter::Computed OnnxImporter::fused_gemm(const Node& node) {
  static const std::set<std::string_view> kMerged = {
      "Elu",     "HardSigmoid", "LeakyRelu", "Relu", "Selu",
      "Sigmoid", "Softplus",    "Softsign",  "Tanh", "ThresholdedRelu"};
  const Computed y = gemm(node);
  const std::string name = text_attribute(node.proto, "activation", "");
  if (name.empty()) return y;
  if (kMerged.count(name) == 0) {
    node.place.fail(
        fmt::format("applies the activation {}, which is not supported; export the network without "
                    "optimisations",
                    in_quotes(name)));
  }
  onnx::Node activation;
  activation.name = node.proto.name;
  activation.op_type = name;
  activation.input = {"product of " + node.place.place};  // only until the activation has read it
  const std::string_view prefix = "activation_";
  for (onnx::Attribute attribute : node.proto.attribute) {
    if (attribute.name.rfind(prefix, 0) != 0) continue;
    attribute.name.erase(0, prefix.size());
    activation.attribute.push_back(std::move(attribute));
  }
  const std::string& product = activation.input.front();
  values_.insert_or_assign(product, y);
  const Computed result = (this->*find_operator(name).handler)({activation, node.place});
  values_.erase(product);
  return result;
}

}  // namespace tilewright
