// Converts the nodes of an ONNX graph into the layers of a model.
//
// A value of the graph is either constant or computed. For a constant the importer knows the
// numbers. A computed value is a value of the model: a matrix with one sample per row. For it the
// importer knows the extents in the graph, and which dimension is the batch; the other dimensions,
// in row-major order, are the columns. Nodes that only change shapes or types add no layer.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "model_place.hpp"
#include "onnx/constant_tensor.hpp"
#include "onnx/onnx_attributes.hpp"
#include "onnx/onnx_graph.hpp"
#include "onnx/onnx_structures.hpp"
#include "onnx/onnx_tensors.hpp"
#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/network/model/mlp_model.hpp"

namespace tilewright {

// The maximal number of columns that are rearranged or repeated: an index is stored for each of
// them while a file is read. A small file can demand many.
inline constexpr std::int64_t kMaxColumns = std::int64_t{1} << 20;

// The maximal number of layers. A layer that a device runs takes some kilobytes, a node of a file a
// few bytes.
inline constexpr std::size_t kMaxLayers = std::size_t{1} << 16;

class OnnxImporter {
 public:
  // Which dimension of the inputs is the batch. kNone: each input is one sample.
  enum class BatchAxis { kFirst, kNone };

  // All references must outlive the importer. `operator_set`: version of the default ONNX domain.
  // `outputs`: names of the outputs that are used; empty: any. They are converted first.
  OnnxImporter(const OnnxGraph& graph, const ModelPlace& file, int operator_set,
               std::uint64_t file_bytes, BatchAxis batch_axis,
               const std::vector<std::string>& outputs)
      : graph_(graph),
        file_(file),
        operator_set_(operator_set),
        batch_axis_(batch_axis),
        used_outputs_(outputs),
        budget_(file_bytes) {}

  // Returns the model with all outputs of the graph that can be computed. If there is no such
  // output, throws ModelError for the first unsupported node. Each node is converted once; what is
  // wrong with a node concerns only the outputs that need it.
  MlpModel read();
  // Appends the paths of the other files that read() has read.
  void append_files(std::vector<std::string>& files) const { tensors_.append_files(files); }
  // The names of all operators that are converted, sorted.
  static std::vector<std::string> operators();
  // The number of nodes that read() has converted before the first one that it cannot convert.
  std::size_t num_converted_nodes() const { return num_converted_; }

 private:
  using Extents = std::vector<std::int64_t>;
  static constexpr std::int64_t kBatch = -1;
  static constexpr std::int64_t kUnknown = 0;

  struct Node {
    const onnx::Node& proto;
    ModelPlace place;
  };
  // Either `tensor` or `numbers` is set. A tensor of the file is read when its numbers are needed.
  struct Constant {
    const onnx::Tensor* tensor = nullptr;
    bool is_transposed = false;  // the value is the transpose of `tensor`, a matrix
    std::shared_ptr<const ConstantTensor> numbers = nullptr;
  };
  static Constant make_constant(ConstantTensor numbers) {
    return {nullptr, false, std::make_shared<ConstantTensor>(std::move(numbers))};
  }
  struct Computed {
    MlpValue value = 0;       // kFirstInput - i: input i; otherwise the number of a layer
    Extents extents;          // kBatch occurs at most once
    bool is_flat = false;     // samples and columns form one dimension
    int type = onnx::kFloat;  // in the graph, an onnx::DataType; computed in float all the same
  };
  using Operand = std::variant<Constant, Computed>;
  static constexpr MlpValue kFirstInput = -2;

  // How nodes of an operator are converted. Null: only constants are supported, or nothing.
  using Handler = Computed (OnnxImporter::*)(const Node& node);
  static constexpr int kAnyNumber = std::numeric_limits<int>::max();
  struct Operator {
    Handler handler = nullptr;
    int max_inputs = kAnyNumber;
  };
  static const std::map<std::string_view, Operator>& handlers();
  static Operator find_operator(std::string_view name);

  // Outputs (onnx_outputs.cpp).
  struct NodeError {
    int node;  // the node that cannot be converted
    std::shared_ptr<const ModelError> error;
  };
  void convert(const std::string& value);
  void convert_node(int index);
  const NodeError* find_error(int index) const;
  MlpValue output_value(const OnnxGraph::Output& output);
  bool is_constant(const std::string& value) const;
  MlpModel finished(std::vector<MlpOutput> outputs, std::vector<MlpSkippedOutput>& skipped);
  MlpModel numbered(std::vector<MlpOutput> outputs);
  std::int64_t common_batch() const;

  void run(const Node& node);
  void define(const Node& node, int output, Operand value);
  bool fold(const Node& node, const std::vector<const Operand*>& inputs);
  void take_branch(const Node& node);
  void check_integers(const Node& node, const std::string& name,
                      const std::vector<const Operand*>& inputs) const;
  static int result_type(const Node& node, const std::string& name,
                         const std::vector<const Operand*>& inputs);
  static int element_type_of(const Operand& operand);

  // Values. `index` counts the inputs of a node from 0.
  const Operand* find(const Node& node, int index);
  const Operand& expect(const Node& node, int index, const char* what);
  Computed expect_computed(const Node& node, int index = 0);
  Constant expect_constant(const Node& node, int index, const char* what);
  ConstantTensor numbers(const Node& node, const Constant& constant);
  std::optional<ConstantTensor> optional_numbers(const Node& node, int index, const char* what);
  std::string read_text(const Constant& constant) const;
  std::string temporary_extents(const Constant& constant) const;
  Computed begin_input(const onnx::ValueInfo& input);
  void check_not_flat(const Node& node, const Operand& operand) const;
  // Fails if the constant contains extents that are not known when the file is read.
  static void check_known(const Node& node, const ConstantTensor& constant);

  // Extents.
  static std::optional<std::int64_t> columns(const Extents& extents);
  static std::optional<std::size_t> batch_axis(const Extents& extents);
  static std::string shape_text(const Extents& extents);  // "batch x 2"
  // Returns the extents with 1 for the batch. Fails if an extent is unknown.
  Extents sample_extents(const Node& node, const Extents& extents) const;
  Extents combined(const Node& node, const std::vector<const Operand*>& operands);
  Extents extents(const Operand& operand) const;

  // Appends a layer.
  MlpValue push(MlpLayer layer);
  static MlpOperand operand(const Computed& value) { return {value.value, {}}; }
  static Operand number(double value);
  // An element-wise operation with broadcasting. `name`: of the layer; the last layer of a node
  // gets the name of the node.
  Computed elements(const Node& node, MlpOperation operation, const std::vector<Operand>& operands,
                    const std::string& name = "");
  MlpOperand broadcast_operand(const Node& node, const Operand& operand, const Extents& extents);
  Computed activation(const Node& node, MlpActivation activation, const Computed& input);
  // The numbers of a sample's columns, from `first` on, as a tensor of these extents. Fails if
  // there are too many.
  ConstantTensor column_numbers(const Node& node, const Extents& sample, double first = 0.0);
  // Selects columns of the value, in this order. Adds no layer if the selection changes nothing.
  Computed selected(const Computed& from, const std::vector<double>& indices, Extents extents);
  // The operand of a reduction along dimensions: its columns are permuted so that the elements of
  // each group are adjacent.
  struct Groups {
    Computed value;
    std::int64_t count = 1;  // number of groups
    Extents kept;            // the extents of the result, with 1 for the reduced dimensions
  };
  Groups group_columns(const Node& node, const Computed& from,
                       const std::vector<std::int64_t>& axes);
  Computed reduced(MlpOperation operation, const Groups& groups);

  // Products (onnx_products.cpp).
  Computed conv(const Node& node);
  Computed einsum(const Node& node);
  Computed gemm(const Node& node);
  Computed matmul(const Node& node);
  Computed fused_gemm(const Node& node);
  Computed fused_matmul(const Node& node);
  struct Factor {
    bool transposed = false;
    float alpha = 1.0f;
  };
  Computed product(const Node& node, bool transpose_a, bool transpose_b, float alpha);
  Computed times_weights(const Node& node, const Computed& x, bool transpose_x,
                         const Factor& weights);
  Computed weights_times(const Node& node, const Factor& weights, const Computed& x,
                         bool transpose_x);
  Computed transposed_sample(const Node& node, const Computed& x);
  FloatMatrix read_weights(const Node& node, int index, const Factor& factor);
  Computed affine(const Node& node, FloatMatrix weights, const Computed& x, Extents extents);

  // Element-wise operations (onnx_elements.cpp) and activations (onnx_activations.cpp).
  Computed operation(const Node& node);
  Computed variadic(const Node& node);
  Computed listed_activation(const Node& node);
  Computed bias_gelu(const Node& node);
  Computed cast(const Node& node);
  Computed cast_like(const Node& node);
  Computed cast_to(const Node& node, const Computed& x, int type);
  Computed celu(const Node& node);
  Computed clip(const Node& node);
  Computed gelu(const Node& node);
  Computed mish(const Node& node);
  Computed imputer(const Node& node);
  Computed is_nan(const Node& node);
  Computed mod(const Node& node);
  Computed prelu(const Node& node);
  Computed selu(const Node& node);
  Computed shrink(const Node& node);
  Computed softsign(const Node& node);
  Computed swish(const Node& node);
  Computed thresholded_relu(const Node& node);
  float bound(const Node& node, int index, const char* name, float otherwise);

  // Operations on rows (onnx_rows.cpp).
  Computed batch_normalization(const Node& node);
  Computed layer_normalization(const Node& node);
  Computed rms_normalization(const Node& node);
  Computed lp_normalization(const Node& node);
  Computed normalizer(const Node& node);
  Computed reduction(const Node& node);
  Computed scaler(const Node& node);
  Computed softmax(const Node& node);
  std::vector<std::int64_t> softmax_axes(const Node& node, const Computed& x);
  std::vector<std::int64_t> normalized_axes(const Node& node, const Computed& x);
  Computed normalized(const Node& node, const Computed& x);
  Computed norm(const Node& node, const Computed& x, int power,
                const std::vector<std::int64_t>& along);
  Computed divided_by_norm(const Node& node, const Computed& x, const Computed& norm);

  // Operators that change the shape or do nothing (onnx_shapes.cpp), and operators that rearrange
  // columns (onnx_moves.cpp).
  Computed identity(const Node& node);
  Computed dropout(const Node& node);
  Computed flatten(const Node& node);
  Computed reshape(const Node& node);
  class Reshaping;
  Computed squeeze(const Node& node);
  Computed unsqueeze(const Node& node);
  Computed concat(const Node& node);
  Computed move(const Node& node);
  std::vector<Operand> moved_parts(const Node& node);
  [[noreturn]] static void refuse_lookup(const ModelPlace& gather);
  std::size_t moved_batch_axis(const Node& node, const Computed& x, std::size_t axis,
                               const ConstantTensor* second);
  ConstantTensor shape_tensor(const Node& node, const Computed& x) const;
  std::vector<std::int64_t> axes(const Node& node, int index, const char* name);

  const OnnxGraph& graph_;
  const ModelPlace& file_;
  const int operator_set_;
  const BatchAxis batch_axis_;
  const std::vector<std::string>& used_outputs_;
  ConstantBudget budget_;
  OnnxTensors tensors_;
  std::unordered_map<std::string, Operand> values_;
  std::deque<onnx::Graph> branches_;  // of conditions that are known
  std::vector<bool> visited_;         // by node
  std::map<int, NodeError> errors_;   // keyed by the nodes that cannot be converted
  std::size_t num_converted_ = 0;
  int current_node_ = -1;
  std::vector<MlpInput> inputs_;
  std::vector<MlpLayer> layers_;
  std::vector<int> layer_nodes_;        // the node of each layer
  std::int64_t file_batch_ = kUnknown;  // the batch size, if the file fixes it for all inputs
};

}  // namespace tilewright
