// Operators that give constants, and quantisation, which only constants have.
#include <algorithm>
#include <cmath>

#include "onnx/constant_numbers.hpp"
#include "onnx/onnx_operators.hpp"

namespace tilewright {
namespace {

// A sparse tensor (test constant-by-sparse-value-weights). Each element has either one linear index
// or one index per dimension.
ConstantTensor dense(OnnxNode& node, const onnx::SparseTensor& sparse) {
  const ConstantTensor values = OnnxTensors().numbers(sparse.values, node.place);
  const ConstantTensor indices = OnnxTensors().numbers(sparse.indices, node.place);
  ConstantTensor result{values.type, sparse.dims, {}};
  const std::uint64_t count = num_elements(result.extents, node.place);
  node.evaluation.budget.take(count, node.place);
  result.values.assign(count, 0.0);
  const std::size_t rank = indices.extents.size() == 2 ? result.extents.size() : 1;
  if (indices.values.size() != values.values.size() * rank) {
    node.fail("has a sparse tensor whose numbers of elements and indices differ");
  }
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    double index = 0.0;
    for (std::size_t j = 0; j < rank; ++j) {
      const double of = indices.values[i * rank + j];
      index = rank == 1 ? of : index * static_cast<double>(result.extents[j]) + of;
    }
    if (!(index >= 0.0 && index < static_cast<double>(count))) {
      node.fail("has a sparse tensor with an index out of range");
    }
    result.values[static_cast<std::size_t>(index)] = values.values[i];
  }
  return result;
}

OnnxValue constant(OnnxNode& node, const OnnxValue&) {
  if (const auto* value = node.attribute("value"); value != nullptr && value->t) {
    OnnxValue result{value->t->data_type, value->t->dims};
    result.tensor = value->t.get();
    return result;
  }
  if (node.attribute("value_float") != nullptr) {
    return node.number(without_payload(static_cast<double>(node.real("value_float", 0.0f))));
  }
  if (node.attribute("value_int") != nullptr) {
    return node.make_constant(
        {onnx::kInt64, {}, {static_cast<double>(node.integer("value_int", 0))}});
  }
  if (const auto* value = node.attribute("value_floats")) {
    node.evaluation.budget.take(value->floats.size(), node.place);
    ConstantTensor result{onnx::kFloat, {std::ssize(value->floats)}, {}};
    for (const float number : value->floats) {
      result.values.push_back(without_payload(static_cast<double>(number)));
    }
    return node.make_constant(std::move(result));
  }
  if (const auto* value = node.attribute("value_ints")) {
    node.evaluation.budget.take(value->ints.size(), node.place);
    return node.make_constant(
        {onnx::kInt64, {std::ssize(value->ints)}, {value->ints.begin(), value->ints.end()}});
  }
  if (const auto* value = node.attribute("sparse_value");
      value != nullptr && value->sparse_tensor) {
    return node.make_constant(dense(node, *value->sparse_tensor));
  }
  node.fail("has no tensor in its attribute value");
}

OnnxValue constant_of_shape(OnnxNode& node, const OnnxValue&) {
  ConstantTensor result{onnx::kFloat, {}, {}};
  // A constant is the same in all rows, so the number of samples counts as 1.
  for (const double extent : node.constant(0, "shape").values) {
    result.extents.push_back(is_batch_extent(extent) ? 1 : to_integer(extent, node.place));
  }
  const std::uint64_t count = num_elements(result.extents, node.place);
  node.evaluation.budget.take(count, node.place);
  double element = 0.0;
  if (const onnx::Attribute* const value = node.attribute("value"); value != nullptr && value->t) {
    const ConstantTensor given = OnnxTensors().numbers(*value->t, node.place);
    if (given.values.size() != 1) node.fail("has a value that is not a single number");
    result.type = given.type;
    element = given.values.front();
  }
  result.values.assign(count, element);
  return node.make_constant(std::move(result));
}

// Scale and zero point of a quantisation have one number for all elements, or one per index of an
// axis.
OnnxValue along_axis(const OnnxNode& node, int index, const OnnxValue& x) {
  ConstantTensor given = node.constant(index, index == 1 ? "scale" : "zero point");
  given.type = onnx::kDouble;
  if (given.extents.size() > 1) node.fail("has a scale of more than one dimension");
  given.extents.clear();
  if (given.values.size() != 1) {
    given.extents.assign(x.extents.size() - node.axis(node.integer("axis", 1), x), 1);
    given.extents.front() = std::ssize(given.values);
  }
  return OnnxNode::make_constant(std::move(given));
}

// DequantizeLinear: (x - zero point) scale. QuantizeLinear: x / scale + zero point, rounded.
OnnxValue quantisation(OnnxNode& node, const OnnxValue& from) {
  if (!from.is_constant()) {
    node.fail(fmt::format(
        "'{}' of a computed value is not supported, only of constants; export the network before it "
        "is quantised, or with quantised weights only",
        node.op()));
  }
  if (node.is_set("block_size")) {
    node.fail("has scales of blocks (block_size), which are not supported");
  }
  OnnxValue x = OnnxNode::make_constant(node.elements_of(from));
  const int scale_type = node.expect_constant(1, "scale").type;
  const OnnxValue scale = along_axis(node, 1, x);
  const OnnxValue* const given = node.input(2);
  const OnnxValue zero = given == nullptr ? node.number(0.0) : along_axis(node, 2, x);
  x.type = onnx::kDouble;
  if (node.op() == "DequantizeLinear") {
    x = node.elements(NetworkOperation::kSubtract, {x, zero});
    x = node.elements(NetworkOperation::kMultiply, {x, scale});
    x.type = scale_type;
    return x;
  }
  const int type =
      given == nullptr ? static_cast<int>(node.integer("output_dtype", onnx::kUint8)) : given->type;
  if (!is_integer_type(type)) {
    node.fail(fmt::format("quantises to {}; only integers are supported", type_text(type)));
  }
  const double high = std::ldexp(1.0, num_digits(type)) - 1.0;
  const double low = is_signed(type) ? -high - 1.0 : 0.0;
  x = node.elements(NetworkOperation::kDivide, {x, scale});
  x = node.elements(NetworkOperation::kRound, {x});
  ConstantTensor result = node.elements_of(node.elements(NetworkOperation::kAdd, {x, zero}));
  for (double& value : result.values) {
    if (std::isnan(value)) node.fail("quantises a number that is not finite");
    value = std::clamp(value, low, high);
  }
  result.type = type;
  return node.make_constant(std::move(result));
}

constexpr OnnxOperator kConstantTable[] = {
    {"Constant", 1, 0, kConstant, constant, "a constant"},
    {"ConstantOfShape", 9, 1, kConstant, constant_of_shape, "a constant"},
    {"DequantizeLinear", 10, 3, kConstant, quantisation, "a constant, of constants only"},
    {"QuantizeLinear", 10, 3, kConstant, quantisation, "a constant, of constants only"},
    // The evaluator takes one of its branches.
    {"If", 1, 1, nullptr, nullptr,
     "the nodes of its branch; the condition must be known when the file is read"},
};

}  // namespace

constinit const OnnxOperators kConstantOperators = kConstantTable;

}  // namespace tilewright
