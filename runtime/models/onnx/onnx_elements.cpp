// Converts element-wise operations and activations.
#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx/onnx_importer.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/network/activation_layer.hpp"
#include "runtime/network/operations.hpp"

namespace tilewright {
namespace {

bool is_linear(MlpOperation operation) {
  return operation == MlpOperation::kAdd || operation == MlpOperation::kSubtract ||
         operation == MlpOperation::kMultiply || operation == MlpOperation::kDivide;
}

}  // namespace

OnnxImporter::Operand OnnxImporter::number(double value) {
  return Constant{nullptr, false,
                  std::make_shared<ConstantTensor>(ConstantTensor{onnx::kFloat, {}, {value}})};
}

OnnxImporter::Extents OnnxImporter::extents(const Operand& operand) const {
  if (const auto* computed = std::get_if<Computed>(&operand)) return computed->extents;
  const auto& constant = std::get<Constant>(operand);
  if (constant.numbers != nullptr) return constant.numbers->extents;
  Extents extents(constant.tensor->dims.begin(), constant.tensor->dims.end());
  if (constant.is_transposed) std::swap(extents.front(), extents.back());
  return extents;
}

std::optional<std::size_t> OnnxImporter::batch_axis(const Extents& extents) {
  const auto found = std::find(extents.begin(), extents.end(), kBatch);
  if (found == extents.end()) return std::nullopt;
  return static_cast<std::size_t>(found - extents.begin());
}

// Returns the product of all extents except the batch; nullopt if one is unknown.
std::optional<std::int64_t> OnnxImporter::columns(const Extents& extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) {
    if (extent == kBatch) continue;
    if (extent == kUnknown || product > std::numeric_limits<std::int64_t>::max() / extent) {
      return std::nullopt;
    }
    product *= extent;
  }
  return product;
}

OnnxImporter::Extents OnnxImporter::sample_extents(const Node& node, const Extents& extents) const {
  Extents sample = extents;
  for (std::int64_t& extent : sample) {
    if (extent == kUnknown) node.place.fail("reads a value with unknown extents");
    if (extent == kBatch) extent = 1;
  }
  return sample;
}

// Returns the extents of the result of an element-wise operation by NumPy's rules of broadcasting.
OnnxImporter::Extents OnnxImporter::combined(const Node& node,
                                             const std::vector<const Operand*>& operands) {
  std::size_t rank = 0;
  for (const Operand* operand : operands) rank = std::max(rank, extents(*operand).size());
  Extents result(rank, 1);
  // Computed values first, so that an error message contains the incompatible constant.
  for (const bool is_constant : {false, true}) {
    for (const Operand* operand : operands) {
      const auto* constant = std::get_if<Constant>(operand);
      if ((constant != nullptr) != is_constant) continue;
      const Extents own = extents(*operand);
      for (std::size_t i = 0; i < own.size(); ++i) {
        std::int64_t& whole = result[rank - own.size() + i];
        const bool is_open = own[i] == kUnknown || whole == kUnknown;
        if (own[i] == whole || own[i] == 1) continue;
        if (whole == 1 || (whole == kUnknown && own[i] != kBatch)) {
          whole = own[i];
        } else if (!is_open || whole == kBatch || own[i] == kBatch) {
          if (constant == nullptr) {
            node.place.fail("combines values whose extents cannot be broadcast");
          }
          const auto width = columns(result);
          node.place.fail(fmt::format("combines {}, which is {}, with rows of {} elements",
                                      read_text(*constant), temporary_extents(*constant),
                                      width ? fmt::format("{}", *width) : "an unknown number of"));
        }
      }
    }
  }
  if (std::count(result.begin(), result.end(), kBatch) > 1) {
    node.place.fail("combines different samples");
  }
  return result;
}

// Returns the operand with as many columns as `extents` have, or with one column.
MlpOperand OnnxImporter::broadcast_operand(const Node& node, const Operand& operand,
                                           const Extents& extents) {
  if (const auto* constant = std::get_if<Constant>(&operand)) {
    const ConstantTensor own = numbers(node, *constant);
    const auto refuse = [&] {
      const auto width = columns(extents);
      node.place.fail(fmt::format("combines {}, which is {}, with rows of {} elements",
                                  read_text(*constant), temporary_extents(*constant),
                                  width ? fmt::format("{}", *width) : "an unknown number of"));
    };
    if (own.values.empty()) refuse();
    check_known(node, own);
    if (own.values.size() == 1) return {kPreviousValue, {own.values.front()}};
    if (!columns(extents) || *columns(extents) > kMaxColumns) refuse();
    ConstantTensor whole = broadcast_to(own, sample_extents(node, extents), budget_, node.place);
    return {kPreviousValue, std::move(whole.values)};
  }
  const auto& computed = std::get<Computed>(operand);
  const auto own = columns(computed.extents);
  if (own == columns(extents) || own == 1 || !own) return {computed.value, {}};
  const Extents sample = sample_extents(node, computed.extents);
  if (columns(extents).value_or(kMaxColumns + 1) > kMaxColumns) {
    node.place.fail("repeats columns too often");
  }
  const ConstantTensor indices = broadcast_to(column_numbers(node, sample),
                                              sample_extents(node, extents), budget_, node.place);
  return {selected(computed, indices.values, extents).value, {}};
}

OnnxImporter::Computed OnnxImporter::elements(const Node& node, MlpOperation operation,
                                              const std::vector<Operand>& operands,
                                              const std::string& name) {
  std::vector<const Operand*> pointers;
  bool is_flat = false;
  for (const Operand& operand : operands) {
    pointers.push_back(&operand);
    const auto* computed = std::get_if<Computed>(&operand);
    is_flat = is_flat || (computed != nullptr && computed->is_flat);
  }
  if (is_flat && operands.size() > 1) {
    for (const Operand& operand : operands) check_not_flat(node, operand);
  }
  const Extents extents = combined(node, pointers);
  OperationLayer layer{name, operation, {}, {}};
  for (const Operand& operand : operands) {
    layer.operands.push_back(broadcast_operand(node, operand, extents));
    for (const double value : layer.operands.back().constant) {
      const bool divides = operation == MlpOperation::kDivide && layer.operands.size() == 2;
      const auto factor = static_cast<float>(divides ? 1.0 / value : value);
      if (is_linear(operation) && !std::isfinite(factor)) {
        node.place.fail("scales or shifts by a number that is not finite");
      }
    }
  }
  return {push(std::move(layer)), extents, is_flat};
}

OnnxImporter::Computed OnnxImporter::operation(const Node& node) {
  const OperationDescription& described = *find_operation(node.proto.op_type);
  if (operator_set_ < 7 && attribute(node.proto, "axis") != nullptr) {
    node.place.fail(
        "broadcasts along an axis as before operator set 7; export the network with operator set 7 "
        "or later");
  }
  std::vector<Operand> operands;
  for (int i = 0; i < described.operands; ++i) operands.push_back(expect(node, i, "operand"));
  return elements(node, described.operation, operands, node.proto.name);
}

// Sum, Mean, Min and Max with any number of operands. With one operand the result is the operand.
OnnxImporter::Computed OnnxImporter::variadic(const Node& node) {
  const std::string& op = node.proto.op_type;
  const MlpOperation operation = op == "Max"   ? MlpOperation::kMaximum
                                 : op == "Min" ? MlpOperation::kMinimum
                                               : MlpOperation::kAdd;
  Operand result = expect(node, 0, "operand");
  for (int i = 1; i < std::ssize(node.proto.input); ++i) {
    const Operand& next = expect(node, i, "operand");
    const auto* a = std::get_if<Constant>(&result);
    const auto* b = std::get_if<Constant>(&next);
    if (a == nullptr || b == nullptr) {
      result = elements(node, operation, {result, next}, node.proto.name);
      continue;
    }
    onnx::Node both;
    both.op_type = op == "Mean" ? "Sum" : op;
    const ConstantTensor first = numbers(node, *a);
    const ConstantTensor second = numbers(node, *b);
    auto sum = fold_constants(both, {&first, &second}, budget_, node.place);
    result = Constant{nullptr, false, std::make_shared<ConstantTensor>(std::move(sum->front()))};
  }
  if (op == "Mean" && node.proto.input.size() > 1) {
    const Operand weight = number(1.0 / static_cast<double>(node.proto.input.size()));
    return elements(node, MlpOperation::kMultiply, {result, weight}, node.proto.name);
  }
  return std::get<Computed>(result);
}

OnnxImporter::Computed OnnxImporter::activation(const Node& node, MlpActivation activation,
                                                const Computed& input) {
  ActivationLayer layer;
  layer.name = node.proto.name;
  layer.activation = activation;
  layer.input = input.value;
  return {push(std::move(layer)), input.extents, input.is_flat};
}

OnnxImporter::Computed OnnxImporter::listed_activation(const Node& node) {
  const auto* const listed = std::find_if(
      std::begin(kActivations), std::end(kActivations),
      [&](const ActivationDescription& each) { return each.onnx_operator == node.proto.op_type; });
  std::vector<float> parameters;
  for (const ActivationParameter& parameter : listed->parameters) {
    parameters.push_back(
        float_attribute(node.proto, parameter.onnx_attribute, parameter.onnx_default, node.place));
  }
  return named_activation(node, node.proto.op_type, expect_computed(node), parameters);
}

// Converts an activation by its name in ONNX. Missing parameters have their defaults.
OnnxImporter::Computed OnnxImporter::named_activation(const Node& node, const std::string& name,
                                                      const Computed& input,
                                                      const std::vector<float>& parameters) {
  const auto* const listed =
      std::find_if(std::begin(kActivations), std::end(kActivations),
                   [&](const ActivationDescription& each) { return each.onnx_operator == name; });
  if (listed == std::end(kActivations) || listed->function == nullptr) {
    node.place.fail(
        fmt::format("applies the activation {}, which is not supported", in_quotes(name)));
  }
  const Computed result = activation(node, static_cast<MlpActivation>(listed->activation), input);
  auto& layer = std::get<ActivationLayer>(layers_.back());
  for (std::size_t i = 0; i < listed->parameters.size(); ++i) {
    const ActivationParameter& parameter = listed->parameters[i];
    layer.*parameter_member(parameter) =
        i < parameters.size() ? parameters[i] : parameter.onnx_default;
  }
  return result;
}

// With constants other than the defaults, Selu becomes a scaled Elu.
OnnxImporter::Computed OnnxImporter::selu(const Node& node) {
  const auto is_usual = [](float value, double usual) {
    return std::abs(static_cast<double>(value) - usual) < 1e-6;
  };
  const auto usual_alpha = static_cast<float>(kSeluAlpha);
  const auto usual_gamma = static_cast<float>(kSeluScale);
  const float alpha = float_attribute(node.proto, "alpha", usual_alpha, node.place);
  const float gamma = float_attribute(node.proto, "gamma", usual_gamma, node.place);
  const Computed x = expect_computed(node);
  if (is_usual(alpha, kSeluAlpha) && is_usual(gamma, kSeluScale)) {
    return activation(node, MlpActivation::kSelu, x);
  }
  const Computed elu = activation(node, MlpActivation::kElu, x);
  std::get<ActivationLayer>(layers_.back()).slope = alpha;
  return elements(node, MlpOperation::kMultiply, {elu, number(static_cast<double>(gamma))});
}

OnnxImporter::Computed OnnxImporter::gelu(const Node& node) {
  const std::string approximate = text_attribute(node.proto, "approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    node.place.fail(fmt::format("its attribute approximate is {}; none and tanh are supported",
                                in_quotes(approximate)));
  }
  return activation(node, approximate == "tanh" ? MlpActivation::kGeluTanh : MlpActivation::kGelu,
                    expect_computed(node));
}

// BiasGelu and FastGelu (the tanh form) of onnxruntime, with or without a bias.
OnnxImporter::Computed OnnxImporter::bias_gelu(const Node& node) {
  Computed x = expect_computed(node);
  if (const Operand* bias = find(node, 1)) {
    x = elements(node, MlpOperation::kAdd, {x, *bias});
  }
  const bool is_fast = node.proto.op_type == "FastGelu";
  return activation(node, is_fast ? MlpActivation::kGeluTanh : MlpActivation::kGelu, x);
}

// Returns a bound of Clip: an input, or an attribute before operator set 11.
float OnnxImporter::bound(const Node& node, int index, const char* name, float otherwise) {
  float value = float_attribute(node.proto, name, otherwise, node.place);
  if (const auto given = optional_numbers(node, index, name)) {
    if (given->values.size() != 1)
      node.place.fail(fmt::format("its {} is not a single number", name));
    value = static_cast<float>(given->values.front());
  }
  const float most = std::numeric_limits<float>::max();
  return std::isinf(value) ? std::copysign(most, value) : value;
}

OnnxImporter::Computed OnnxImporter::clip(const Node& node) {
  const float most = std::numeric_limits<float>::max();
  const float low = bound(node, 1, "min", -most);
  const float high = bound(node, 2, "max", most);
  if (!(low <= high)) {
    node.place.fail(fmt::format("has a min, {}, that is greater than its max, {}", low, high));
  }
  const Computed result = activation(node, MlpActivation::kClip, expect_computed(node));
  auto& layer = std::get<ActivationLayer>(layers_.back());
  layer.low = low;
  layer.high = high;
  return result;
}

// x, or slope x where x < 0.
OnnxImporter::Computed OnnxImporter::prelu(const Node& node) {
  const Computed x = expect_computed(node);
  const Operand& slope = expect(node, 1, "slope");
  if (const auto* constant = std::get_if<Constant>(&slope)) {
    const std::vector<double> slopes = numbers(node, *constant).values;
    const bool is_one = !slopes.empty() && std::all_of(slopes.begin(), slopes.end(), [&](double s) {
      return s == slopes.front();
    });
    if (is_one) {
      const Computed result = activation(node, MlpActivation::kLeakyRelu, x);
      std::get<ActivationLayer>(layers_.back()).slope = static_cast<float>(slopes.front());
      return result;
    }
  }
  const Computed negative = elements(node, MlpOperation::kLess, {x, number(0.0)});
  const Computed scaled = elements(node, MlpOperation::kMultiply, {x, slope});
  return elements(node, MlpOperation::kWhere, {negative, scaled, x}, node.proto.name);
}

// x sigmoid(alpha x): SiLU with alpha = 1, QuickGelu with alpha = 1.702.
OnnxImporter::Computed OnnxImporter::swish(const Node& node) {
  const float usual = node.proto.op_type == "QuickGelu" ? 1.702f : 1.0f;
  const float alpha = float_attribute(node.proto, "alpha", usual, node.place);
  const Computed x = expect_computed(node);
  const Computed scaled = alpha == 1.0f ? x
                                        : elements(node, MlpOperation::kMultiply,
                                                   {x, number(static_cast<double>(alpha))});
  const Computed gate = activation(node, MlpActivation::kSigmoid, scaled);
  return elements(node, MlpOperation::kMultiply, {x, gate}, node.proto.name);
}

OnnxImporter::Computed OnnxImporter::mish(const Node& node) {
  const Computed x = expect_computed(node);
  const Computed inner = activation(node, MlpActivation::kSoftplus, x);
  const Computed gate = activation(node, MlpActivation::kTanh, inner);
  return elements(node, MlpOperation::kMultiply, {x, gate}, node.proto.name);
}

OnnxImporter::Computed OnnxImporter::softsign(const Node& node) {
  const Computed x = expect_computed(node);
  const Computed size = elements(node, MlpOperation::kAbs, {x});
  const Computed divisor = elements(node, MlpOperation::kAdd, {size, number(1.0)});
  return elements(node, MlpOperation::kDivide, {x, divisor}, node.proto.name);
}

// max(x, 0) + min(alpha (exp(x / alpha) - 1), 0): an Elu of x / alpha, scaled.
OnnxImporter::Computed OnnxImporter::celu(const Node& node) {
  const auto alpha = static_cast<double>(float_attribute(node.proto, "alpha", 1.0f, node.place));
  const Computed x = expect_computed(node);
  const Computed scaled =
      alpha == 1.0 ? x : elements(node, MlpOperation::kDivide, {x, number(alpha)});
  const Computed elu = activation(node, MlpActivation::kElu, scaled);
  std::get<ActivationLayer>(layers_.back()).slope = 1.0f;
  if (alpha == 1.0) return elu;
  return elements(node, MlpOperation::kMultiply, {elu, number(alpha)});
}

OnnxImporter::Computed OnnxImporter::thresholded_relu(const Node& node) {
  const float alpha = float_attribute(node.proto, "alpha", 1.0f, node.place);
  const Computed x = expect_computed(node);
  const Computed passes =
      elements(node, MlpOperation::kGreater, {x, number(static_cast<double>(alpha))});
  return elements(node, MlpOperation::kWhere, {passes, x, number(0.0)}, node.proto.name);
}

OnnxImporter::Computed OnnxImporter::mod(const Node& node) {
  if (integer_attribute(node.proto, "fmod", 0, node.place) == 0) {
    node.place.fail("is the remainder of integers; only fmod = 1 is supported");
  }
  return elements(node, MlpOperation::kRemainder,
                  {expect(node, 0, "operand"), expect(node, 1, "operand")}, node.proto.name);
}

// All values are floats, so a Cast to a floating-point type changes nothing.
OnnxImporter::Computed OnnxImporter::cast(const Node& node) {
  const Computed x = std::get<Computed>(expect(node, 0, "value"));
  const auto type = static_cast<int>(integer_attribute(node.proto, "to", 0, node.place));
  if (is_read_as_floats(type)) return x;
  if (type != onnx::kBool) {
    node.place.fail(
        fmt::format("casts to {}; only casts to FLOAT, FLOAT16, DOUBLE and BOOL are supported",
                    type_text(type)));
  }
  const Computed is_zero = elements(node, MlpOperation::kNot, {x});
  return elements(node, MlpOperation::kNot, {is_zero}, node.proto.name);
}

}  // namespace tilewright
