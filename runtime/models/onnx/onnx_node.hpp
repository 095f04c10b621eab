// A node of an ONNX graph while it is evaluated: its attributes, its inputs, and the operations
// that operators consist of.
//
// Each operation has one meaning for constants and computed values. If all of its operands are
// constant, its result is a constant; otherwise it appends layers to the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model_place.hpp"
#include "onnx/constant_tensor.hpp"
#include "onnx/onnx_graph.hpp"
#include "onnx/onnx_structures.hpp"
#include "onnx/onnx_tensors.hpp"
#include "onnx/onnx_value.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// The maximal number of columns that are rearranged or repeated: an index is stored for each of
// them while a file is read. A small file can demand many.
inline constexpr std::int64_t kMaxColumns = std::int64_t{1} << 20;

// What the nodes of a graph share.
struct OnnxEvaluation {
  ConstantBudget budget;
  std::int64_t file_batch = kUnknown;  // the batch size, if the file fixes it
  OnnxTensors tensors = {};
  std::vector<NetworkLayer> layers = {};
};

class OnnxNode {
 public:
  // All references must outlive the node. An input that is omitted is null.
  OnnxNode(OnnxEvaluation& shared, const onnx::Node& node, ModelPlace at,
           std::vector<const OnnxValue*> inputs)
      : evaluation(shared),
        proto(node),
        place(std::move(at)),
        inputs_(std::move(inputs)),
        results_(node.output.size()) {}

  OnnxEvaluation& evaluation;
  const onnx::Node& proto;
  const ModelPlace place;

  [[noreturn]] void fail(const std::string& reason) const { place.fail(reason); }
  std::string_view op() const { return proto.op_type; }

  // Attributes, or `otherwise`. Fail if an attribute has another type.
  const onnx::Attribute* attribute(std::string_view name) const {
    return find_attribute(proto.attribute, name);
  }
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  bool is_set(std::string_view name) const { return integer(name, 0) != 0; }
  float real(std::string_view name, float otherwise) const;
  std::string text(std::string_view name, const std::string& otherwise) const;
  // The floats of an attribute as a row; `otherwise` if there are none.
  OnnxValue row(std::string_view name, double otherwise) const;

  // Inputs, counted from 0.
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  const OnnxValue* input(int index) const {
    return index < num_inputs() ? inputs_[static_cast<std::size_t>(index)] : nullptr;
  }
  // Fails if the input is omitted.
  const OnnxValue& expect(int index, const char* what = "operand") const;
  // Fail unless the input is a constant.
  const OnnxValue& expect_constant(int index, const char* what) const;
  ConstantTensor constant(int index, const char* what) const {
    return elements_of(expect_constant(index, what));
  }
  // The integers of a constant input, or of an attribute in operator sets in which this input was
  // an attribute; empty if both are absent.
  std::vector<std::int64_t> integers(int index, std::string_view name) const;
  std::size_t axis(std::int64_t given, const OnnxValue& of) const {
    return static_cast<std::size_t>(checked_axis(given, of.extents.size(), place));
  }

  // The results of operators with several outputs.
  void define(std::size_t output, OnnxValue value) {
    if (output < results_.size()) results_[output] = std::move(value);
  }
  std::vector<std::optional<OnnxValue>>& results() { return results_; }

  // Constants.
  static OnnxValue make_constant(ConstantTensor numbers);
  static OnnxValue number(double value) { return make_constant({onnx::kFloat, {}, {value}}); }
  ConstantTensor elements_of(const OnnxValue& constant) const;
  // Fails if the constant contains extents that are not known when the file is read.
  void check_known(const ConstantTensor& constant) const;

  // Element-wise operations, with broadcasting.
  OnnxValue elements(NetworkOperation operation, const std::vector<OnnxValue>& operands);
  // An activation with the parameters of `layer`.
  OnnxValue activation(ActivationLayer layer, const OnnxValue& x);
  OnnxValue activation(Activation which, const OnnxValue& x) {
    return activation(ActivationLayer{"", which}, x);
  }

  // A reduction along dimensions, which become 1.
  OnnxValue reduced(NetworkOperation operation, const OnnxValue& x,
                    const std::vector<std::int64_t>& axes);
  // The extents without these dimensions, or with 1 in their place.
  TensorExtents reduced_extents(const OnnxValue& x, const std::vector<std::int64_t>& axes,
                                bool keeps_dimensions) const;

  // Moves of elements: an operator rearranges movable(x), which are the elements of a constant or
  // the numbers of the columns of a computed value. `batch`: the dimension of the batch afterwards.
  ConstantTensor movable(const OnnxValue& x, double first = 0.0) const;
  OnnxValue moved(const OnnxValue& x, ConstantTensor result, std::optional<std::size_t> batch);
  // The value with other extents.
  OnnxValue reshaped(OnnxValue x, TensorExtents extents) const;

  // Appends a layer.
  NetworkValue push(NetworkLayer layer);
  // Fails if samples and columns are one dimension.
  void check_not_flat(const OnnxValue& value) const;
  // Fails if the value has integers.
  void check_floats(const OnnxValue& value) const;

 private:
  ConstantTensor folded(NetworkOperation operation, const std::vector<OnnxValue>& operands,
                        int type) const;
  ConstantTensor folded_reduction(NetworkOperation operation, const ConstantTensor& from,
                                  const TensorExtents& extents) const;
  void check_integers(NetworkOperation operation, const OnnxValue& operand) const;
  TensorExtents combined(const std::vector<OnnxValue>& operands) const;
  NetworkOperand broadcast_operand(const OnnxValue& operand, const TensorExtents& extents);
  // Returns the extents with 1 for the batch. Fails if an extent is unknown.
  TensorExtents sample_extents(const TensorExtents& extents) const;
  // Selects columns of the value, in this order. Adds no layer if the selection changes nothing.
  OnnxValue selected(const OnnxValue& from, const std::vector<double>& indices,
                     TensorExtents extents);

  std::vector<const OnnxValue*> inputs_;
  std::vector<std::optional<OnnxValue>> results_;
};

}  // namespace tilewright
