// Converts element-wise operations.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx/onnx_importer.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

bool is_linear(MlpOperation operation) {
  return operation == MlpOperation::kAdd || operation == MlpOperation::kSubtract ||
         operation == MlpOperation::kMultiply || operation == MlpOperation::kDivide;
}

// True if both are types of integers, or BOOL, and `type` has all numbers of `other`.
bool holds_integers(int type, int other) {
  return type != onnx::kBool && num_digits(other) > 0 && num_digits(type) >= num_digits(other) &&
         (is_signed(type) || !is_signed(other));
}

}  // namespace

OnnxImporter::Operand OnnxImporter::number(double value) {
  return make_constant({onnx::kFloat, {}, {value}});
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

std::string OnnxImporter::shape_text(const Extents& extents) {
  std::vector<std::string> texts;
  for (const std::int64_t extent : extents) {
    texts.push_back(extent == kBatch     ? "batch"
                    : extent == kUnknown ? "unknown"
                                         : fmt::format("{}", extent));
  }
  return texts.empty() ? "1" : fmt::format("{}", fmt::join(texts, " x "));
}

OnnxImporter::Extents OnnxImporter::sample_extents(const Node& node, const Extents& extents) const {
  Extents sample = extents;
  for (std::int64_t& extent : sample) {
    if (extent == kUnknown)
      node.place.fail(
          "reads a value with unknown extents; export the network with all extents fixed except "
          "the batch");
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
            node.place.fail(
                "combines values whose extents cannot be broadcast; correct their extents, or "
                "insert a Reshape");
          }
          node.place.fail(fmt::format(
              "combines {}, which is {}, with a value of {}; from the last one on, its extents "
              "must be 1 or those of the value",
              read_text(*constant), temporary_extents(*constant), shape_text(result)));
        }
      }
    }
  }
  if (std::count(result.begin(), result.end(), kBatch) > 1) {
    node.place.fail("combines different samples; only elements of the same sample can be combined");
  }
  return result;
}

// Returns the operand with as many columns as `extents` have, or with one column.
MlpOperand OnnxImporter::broadcast_operand(const Node& node, const Operand& operand,
                                           const Extents& extents) {
  if (const auto* constant = std::get_if<Constant>(&operand)) {
    const ConstantTensor own = numbers(node, *constant);
    if (own.values.empty()) node.place.fail("combines a constant without elements; remove it");
    check_known(node, own);
    if (own.values.size() == 1) return {kPreviousValue, {own.values.front()}};
    if (columns(extents).value_or(0) > kMaxColumns) {
      node.place.fail(
          fmt::format("combines {} with a value of {}, which has too many columns; at most 2^20 "
                      "are supported here",
                      read_text(*constant), shape_text(extents)));
    }
    ConstantTensor whole = broadcast_to(own, sample_extents(node, extents), budget_, node.place);
    return {kPreviousValue, std::move(whole.values)};
  }
  const auto& computed = std::get<Computed>(operand);
  const auto own = columns(computed.extents);
  if (own == columns(extents) || own == 1 || !own) return {computed.value, {}};
  const Extents sample = sample_extents(node, computed.extents);
  if (columns(extents).value_or(kMaxColumns + 1) > kMaxColumns) {
    node.place.fail("repeats columns too often; let the layers that follow read the columns once");
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
        node.place.fail(
            "scales or shifts by a number that is not finite; replace it by a finite one");
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
    result = make_constant(std::move(sum->front()));
  }
  if (op == "Mean" && node.proto.input.size() > 1) {
    const Operand weight = number(1.0 / static_cast<double>(node.proto.input.size()));
    return elements(node, MlpOperation::kMultiply, {result, weight}, node.proto.name);
  }
  return std::get<Computed>(result);
}

// Only NaN differs from itself.
OnnxImporter::Computed OnnxImporter::is_nan(const Node& node) {
  const Computed x = expect_computed(node);
  const Computed is_number = elements(node, MlpOperation::kEqual, {x, x});
  return elements(node, MlpOperation::kNot, {is_number}, node.proto.name);
}

// Replaces one value, in most files NaN, by a constant for each column.
OnnxImporter::Computed OnnxImporter::imputer(const Node& node) {
  const Computed x = expect_computed(node);
  const onnx::Attribute* const given = attribute(node.proto, "imputed_value_floats");
  if (given == nullptr || given->floats.empty()) {
    node.place.fail("has no imputed_value_floats; only floats are supported");
  }
  ConstantTensor imputed{onnx::kFloat, {std::ssize(given->floats)}, {}};
  imputed.values.assign(given->floats.begin(), given->floats.end());
  const Operand constant = make_constant(std::move(imputed));
  const auto replaced =
      static_cast<double>(float_attribute(node.proto, "replaced_value_float", 0.0f, node.place));
  const bool is_nan = std::isnan(replaced);
  const Operand like = is_nan ? Operand(x) : number(replaced);
  const Computed is_equal = elements(node, MlpOperation::kEqual, {x, like});
  const std::vector<Operand> chosen = is_nan ? std::vector<Operand>{is_equal, x, constant}
                                             : std::vector<Operand>{is_equal, constant, x};
  return elements(node, MlpOperation::kWhere, chosen, node.proto.name);
}

OnnxImporter::Computed OnnxImporter::mod(const Node& node) {
  if (integer_attribute(node.proto, "fmod", 0, node.place) == 0) {
    node.place.fail(
        "is the remainder of integers; only fmod = 1 is supported; set it, or use Floor");
  }
  return elements(node, MlpOperation::kRemainder,
                  {expect(node, 0, "operand"), expect(node, 1, "operand")}, node.proto.name);
}

// All values are computed as floats, so a Cast to a floating-point type changes nothing.
OnnxImporter::Computed OnnxImporter::cast(const Node& node) {
  const Computed x = std::get<Computed>(expect(node, 0, "value"));
  return cast_to(node, x, static_cast<int>(integer_attribute(node.proto, "to", 0, node.place)));
}

// The type is that of input 2.
OnnxImporter::Computed OnnxImporter::cast_like(const Node& node) {
  const Computed x = expect_computed(node);
  return cast_to(node, x, element_type_of(expect(node, 1, "value")));
}

OnnxImporter::Computed OnnxImporter::cast_to(const Node& node, const Computed& x, int type) {
  if (is_read_as_floats(type) || x.type == type || holds_integers(type, x.type)) return x;
  if (type != onnx::kBool) {
    node.place.fail(fmt::format(
        "casts {} to {}; only casts to FLOAT, FLOAT16, DOUBLE and BOOL, and of integers to larger "
        "integers, are supported: remove the cast, or round with Floor",
        type_text(x.type), type_text(type)));
  }
  const Computed is_zero = elements(node, MlpOperation::kNot, {x});
  return elements(node, MlpOperation::kNot, {is_zero}, node.proto.name);
}

}  // namespace tilewright
