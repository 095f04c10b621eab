// How do the nodes of an ONNX graph become the layers of a net?
//
// Each node takes what the node before it gives, and constants: initialisers, or what follows from
// them alone. Nodes that do not change a batch of rows (Identity, Dropout, Flatten ...) leave no
// layer, nor do those that scale and shift its columns (BatchNormalization, Mul ...): the affine
// layer before or behind them does that. Activations that exporters write as several nodes are
// recognised (onnx_written_out.cpp).
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model_place.hpp"
#include "onnx_columns.hpp"
#include "onnx_graph.hpp"
#include "onnx_tensors.hpp"
#include "profiles/activation.hpp"

namespace tilewright {

class OnnxChain {
 public:
  // Both the graph and the file's place must outlive this.
  OnnxChain(const OnnxGraph& graph, const ModelPlace& file) : graph_(graph), file_(file) {}

  // The layers that give the graph's net_output(). Fails at the first node that cannot be run.
  MlpModel read();
  // Appends the paths of the other files that read() has read.
  void append_files(std::vector<std::string>& files) const { tensors_.append_files(files); }

 private:
  struct Node {
    const onnx::NodeProto& proto;
    ModelPlace place;
  };
  struct Constant {
    const onnx::TensorProto* tensor = nullptr;
    bool is_transposed = false;  // of a matrix
  };
  // An operation that is run, by the name that ONNX has for it.
  struct Operation {
    std::string_view name;
    void (OnnxChain::*take)(const Node& node);
  };
  static const Operation kOperations[];
  static const Operation* find_operation(std::string_view name);
  static std::string list_operations();

  void take(const Node& node);
  // What the node computes from constants alone is a constant. False: it takes the chain's value.
  bool fold(const Node& node);

  // Operations (onnx_affine.cpp, onnx_activations.cpp, onnx_operations.cpp).
  void add(const Node& node);
  void batch_normalization(const Node& node);
  void cast(const Node& node);
  void clip(const Node& node);
  void constant(const Node& node);
  void div(const Node& node);
  void dropout(const Node& node);
  void flatten(const Node& node);
  void gelu(const Node& node);
  void gemm(const Node& node);
  void identity(const Node& node);
  void log_softmax(const Node& node);
  void matmul(const Node& node);
  void mul(const Node& node);
  void prelu(const Node& node);
  void reshape(const Node& node);
  void selu(const Node& node);
  void softmax(const Node& node);
  void squeeze(const Node& node);
  void sub(const Node& node);
  void transpose(const Node& node);
  void unsqueeze(const Node& node);

  // Affine layers.
  void push_affine(const Node& node, bool weights_transposed, float alpha);
  std::vector<float> bias(const Node& node, const Constant& constant, std::int64_t outputs);
  void expect_rows(const Node& node) const;

  // Columns that are scaled and shifted (onnx_columns.cpp).
  std::vector<double> column_values(const Node& node, const Constant& constant);
  void apply(const Node& node, const std::vector<double>& scale, const std::vector<double>& shift);
  void fold_columns(AffineLayer& layer, const Node& node);
  void settle_columns(const ModelPlace& place, const char* before);

  // Adds an activation that has the node's name.
  ActivationLayer& push_activation(const Node& node, MlpActivation activation);
  // One that takes no inputs but the chain's value, with the attributes that the list of
  // activations names.
  void listed_activation(const Node& node);
  void push_row_activation(const Node& node, MlpActivation activation);
  float bound(const Node& node, int index, const char* name, float otherwise);

  // If the first of the nodes begin to compute an activation of the chain's value: takes them, and
  // says how many they are. 0: they do not.
  std::size_t take_written_out(std::span<const int> nodes);

  // Extents (onnx_operations.cpp).
  std::optional<std::int64_t> width() const;
  void expect_samples_first(const Node& node) const;
  std::vector<std::int64_t> axes(const Node& node, std::size_t dimensions);

  std::optional<Constant> find_constant(const std::string& value) const;
  std::optional<Constant> operand(const Node& node, int index) const;
  Constant expect_constant(const Node& node, int index, const char* what) const;
  // Which of the node's inputs is the chain's value. Fails unless there is exactly one such.
  int chain_operand(const Node& node);
  void expect_chain_first(const Node& node);
  void begin_chain(const std::string& value, const onnx::ValueInfoProto& input);

  static constexpr std::int64_t kBatch = -1;
  static constexpr std::int64_t kUnknown = 0;

  const OnnxGraph& graph_;
  const ModelPlace& file_;
  OnnxTensors tensors_;
  std::unordered_map<std::string_view, Constant> constants_;  // beside initialisers
  MlpModel model_;
  std::string value_;  // what the layers so far give; empty: none yet
  // Its extents, where their number is known: kBatch once, kUnknown, or 1 and more.
  std::optional<std::vector<std::int64_t>> extents_;
  std::int64_t file_batch_ = kUnknown;  // samples that the file fixes
  std::optional<Columns> columns_;      // what is still to be done to its columns
  int made_layers_ = 0;           // that only do that, since the last affine layer of the file
  std::int64_t file_inputs_ = 0;  // of that one
  std::unordered_map<std::string_view, int> uses_;  // how often nodes take each value
};

// An attribute's value, or what ONNX says it is without. Fails at `place` if it is of another kind.
std::int64_t integer_attribute(const onnx::NodeProto& node, std::string_view name,
                               std::int64_t otherwise, const ModelPlace& place);
float float_attribute(const onnx::NodeProto& node, std::string_view name, float otherwise,
                      const ModelPlace& place);
const onnx::AttributeProto* attribute(const onnx::NodeProto& node, std::string_view name);

// The first activation of the list that ONNX calls so; null: there is none.
const ActivationDescription* find_listed_activation(std::string_view onnx_operator);

}  // namespace tilewright
