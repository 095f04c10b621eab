#include "onnx/onnx_node.hpp"

#include <algorithm>
#include <numeric>

#include "matrix/matrix_text.hpp"

namespace tilewright {

namespace {

// Writers of protocol buffers 3 omit numbers that are 0. `given` must have no value.
bool is_omitted_zero(const onnx::Attribute& given, onnx::Attribute::Type type) {
  return given.type == type && given.ref_attr_name.empty();
}

}  // namespace

std::int64_t OnnxNode::integer(std::string_view name, std::int64_t otherwise) const {
  const onnx::Attribute* const found = attribute(name);
  if (found == nullptr) return otherwise;
  if (!found->i && is_omitted_zero(*found, onnx::Attribute::kIntValue)) return 0;
  if (!found->i) fail(fmt::format("its attribute {} is not an integer", name));
  return *found->i;
}

float OnnxNode::real(std::string_view name, float otherwise) const {
  const onnx::Attribute* const found = attribute(name);
  if (found == nullptr) return otherwise;
  if (!found->f && is_omitted_zero(*found, onnx::Attribute::kFloatValue)) return 0.0f;
  if (!found->f) fail(fmt::format("its attribute {} is not a float", name));
  return *found->f;
}

std::string OnnxNode::text(std::string_view name, const std::string& otherwise) const {
  const onnx::Attribute* const found = attribute(name);
  return found == nullptr ? otherwise : found->s;
}

const OnnxValue& OnnxNode::expect(int index, const char* what) const {
  if (const OnnxValue* found = input(index)) return *found;
  fail(fmt::format("has no {} (its input {})", what, index + 1));
}

void OnnxNode::check_not_flat(const OnnxValue& value) const {
  if (!value.is_flat) return;
  fail(
      "reads a value whose samples were merged by an earlier Reshape; let this one keep a row "
      "per sample: the shape [-1, columns]");
}

const OnnxValue& OnnxNode::expect_constant(int index, const char* what) const {
  const OnnxValue* const found = input(index);
  if (found != nullptr && found->is_constant()) return *found;
  fail(
      fmt::format("has '{}' (its input {}) that is not a constant; only constants are supported "
                  "here",
                  what, index + 1));
}

std::vector<std::int64_t> OnnxNode::integers(int index, std::string_view name) const {
  std::vector<std::int64_t> integers;
  if (input(index) != nullptr) {
    for (const double value : constant(index, std::string(name).c_str()).values) {
      integers.push_back(to_integer(value, place));
    }
  } else if (const onnx::Attribute* const found = attribute(name)) {
    integers = found->ints;
    if (found->i && integers.empty()) integers.push_back(*found->i);
  }
  return integers;
}

OnnxValue OnnxNode::row(std::string_view name, double otherwise) const {
  const onnx::Attribute* const given = attribute(name);
  if (given == nullptr || given->floats.empty()) return number(otherwise);
  return make_constant(
      {onnx::kFloat, {std::ssize(given->floats)}, {given->floats.begin(), given->floats.end()}});
}

OnnxValue OnnxNode::make_constant(ConstantTensor numbers) {
  OnnxValue value{numbers.type, std::move(numbers.extents)};
  value.elements = std::make_shared<const std::vector<double>>(std::move(numbers.values));
  return value;
}

ConstantTensor OnnxNode::elements_of(const OnnxValue& constant) const {
  ConstantBudget& budget = evaluation.budget;
  if (constant.tensor == nullptr) {
    budget.take(constant.elements->size(), place);
    return {constant.type, constant.extents, *constant.elements};
  }
  ConstantTensor read = evaluation.tensors.numbers(*constant.tensor, place);
  budget.add_file(evaluation.tensors.take_external_bytes());
  budget.take(read.values.size(), place);
  if (constant.is_transposed) {
    const auto& extents = constant.extents;
    read.values =
        transposed(HostMatrix<double>{extents[1], extents[0], std::move(read.values)}).values;
  }
  return {constant.type, constant.extents, std::move(read.values)};
}

void OnnxNode::check_known(const ConstantTensor& constant) const {
  if (std::ranges::none_of(constant.values, is_placeholder)) return;
  fail(
      "computes with the number of samples, or with another extent that the file leaves open; "
      "use a constant instead");
}

NetworkValue OnnxNode::push(NetworkLayer layer) {
  // A layer that a device runs takes some kilobytes, a node of a file a few bytes.
  constexpr std::size_t kMaxLayers = std::size_t{1} << 16;
  std::vector<NetworkLayer>& layers = evaluation.layers;
  if (layers.size() == kMaxLayers) {
    fail(fmt::format("needs more layers than the {} that a network may have; divide the network",
                     kMaxLayers));
  }
  layers.push_back(std::move(layer));
  return static_cast<NetworkValue>(layers.size() - 1);
}

TensorExtents OnnxNode::sample_extents(const TensorExtents& extents) const {
  TensorExtents sample = extents;
  for (std::int64_t& extent : sample) {
    if (extent == kUnknown)
      fail(
          "reads a value with unknown extents; export the network with all extents fixed except "
          "the batch");
    if (extent == kBatch) extent = 1;
  }
  return sample;
}

ConstantTensor OnnxNode::movable(const OnnxValue& x, double first) const {
  if (x.is_constant()) return elements_of(x);
  check_not_flat(x);
  const TensorExtents sample = sample_extents(x.extents);
  const std::int64_t count = columns(sample).value_or(kMaxColumns + 1);
  if (count > kMaxColumns)
    fail(
        "has too many columns to rearrange; at most 2^20 are supported: do it outside of the "
        "network");
  evaluation.budget.check(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(count),
                          place);
  ConstantTensor numbers{x.type, sample, std::vector<double>(static_cast<std::size_t>(count))};
  std::iota(numbers.values.begin(), numbers.values.end(), first);
  return numbers;
}

OnnxValue OnnxNode::moved(const OnnxValue& x, ConstantTensor result,
                          std::optional<std::size_t> batch) {
  // Without elements, it does not depend on the input.
  if (x.is_constant() || result.values.empty()) {
    result.type = x.type;
    return make_constant(std::move(result));
  }
  if (batch) result.extents.at(*batch) = kBatch;
  return selected(x, result.values, std::move(result.extents));
}

OnnxValue OnnxNode::selected(const OnnxValue& from, const std::vector<double>& indices,
                             TensorExtents extents) {
  OnnxValue result = from;
  result.extents = std::move(extents);
  bool is_in_order = std::cmp_equal(indices.size(), columns(from.extents).value_or(-1));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    is_in_order = is_in_order && indices[i] == static_cast<double>(i);
  }
  if (is_in_order) return result;
  OperationLayer layer{"", NetworkOperation::kSelect, {{*from.computed, {}}}, {}};
  for (const double index : indices) layer.columns.push_back(static_cast<std::int64_t>(index));
  result.computed = push(std::move(layer));
  return result;
}

OnnxValue OnnxNode::reshaped(OnnxValue x, TensorExtents extents) const {
  if (x.is_transposed && x.extents != extents) x = make_constant(elements_of(x));
  x.extents = std::move(extents);
  return x;
}

}  // namespace tilewright
