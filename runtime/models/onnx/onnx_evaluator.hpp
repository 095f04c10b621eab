// Evaluates the nodes of an ONNX graph and makes a model of the layers that they append.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model_place.hpp"
#include "onnx/onnx_graph.hpp"
#include "onnx/onnx_node.hpp"

namespace tilewright {

class OnnxEvaluator {
 public:
  // All references must outlive the evaluator. `batch`: the first extent of the inputs, if it is
  // the batch; nullopt: each input is one sample. `outputs`: names of the outputs that are used;
  // empty: any. They are evaluated first.
  OnnxEvaluator(const onnx::Model& model, const OnnxGraph& graph, const ModelPlace& file,
                std::uint64_t file_bytes, std::optional<std::int64_t> batch,
                const std::vector<std::string>& outputs);
  OnnxEvaluator(const OnnxEvaluator&) = delete;
  OnnxEvaluator& operator=(const OnnxEvaluator&) = delete;

  // Returns the model with all outputs of the graph that can be computed. If there is no such
  // output, throws ModelError for the first unsupported node. Each node is evaluated once; what is
  // wrong with a node concerns only the outputs that need it.
  NetworkModel read();
  // Appends the paths of the other files that read() has read.
  void append_files(std::vector<std::string>& files) const {
    evaluation_.tensors.append_files(files);
  }

 private:
  struct NodeError {
    int node;  // of the graph
    ModelError error;
  };
  // The values of the graph, of the body of a function or of the branch of a condition, which also
  // sees those outside of it. A value that cannot be computed has an error.
  struct Scope {
    Scope* outer = nullptr;
    bool is_graph = false;
    std::unordered_map<std::string, OnnxValue> values = {};
    std::unordered_map<std::string, std::shared_ptr<const NodeError>> errors = {};
  };

  // Values (onnx_evaluator.cpp).
  void evaluate_for(const std::string& value);
  void evaluate(const onnx::Node& node, const ModelPlace& place, const ModelError* known = nullptr);
  void run(const onnx::Node& node, const ModelPlace& place);
  static void define(Scope& scope, const std::string& name, OnnxValue value,
                     const ModelPlace& place);
  const OnnxValue* find(const std::string& name);
  std::shared_ptr<const NodeError> find_error(const std::string& name);
  const OnnxValue& look_up(const std::string& name, const ModelPlace& place);
  OnnxValue begin_input(const onnx::ValueInfo& input);
  void call(const onnx::Function& function, const onnx::Node& node, const ModelPlace& place);
  void take_branch(const onnx::Node& node, const ModelPlace& place,
                   std::vector<const OnnxValue*> inputs);
  void begin_body(const std::vector<onnx::Node>& nodes, std::size_t num_inputs,
                  const ModelPlace& place, const char* reason);
  void evaluate_body(Scope scope, const std::vector<onnx::Node>& nodes,
                     const std::vector<std::string>& results, const onnx::Node& node,
                     const ModelPlace& place, const char* kind);

  // Outputs (onnx_outputs.cpp).
  NetworkOutput network_output(const OnnxGraph::Output& output);
  bool is_constant(const std::string& value);
  NetworkModel finished(std::vector<NetworkOutput> outputs,
                        std::vector<NetworkSkippedOutput>& skipped);
  NetworkModel numbered(std::vector<NetworkOutput> outputs);

  const OnnxGraph& graph_;
  const ModelPlace& file_;
  const bool has_batch_;
  const std::vector<std::string>& used_outputs_;
  std::map<std::pair<std::string, std::string>, const onnx::Function*>
      functions_;                                       // by domain, name
  std::unordered_map<std::string, int> operator_sets_;  // versions by domain_prefix()
  OnnxEvaluation evaluation_;
  Scope graph_values_;
  Scope* scope_ = &graph_values_;
  std::deque<onnx::Graph> branches_;  // of conditions that are known
  int depth_ = 0;                     // of functions and branches
  int num_waiting_ = 0;               // values whose evaluation waits for that of another one
  std::uint64_t body_size_ = 0;       // nodes and inputs of all functions and branches
  std::vector<bool> visited_;         // by node
  int current_node_ = -1;             // of the graph
  std::vector<NetworkInput> inputs_;
  std::vector<int> layer_nodes_;  // the node of the graph of each layer
};

}  // namespace tilewright
