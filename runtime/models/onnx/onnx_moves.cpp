// Converts nodes that rearrange columns.
//
// The node is evaluated once, on a sample whose elements are the numbers of its columns. The result
// contains the column that each column of the layer's result is taken from.
#include <algorithm>
#include <numeric>

#include "onnx/onnx_importer.hpp"

namespace tilewright {
namespace {

bool is_in_order(const std::vector<double>& indices, std::int64_t columns) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] != static_cast<double>(i)) return false;
  }
  return std::cmp_equal(indices.size(), columns);
}

}  // namespace

OnnxImporter::Computed OnnxImporter::selected(const Computed& from,
                                              const std::vector<double>& indices, Extents extents) {
  if (is_in_order(indices, columns(from.extents).value_or(-1))) {
    return {from.value, std::move(extents), from.is_flat};
  }
  OperationLayer layer{"", MlpOperation::kSelect, {operand(from)}, {}};
  for (const double index : indices) layer.columns.push_back(static_cast<std::int64_t>(index));
  return {push(std::move(layer)), std::move(extents), false};
}

ConstantTensor OnnxImporter::column_numbers(const Node& node, const Extents& sample, double first) {
  const std::int64_t count = columns(sample).value_or(kMaxColumns + 1);
  if (count > kMaxColumns)
    node.place.fail(
        "has too many columns to rearrange; at most 2^20 are supported: do it outside of the "
        "network");
  budget_.check(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(count), node.place);
  ConstantTensor numbers{onnx::kInt64, sample, {}};
  numbers.values.resize(static_cast<std::size_t>(count));
  std::iota(numbers.values.begin(), numbers.values.end(), first);
  return numbers;
}

// Returns the dimension of the batch in the result, if it was dimension `axis`. Fails if the node
// rearranges samples.
std::size_t OnnxImporter::moved_batch_axis(const Node& node, const Computed& x, std::size_t axis,
                                           const ConstantTensor* second) {
  const std::string& op = node.proto.op_type;
  const auto refuse = [&] {
    node.place.fail(
        "moves or selects samples; only columns can be rearranged: do it outside of the network");
  };
  const auto own_axis = [&](std::int64_t given) {
    return static_cast<std::size_t>(checked_axis(given, x.extents.size(), node.place));
  };
  if (op == "Transpose") {
    const onnx::Attribute* const order = attribute(node.proto, "perm");
    if (order == nullptr) return x.extents.size() - 1 - axis;
    const auto found =
        std::find(order->ints.begin(), order->ints.end(), static_cast<std::int64_t>(axis));
    return static_cast<std::size_t>(found - order->ints.begin());
  }
  if (op == "Gather" || op == "Split") {
    const std::size_t along = own_axis(integer_attribute(node.proto, "axis", 0, node.place));
    if (along == axis) refuse();
    if (op == "Split" || second == nullptr || axis < along) return axis;
    return axis + second->extents.size() - 1;
  }
  if (op == "Expand" && second != nullptr) {
    const std::size_t rank = std::max(second->values.size(), x.extents.size());
    const std::size_t result = axis + rank - x.extents.size();
    const std::size_t missing = rank - second->values.size();  // leading extents that are not named
    if (result >= missing && second->values[result - missing] != 1.0) refuse();
    return result;
  }
  if (op == "Tile" && second != nullptr && axis < second->values.size() &&
      second->values[axis] != 1.0) {
    refuse();
  }
  if (op == "Slice") {
    std::vector<std::int64_t> along = axes(node, 3, "axes");
    const std::vector<std::int64_t> begins = axes(node, 1, "starts");
    const std::vector<std::int64_t> ends = axes(node, 2, "ends");
    const std::vector<std::int64_t> steps = axes(node, 4, "steps");
    if (along.empty()) {
      along.resize(begins.size());
      std::iota(along.begin(), along.end(), 0);
    }
    constexpr std::int64_t kAll = std::int64_t{1} << 30;
    for (std::size_t i = 0; i < along.size(); ++i) {
      if (own_axis(along[i]) != axis) continue;
      const bool takes_all = i < begins.size() && begins[i] == 0 && i < ends.size() &&
                             ends[i] >= kAll && (i >= steps.size() || steps[i] == 1);
      if (!takes_all) refuse();
    }
  }
  return axis;
}

void OnnxImporter::refuse_lookup(const ModelPlace& gather) {
  gather.fail(
      "looks up elements of a constant by computed indices, which is not supported; do it "
      "outside of the network, or multiply one-hot rows by the constant");
}

// Transpose, Slice, Gather, Split, Expand and Tile of a computed value.
std::vector<OnnxImporter::Operand> OnnxImporter::moved_parts(const Node& node) {
  const Operand* const table = find(node, 0);
  if (node.proto.op_type == "Gather" && table != nullptr &&
      std::holds_alternative<Constant>(*table)) {
    refuse_lookup(node.place);
  }
  const Computed x = expect_computed(node);
  // If the file has one sample, Gather may remove the batch dimension.
  const bool takes_sample = node.proto.op_type == "Gather" && file_batch_ == 1;
  std::vector<ConstantTensor> constants;
  constants.reserve(node.proto.input.size());
  std::vector<const ConstantTensor*> inputs;
  const ConstantTensor columns_of_x = column_numbers(node, sample_extents(node, x.extents));
  inputs.push_back(&columns_of_x);
  for (int i = 1; i < std::ssize(node.proto.input); ++i) {
    auto given = optional_numbers(node, i, "operand");
    if (given && node.proto.op_type == "Expand") {
      for (double& extent : given->values) {
        if (is_batch_extent(extent)) extent = 1.0;
      }
    }
    if (given) constants.push_back(std::move(*given));
    inputs.push_back(given ? &constants.back() : nullptr);
  }
  const auto axis = batch_axis(x.extents);
  const bool drops_batch = takes_sample && axis == std::size_t{0} &&
                           integer_attribute(node.proto, "axis", 0, node.place) == 0;
  std::int64_t batch = -1;  // none
  if (axis && !drops_batch) {
    const ConstantTensor* const second = inputs.size() > 1 ? inputs[1] : nullptr;
    batch = static_cast<std::int64_t>(moved_batch_axis(node, x, *axis, second));
  }
  const auto results = rearrange(node.proto, inputs, budget_, node.place);
  std::vector<Operand> parts;
  for (const ConstantTensor& result : *results) {
    if (result.values.empty()) {  // a constant: it does not depend on the input
      parts.emplace_back(make_constant(result));
      continue;
    }
    Extents extents = result.extents;
    if (batch >= 0) extents.at(static_cast<std::size_t>(batch)) = kBatch;
    parts.emplace_back(selected(x, result.values, std::move(extents)));
  }
  return parts;
}

OnnxImporter::Computed OnnxImporter::move(const Node& node) {
  const Operand part = moved_parts(node).front();
  if (std::holds_alternative<Constant>(part))
    node.place.fail("computes a value without elements; remove the node");
  return std::get<Computed>(part);
}

OnnxImporter::Computed OnnxImporter::concat(const Node& node) {
  std::vector<ConstantTensor> indices;
  OperationLayer layer{node.proto.name, MlpOperation::kConcat, {}, {}};
  std::optional<std::size_t> batch;
  double next = 0.0;
  Computed only;
  for (int i = 0; i < std::ssize(node.proto.input); ++i) {
    const Operand& given = expect(node, i, "value");
    check_not_flat(node, given);
    Extents own = extents(given);
    if (const auto* computed = std::get_if<Computed>(&given)) {
      const auto at = batch_axis(own);
      if (at && batch && *at != *batch)
        node.place.fail(
            "concatenates values with different batch dimensions; transpose them before");
      if (at) batch = at;
      only = *computed;
      layer.operands.push_back(operand(*computed));
    } else {
      const ConstantTensor constant = numbers(node, std::get<Constant>(given));
      check_known(node, constant);
      layer.operands.push_back({kPreviousValue, {constant.values.begin(), constant.values.end()}});
    }
    if (columns(own) == 0) node.place.fail("concatenates a constant without elements; remove it");
    indices.push_back(column_numbers(node, sample_extents(node, own), next));
    next += static_cast<double>(indices.back().values.size());
  }
  if (layer.operands.empty()) node.place.fail("joins nothing; give it an input");
  const std::int64_t axis = integer_attribute(node.proto, "axis", 1, node.place);
  const auto along = checked_axis(axis, indices.front().extents.size(), node.place);
  if (batch && std::cmp_equal(*batch, along) && layer.operands.size() > 1) {
    node.place.fail(fmt::format(
        "concatenates samples: its axis {} is the batch; run the samples as one batch instead",
        axis));
  }
  if (layer.operands.size() == 1) return only;
  std::vector<const ConstantTensor*> inputs;
  for (const ConstantTensor& each : indices) inputs.push_back(&each);
  const auto results = rearrange(node.proto, inputs, budget_, node.place);
  Extents joined = results->front().extents;
  if (batch) joined.at(batch.value_or(0)) = kBatch;
  const Computed all{push(std::move(layer)), {kBatch, static_cast<std::int64_t>(next)}, false};
  return selected(all, results->front().values, std::move(joined));
}

}  // namespace tilewright
