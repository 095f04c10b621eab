// How do the nodes of an ONNX graph become the layers of a net?
//
// Each node takes what the node before it gives, and constants: initialisers, or what follows from
// them alone. Nodes that do not change a batch of rows (Identity, Dropout, Flatten ...) leave no
// layer.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model_place.hpp"
#include "onnx_graph.hpp"
#include "onnx_tensors.hpp"

namespace tilewright {

class OnnxChain {
 public:
  // Both the graph and the file's place must outlive this.
  OnnxChain(const OnnxGraph& graph, const ModelPlace& file) : graph_(graph), file_(file) {}

  // The layers that give the graph's net_output(). Fails at the first node that cannot be run.
  MlpModel read();

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

  void take(const Node& node);
  // What the node computes from constants alone is a constant. False: it takes the chain's value.
  bool fold(const Node& node);

  // Operations (onnx_affine.cpp, onnx_operations.cpp).
  void add(const Node& node);
  void cast(const Node& node);
  void constant(const Node& node);
  void dropout(const Node& node);
  void flatten(const Node& node);
  void gemm(const Node& node);
  void identity(const Node& node);
  void leaky_relu(const Node& node);
  void matmul(const Node& node);
  void relu(const Node& node);
  void reshape(const Node& node);
  void sigmoid(const Node& node);
  void softmax(const Node& node);
  void tanh(const Node& node);
  void transpose(const Node& node);

  // Affine layers.
  void push_affine(const Node& node, bool weights_transposed, float alpha);
  std::vector<float> bias(const Node& node, const Constant& constant, std::int64_t outputs);
  void expect_rows(const Node& node) const;

  void push_activation(const Node& node, MlpActivation activation, float slope = 0.01f);

  std::optional<Constant> find_constant(const std::string& value) const;
  std::optional<Constant> operand(const Node& node, int index) const;
  Constant expect_constant(const Node& node, int index, const char* what) const;
  // Which of the node's inputs is the chain's value. Fails unless there is exactly one such.
  int chain_operand(const Node& node);
  void expect_chain_first(const Node& node);
  void begin_chain(const std::string& value, const onnx::ValueInfoProto& input);

  const OnnxGraph& graph_;
  const ModelPlace& file_;
  OnnxTensors tensors_;
  std::unordered_map<std::string_view, Constant> constants_;  // beside initialisers
  MlpModel model_;
  std::string value_;                  // what the layers so far give; empty: none yet
  std::optional<int> dimensions_;      // of it, where known
  std::optional<std::int64_t> width_;  // the product of all its extents but the first, where known
};

// An attribute's value, or what ONNX says it is without. Fails at `place` if it is of another kind.
std::int64_t integer_attribute(const onnx::NodeProto& node, std::string_view name,
                               std::int64_t otherwise, const ModelPlace& place);
float float_attribute(const onnx::NodeProto& node, std::string_view name, float otherwise,
                      const ModelPlace& place);
const onnx::AttributeProto* attribute(const onnx::NodeProto& node, std::string_view name);

}  // namespace tilewright
