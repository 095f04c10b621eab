// Finds the nodes of an ONNX graph by the values that they compute, and the outputs of the graph.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model_place.hpp"
#include "onnx/onnx_structures.hpp"

namespace tilewright {

// Returns null if there is no attribute of this name.
const onnx::Attribute* find_attribute(const std::vector<onnx::Attribute>& attributes,
                                      std::string_view name);
// Returns the type of the elements of a tensor; kUndefined for other values.
int element_type(const onnx::ValueInfo& value);
// Returns the dimensions of a tensor; null if the file does not have them.
const std::vector<onnx::Dimension>* dimensions(const onnx::ValueInfo& value);

// An index of a graph. The graph must outlive it.
class OnnxGraph {
 public:
  OnnxGraph(const onnx::Graph& graph, ModelPlace file);

  const onnx::Graph& proto() const { return graph_; }
  const onnx::Node& node(int index) const { return graph_.node[static_cast<std::size_t>(index)]; }
  // The place of a node, e.g. "node 3 of 7 (Gemm '/fc1/Gemm')".
  ModelPlace node_place(int node) const;

  // Why the node cannot be evaluated, for example since another one computes the same value; null:
  // nothing is known to be wrong.
  const ModelError* error(int node) const;

  // The initializer, graph input or node that provides a value; null or -1 if it is provided by
  // something else.
  const onnx::Tensor* initializer(std::string_view value) const;
  const onnx::ValueInfo* input(std::string_view value) const;
  int producer(std::string_view value) const;

  struct Output {
    std::string name;
    std::string value;      // the value that the network must compute
    std::string unusable;   // a sentence: why it cannot be an output of a network; empty: it can
    std::string hint = "";  // what else to use if it cannot be computed
  };
  // Outputs of floats are outputs of a network; those of integers only if they are in `names` or if
  // no output of floats depends on an input. skl2onnx converts a classifier's probabilities into
  // dictionaries (ZipMap); in this case the probabilities are the output.
  std::vector<Output> outputs(const std::vector<std::string>& names) const;
  // Returns the outputs of the network: those in `names`; empty: all that can be outputs.
  std::vector<Output> used_outputs(const std::vector<std::string>& names) const;

  // Returns the nodes that a value depends on and that are not in `visited` yet, each after those
  // that it depends on and otherwise in the order of the file, and adds them to `visited`, which
  // has an element per node. Calls for all outputs with the same `visited` visit each node once.
  std::vector<int> nodes_for(const std::string& value, std::vector<bool>& visited) const;

  // Returns the inputs that used_outputs(names) depend on, in the order of the file. Initialisers
  // that are also inputs are constants.
  std::vector<const onnx::ValueInfo*> inputs_for(const std::vector<std::string>& names) const;

 private:
  // The value that a label is chosen by, such as the scores before an ArgMax; empty: not known.
  std::string scores_before(std::string_view label) const;
  // Nodes of hand-written files may precede the nodes that they depend on.
  std::vector<int> in_order(std::vector<int> nodes) const;

  const onnx::Graph& graph_;
  ModelPlace file_;
  std::map<int, ModelError> errors_;  // keyed by node
  std::unordered_map<std::string_view, int> producers_;
  std::unordered_map<std::string_view, const onnx::Tensor*> initializers_;
  std::unordered_map<std::string_view, const onnx::ValueInfo*> inputs_;
};

}  // namespace tilewright
