#include "onnx_chain.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

// All is computed in floats, so a Cast to such numbers changes nothing.
bool keeps_numbers(const onnx::NodeProto& cast) {
  const onnx::AttributeProto* const to = attribute(cast, "to");
  return to != nullptr && is_read_as_floats(static_cast<int>(to->i()));
}

}  // namespace

// In addition to the activations that listed_activation() reads.
const OnnxChain::Operation OnnxChain::kOperations[] = {
    {"Add", &OnnxChain::add},
    {"BatchNormalization", &OnnxChain::batch_normalization},
    {"Cast", &OnnxChain::cast},
    {"Clip", &OnnxChain::clip},
    {"Constant", &OnnxChain::constant},
    {"Div", &OnnxChain::div},
    {"Dropout", &OnnxChain::dropout},
    {"Flatten", &OnnxChain::flatten},
    {"Gelu", &OnnxChain::gelu},
    {"Gemm", &OnnxChain::gemm},
    {"Identity", &OnnxChain::identity},
    {"LogSoftmax", &OnnxChain::log_softmax},
    {"MatMul", &OnnxChain::matmul},
    {"Mul", &OnnxChain::mul},
    {"PRelu", &OnnxChain::prelu},
    {"Reshape", &OnnxChain::reshape},
    {"Selu", &OnnxChain::selu},
    {"Softmax", &OnnxChain::softmax},
    {"Squeeze", &OnnxChain::squeeze},
    {"Sub", &OnnxChain::sub},
    {"Transpose", &OnnxChain::transpose},
    {"Unsqueeze", &OnnxChain::unsqueeze},
};

const OnnxChain::Operation* OnnxChain::find_operation(std::string_view name) {
  static constexpr Operation kListed{"", &OnnxChain::listed_activation};
  for (const Operation& operation : kOperations) {
    if (operation.name == name) return &operation;
  }
  return find_listed_activation(name) != nullptr ? &kListed : nullptr;
}

std::string OnnxChain::list_operations() {
  std::set<std::string_view> names;
  for (const Operation& operation : kOperations) names.insert(operation.name);
  for (const ActivationDescription& listed : kActivations) names.insert(listed.onnx_operator);
  return fmt::format("{}", fmt::join(names, ", "));
}

MlpModel OnnxChain::read() {
  const std::string output = graph_.net_output();
  const std::vector<int> nodes = graph_.nodes_for(output);
  for (const int index : nodes) {
    for (const std::string& name : graph_.proto().node(index).input()) ++uses_[name];
  }
  ++uses_[output];
  for (std::size_t i = 0; i < nodes.size();) {
    const std::size_t taken = take_written_out(std::span(nodes).subspan(i));
    if (taken == 0) take({graph_.proto().node(nodes[i]), graph_.node_place(nodes[i])});
    i += std::max<std::size_t>(taken, 1);
  }
  if (value_ != output) {
    file_.fail(fmt::format("the output {} of the graph is not what its last needed node gives",
                           in_quotes(output)));
  }
  settle_columns(file_, "the end");
  return std::move(model_);
}

void OnnxChain::take(const Node& node) {
  const std::string& op = node.proto.op_type();
  const std::string& domain = node.proto.domain();
  const Operation* const found = find_operation(op);
  if (found == nullptr || (!domain.empty() && domain != "ai.onnx")) {
    node.place.fail(fmt::format("operation {} cannot be run; nets are made of {}",
                                in_quotes(domain.empty() ? op : domain + "." + op),
                                list_operations()));
  }
  if (node.proto.output_size() == 0) node.place.fail("gives no value");
  if (fold(node)) return;
  (this->*found->take)(node);
  // A Constant is no link of the chain.
  if (op != "Constant") value_ = node.proto.output(0);
}

bool OnnxChain::fold(const Node& node) {
  const std::string& op = node.proto.op_type();
  const bool is_cast = op == "Cast" && keeps_numbers(node.proto);
  if (op != "Identity" && op != "Transpose" && !is_cast) return false;
  std::optional<Constant> folded = operand(node, 0);
  if (!folded) return false;
  if (op == "Transpose") {
    const onnx::AttributeProto* const order = attribute(node.proto, "perm");
    const bool swaps = order == nullptr || (order->ints_size() == 2 && order->ints(0) == 1);
    if (folded->tensor->dims_size() != 2 || !swaps) {
      node.place.fail(fmt::format("transposes {} of {} elements; only matrices are transposed",
                                  tensor_text(*folded->tensor), extents_text(*folded->tensor)));
    }
    folded->is_transposed = !folded->is_transposed;
  }
  constants_[node.proto.output(0)] = *folded;
  return true;
}

std::optional<OnnxChain::Constant> OnnxChain::find_constant(const std::string& value) const {
  if (const onnx::TensorProto* const tensor = graph_.initializer(value)) return Constant{tensor};
  const auto found = constants_.find(value);
  if (found == constants_.end()) return std::nullopt;
  return found->second;
}

std::optional<OnnxChain::Constant> OnnxChain::operand(const Node& node, int index) const {
  if (index >= node.proto.input_size() || node.proto.input(index).empty()) return std::nullopt;
  return find_constant(node.proto.input(index));
}

OnnxChain::Constant OnnxChain::expect_constant(const Node& node, int index,
                                               const char* what) const {
  const std::optional<Constant> found = operand(node, index);
  if (!found) node.place.fail(fmt::format("has no constant {} (its input {})", what, index + 1));
  return *found;
}

int OnnxChain::chain_operand(const Node& node) {
  int index = -1;
  for (int i = 0; i < node.proto.input_size(); ++i) {
    const std::string& name = node.proto.input(i);
    if (name.empty() || find_constant(name)) continue;
    const onnx::ValueInfoProto* const input = graph_.input(name);
    if (input == nullptr && graph_.producer(name) < 0) {
      node.place.fail(fmt::format("takes {}, which nothing gives", in_quotes(name)));
    }
    if (value_.empty() && input != nullptr) begin_chain(name, *input);
    if (name != value_ || index >= 0) {
      node.place.fail(
          fmt::format("takes {} beside or instead of what the node before it gives; "
                      "only a chain of nodes, and Gelu, HardSwish and Softplus written as "
                      "several, can be run",
                      in_quotes(name)));
    }
    index = i;
  }
  if (index < 0) node.place.fail("takes no value that depends on the input of the graph");
  return index;
}

void OnnxChain::cast(const Node& node) {
  expect_chain_first(node);
  if (!keeps_numbers(node.proto)) {
    node.place.fail("casts to another type than FLOAT (1), FLOAT16 (10) and DOUBLE (11)");
  }
}

void OnnxChain::expect_chain_first(const Node& node) {
  const int index = chain_operand(node);
  if (index != 0) {
    node.place.fail(fmt::format("takes what is computed as its input {}, not 1", index + 1));
  }
}

void OnnxChain::begin_chain(const std::string& value, const onnx::ValueInfoProto& input) {
  value_ = value;
  if (!input.type().tensor_type().has_shape()) return;
  const onnx::TensorShapeProto& shape = input.type().tensor_type().shape();
  extents_.emplace();
  for (int i = 0; i < shape.dim_size(); ++i) {
    const std::int64_t extent = std::max(shape.dim(i).dim_value(), kUnknown);
    if (i == 0) file_batch_ = extent;
    extents_->push_back(i == 0 ? kBatch : extent);
  }
}

const onnx::AttributeProto* attribute(const onnx::NodeProto& node, std::string_view name) {
  for (const onnx::AttributeProto& candidate : node.attribute()) {
    if (candidate.name() == name) return &candidate;
  }
  return nullptr;
}

std::int64_t integer_attribute(const onnx::NodeProto& node, std::string_view name,
                               std::int64_t otherwise, const ModelPlace& place) {
  const onnx::AttributeProto* const found = attribute(node, name);
  if (found == nullptr) return otherwise;
  if (!found->has_i()) place.fail(fmt::format("its attribute {} is no integer", name));
  return found->i();
}

float float_attribute(const onnx::NodeProto& node, std::string_view name, float otherwise,
                      const ModelPlace& place) {
  const onnx::AttributeProto* const found = attribute(node, name);
  if (found == nullptr) return otherwise;
  if (!found->has_f()) place.fail(fmt::format("its attribute {} is no float", name));
  return found->f();
}

}  // namespace tilewright
