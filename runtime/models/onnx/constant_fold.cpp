// Evaluates operations on constants when a file is read.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "onnx/constant_numbers.hpp"
#include "onnx/constant_tensor.hpp"
#include "onnx/onnx_attributes.hpp"
#include "onnx/onnx_tensors.hpp"
#include "profiles/activation.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

using Inputs = std::vector<const ConstantTensor*>;

class Folding {
 public:
  Folding(const onnx::Node& node, const Inputs& inputs, ConstantBudget& budget,
          const ModelPlace& place)
      : node_(node), inputs_(inputs), budget_(budget), place_(place) {}

  std::optional<ConstantTensor> result();

 private:
  const ConstantTensor& at(std::size_t index) const {
    if (const ConstantTensor* found = input(index)) return *found;
    place_.fail(fmt::format("has no input {}", index + 1));
  }
  const ConstantTensor* input(std::size_t index) const {
    return index < inputs_.size() ? inputs_[index] : nullptr;
  }
  std::vector<std::int64_t> integers(int index, std::string_view name) const {
    return read_integers(node_, index, input(static_cast<std::size_t>(index)), name, place_);
  }

  template <class Function>
  ConstantTensor elements(const Inputs& operands, int type, const Function& function) const;
  ConstantTensor with_extents(std::vector<std::int64_t> extents) const {
    budget_.take(at(0).values.size(), place_);
    return {at(0).type, std::move(extents), at(0).values};
  }
  ConstantTensor operation(const OperationDescription& described) const;
  ConstantTensor variadic(MlpOperation operation, bool is_mean) const;
  ConstantTensor checked(ConstantTensor result) const;
  void refuse_batch(const ConstantTensor& tensor) const {
    for (const double value : tensor.values) {
      if (is_placeholder(value))
        number_with_placeholder(MlpOperation::kNegate, value, 0.0, 0.0, place_);
    }
  }
  ConstantTensor cast(int type) const;
  ConstantTensor flatten() const;
  ConstantTensor constant_of_shape() const;
  ConstantTensor range() const;
  ConstantTensor product() const;
  ConstantTensor along_axis(const ConstantTensor& given) const;
  ConstantTensor quantisation() const;
  ConstantTensor clipped() const;
  std::optional<ConstantTensor> activation() const;

  const onnx::Node& node_;
  const Inputs& inputs_;
  ConstantBudget& budget_;
  const ModelPlace& place_;
};

template <class Function>
ConstantTensor Folding::elements(const Inputs& operands, int type, const Function& function) const {
  std::vector<std::int64_t> extents;
  for (const ConstantTensor* operand : operands) {
    const auto both = broadcast(extents, operand->extents);
    if (!both) {
      place_.fail(fmt::format("combines constants of {} and {} elements, which cannot be broadcast",
                              fmt::join(extents, " x "), fmt::join(operand->extents, " x ")));
    }
    extents = *both;
  }
  std::vector<ConstantTensor> whole;
  for (const ConstantTensor* operand : operands) {
    whole.push_back(broadcast_to(*operand, extents, budget_, place_));
  }
  const std::uint64_t count = num_elements(extents, place_);
  budget_.take(count, place_);
  ConstantTensor result{type, extents, std::vector<double>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    double of[3] = {};
    for (std::size_t j = 0; j < whole.size(); ++j) of[j] = whole[j].values[i];
    result.values[i] = function(of[0], of[1], of[2]);
  }
  return result;
}

ConstantTensor Folding::operation(const OperationDescription& described) const {
  Inputs operands;
  for (int i = 0; i < described.operands; ++i) {
    operands.push_back(&at(static_cast<std::size_t>(i)));
  }
  const int taken = at(described.operation == MlpOperation::kWhere ? 1 : 0).type;
  const int type = is_logical(described.operation) ? int{onnx::kBool} : taken;
  const bool divides = described.operation == MlpOperation::kDivide && is_integer_type(type);
  return elements(operands, type, [&](double a, double b, double c) {
    if (is_placeholder(a) || is_placeholder(b) || is_placeholder(c)) {
      return number_with_placeholder(described.operation, a, b, c, place_);
    }
    if (divides && b == 0.0) place_.fail("divides integers by 0");
    const double result = described.function(a, b, c);
    return selects_operand(described.operation, a, b, c, result)
               ? result
               : checked_number(result, type, place_);
  });
}

// Sum, Mean, Min and Max with any number of operands.
ConstantTensor Folding::variadic(MlpOperation operation, bool is_mean) const {
  ConstantTensor result = at(0);
  for (std::size_t i = 1; i < inputs_.size(); ++i) {
    result = elements({&result, &at(i)}, result.type, [&](double a, double b, double) {
      if (is_placeholder(a) || is_placeholder(b))
        return number_with_placeholder(operation, a, b, 0.0, place_);
      const double of_both = describe_operation(operation).function(a, b, 0.0);
      return selects_operand(operation, a, b, 0.0, of_both)
                 ? of_both
                 : checked_number(of_both, result.type, place_);
    });
  }
  if (is_mean && inputs_.size() > 1) {
    refuse_batch(result);
    for (double& value : result.values) value /= static_cast<double>(inputs_.size());
  }
  return result;
}

ConstantTensor Folding::checked(ConstantTensor result) const {
  for (double& value : result.values) value = checked_number(value, result.type, place_);
  return result;
}

ConstantTensor Folding::cast(int type) const {
  ConstantTensor result = with_extents(at(0).extents);
  result.type = type;
  for (double& value : result.values) value = cast_number(value, type, place_);
  return result;
}

ConstantTensor Folding::flatten() const {
  const std::vector<std::int64_t>& extents = at(0).extents;
  const auto rank = static_cast<std::int64_t>(extents.size());
  std::int64_t axis = integer_attribute(node_, "axis", 1, place_);
  if (axis < -rank || axis > rank)
    place_.fail(fmt::format("has axis {}, but only {} dimensions", axis, rank));
  if (axis < 0) axis += rank;
  const auto middle = extents.begin() + axis;
  return with_extents(
      {std::accumulate(extents.begin(), middle, std::int64_t{1}, std::multiplies<>()),
       std::accumulate(middle, extents.end(), std::int64_t{1}, std::multiplies<>())});
}

ConstantTensor Folding::constant_of_shape() const {
  const std::vector<std::int64_t> extents = integers(0, "shape");
  const std::uint64_t count = num_elements(extents, place_);
  budget_.take(count, place_);
  ConstantTensor result{onnx::kFloat, extents, std::vector<double>(count, 0.0)};
  const onnx::Attribute* const value = attribute(node_, "value");
  if (value == nullptr || value->t == nullptr) return result;
  const ConstantTensor given = OnnxTensors().numbers(*value->t, place_);
  if (given.values.size() != 1) place_.fail("has a value that is not a single number");
  result.type = given.type;
  std::fill(result.values.begin(), result.values.end(), given.values.front());
  return result;
}

ConstantTensor Folding::range() const {
  for (std::size_t i = 0; i < 3; ++i) {
    if (at(i).values.size() != 1) place_.fail("has a bound that is not a single number");
    refuse_batch(at(i));
  }
  const double start = at(0).values[0];
  const double step = at(2).values[0];
  const double count = std::ceil((at(1).values[0] - start) / step);
  if (!(count >= 0.0 && count < 1e12)) place_.fail(fmt::format("would compute {} numbers", count));
  budget_.take(static_cast<std::uint64_t>(count), place_);
  ConstantTensor result{at(0).type, {static_cast<std::int64_t>(count)}, {}};
  for (double i = 0.0; i < count; i += 1.0) result.values.push_back(start + i * step);
  return result;
}

// The product of a MatMul; for a Gemm, alpha op(A) op(B) + beta C.
ConstantTensor Folding::product() const {
  const auto operand = [&](std::size_t index, std::string_view transposes) {
    ConstantTensor matrix = at(index);
    refuse_batch(matrix);
    if (integer_attribute(node_, transposes, 0, place_) == 0) return matrix;
    onnx::Node transpose;
    transpose.op_type = "Transpose";
    return std::move(rearrange(transpose, {&matrix}, budget_, place_)->front());
  };
  const ConstantTensor a = operand(0, "transA");
  const ConstantTensor b = operand(1, "transB");
  if (a.extents.size() != 2 || b.extents.size() != 2 || a.extents[1] != b.extents[0]) {
    place_.fail(fmt::format(
        "multiplies constants of {} and {}, which are not matrices with the same inner dimension",
        fmt::join(a.extents, " x "), fmt::join(b.extents, " x ")));
  }
  const auto m = static_cast<std::size_t>(a.extents[0]);
  const auto k = static_cast<std::size_t>(a.extents[1]);
  const auto n = static_cast<std::size_t>(b.extents[1]);
  budget_.take(num_elements({a.extents[0], b.extents[1]}, place_), place_);
  ConstantTensor result{a.type, {a.extents[0], b.extents[1]}, std::vector<double>(m * n, 0.0)};
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t l = 0; l < k; ++l) {
      for (std::size_t j = 0; j < n; ++j) {
        result.values[i * n + j] += a.values[i * k + l] * b.values[l * n + j];
      }
    }
  }
  const auto alpha = static_cast<double>(float_attribute(node_, "alpha", 1.0f, place_));
  const auto beta = static_cast<double>(float_attribute(node_, "beta", 1.0f, place_));
  for (double& value : result.values) value *= alpha;
  if (input(2) == nullptr) return result;
  refuse_batch(at(2));
  return elements({&result, &at(2)}, a.type,
                  [&](double product, double c, double) { return product + beta * c; });
}

// Scale and zero point of a quantisation have one number for all elements, or one per index of an
// axis.
ConstantTensor Folding::along_axis(const ConstantTensor& given) const {
  ConstantTensor result = given;
  if (given.values.size() == 1) {
    result.extents.clear();
    return result;
  }
  const std::size_t rank = at(0).extents.size();
  const auto axis = static_cast<std::size_t>(
      checked_axis(integer_attribute(node_, "axis", 1, place_), rank, place_));
  result.extents.assign(rank - axis, 1);
  result.extents.front() = static_cast<std::int64_t>(given.values.size());
  return result;
}

// DequantizeLinear: (x - zero point) scale. QuantizeLinear: x / scale + zero point, rounded.
ConstantTensor Folding::quantisation() const {
  if (integer_attribute(node_, "block_size", 0, place_) != 0) {
    place_.fail("has scales of blocks (block_size), which are not supported");
  }
  if (at(1).extents.size() > 1) place_.fail("has a scale of more than one dimension");
  const ConstantTensor scale = along_axis(at(1));
  const ConstantTensor* const given = input(2);
  const ConstantTensor zero =
      given == nullptr ? ConstantTensor{at(0).type, {}, {0.0}} : along_axis(*given);
  if (node_.op_type == "DequantizeLinear") {
    return elements({&at(0), &scale, &zero}, scale.type,
                    [](double x, double by, double from) { return (x - from) * by; });
  }
  const auto otherwise = integer_attribute(node_, "output_dtype", onnx::kUint8, place_);
  const int type = given == nullptr ? static_cast<int>(otherwise) : given->type;
  if (!is_integer_type(type)) {
    place_.fail(fmt::format("quantises to {}; only integers are supported", type_text(type)));
  }
  const double high = std::ldexp(1.0, num_digits(type)) - 1.0;
  const double low = is_signed(type) ? -high - 1.0 : 0.0;
  return elements({&at(0), &scale, &zero}, type, [&](double x, double by, double from) {
    const double result = std::nearbyint(x / by) + from;
    if (std::isnan(result)) place_.fail("quantises a number that is not finite");
    return std::clamp(result, low, high);
  });
}

ConstantTensor Folding::clipped() const {
  const auto bound = [&](std::size_t index, const char* name, float otherwise) {
    const ConstantTensor* const given = input(index);
    return given != nullptr && given->values.size() == 1
               ? given->values.front()
               : static_cast<double>(float_attribute(node_, name, otherwise, place_));
  };
  const double low = bound(1, "min", -HUGE_VALF);
  const double high = bound(2, "max", HUGE_VALF);
  return elements({&at(0)}, at(0).type, [&](double x, double, double) {
    if (!is_placeholder(x)) return std::min(std::max(x, low), high);
    x = number_with_placeholder(MlpOperation::kMaximum, x, low, 0.0, place_);
    return high == HUGE_VALF
               ? x
               : number_with_placeholder(MlpOperation::kMinimum, x, high, 0.0, place_);
  });
}

// An element-wise activation of the list that has no parameters.
std::optional<ConstantTensor> Folding::activation() const {
  for (const ActivationDescription& described : kActivations) {
    if (described.onnx_operator != node_.op_type || described.function == nullptr) continue;
    if (!described.parameters.empty()) return std::nullopt;
    refuse_batch(at(0));
    return elements({&at(0)}, at(0).type,
                    [&](double x, double, double) { return described.function(x, 0.0, 0.0); });
  }
  return std::nullopt;
}

std::optional<ConstantTensor> Folding::result() {
  const std::string& op = node_.op_type;
  if (op == "Identity" || op == "Dropout") return with_extents(at(0).extents);
  if (op == "Cast") {
    return cast(static_cast<int>(integer_attribute(node_, "to", onnx::kFloat, place_)));
  }
  if (op == "CastLike") return cast(at(1).type);
  if (op == "Flatten") return flatten();
  if (op == "Reshape") return with_extents(reshape_extents(node_, at(1), at(0).extents, place_));
  if (op == "Squeeze") {
    return with_extents(squeeze_extents(at(0).extents, integers(1, "axes"), place_));
  }
  if (op == "Unsqueeze") {
    return with_extents(unsqueeze_extents(at(0).extents, integers(1, "axes"), place_));
  }
  if (op == "Shape") {
    return extents_tensor(node_, {at(0).extents.begin(), at(0).extents.end()}, place_);
  }
  if (op == "Size") {
    return ConstantTensor{onnx::kInt64, {}, {static_cast<double>(at(0).values.size())}};
  }
  if (op == "ConstantOfShape") return constant_of_shape();
  if (op == "Range") return checked(range());
  if (op == "MatMul" || op == "Gemm") return checked(product());
  if (op == "DequantizeLinear" || op == "QuantizeLinear") return quantisation();
  if (op == "Clip") return clipped();
  if (op == "Max" || op == "Min" || op == "Sum" || op == "Mean") {
    const MlpOperation operation = op == "Max"   ? MlpOperation::kMaximum
                                   : op == "Min" ? MlpOperation::kMinimum
                                                 : MlpOperation::kAdd;
    return variadic(operation, op == "Mean");
  }
  if (const OperationDescription* const described = find_operation(op)) {
    if (described->kind == OperationDescription::Kind::kElements) return operation(*described);
    if (at(0).values.size() > 1) refuse_batch(at(0));
    return checked(reduce_constant(node_, *described, at(0), integers(1, "axes"), budget_, place_));
  }
  return activation();
}

// Replaces the placeholder for the batch size by 1. This is sufficient, because a constant is the
// same in all rows.
ConstantTensor without_batch(ConstantTensor shape) {
  for (double& extent : shape.values) {
    if (is_batch_extent(extent)) extent = 1.0;
  }
  return shape;
}

}  // namespace

std::optional<std::vector<ConstantTensor>> fold_constants(const onnx::Node& node,
                                                          const Inputs& inputs,
                                                          ConstantBudget& budget,
                                                          const ModelPlace& place) {
  if (!node.domain.empty() && node.domain != "ai.onnx") return std::nullopt;
  const std::string& op = node.op_type;
  Inputs given = inputs;
  ConstantTensor shape;
  const std::size_t of_shape = op == "ConstantOfShape" ? 0 : 1;
  const bool has_shape = op == "ConstantOfShape" || op == "Expand" || op == "Tile";
  if (has_shape && of_shape < given.size() && given[of_shape] != nullptr) {
    shape = without_batch(*given[of_shape]);
    given[of_shape] = &shape;
  }
  if (auto results = rearrange(node, given, budget, place)) return results;
  auto result = Folding(node, given, budget, place).result();
  if (!result) return std::nullopt;
  std::vector<ConstantTensor> results;
  results.push_back(std::move(*result));
  return results;
}

}  // namespace tilewright
