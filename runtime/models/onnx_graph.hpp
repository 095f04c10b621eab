// The nodes of an ONNX graph by the values that they give, and the outputs of the graph.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model_place.hpp"

namespace tilewright {

// Who gives each value of a graph, which must outlive this.
class OnnxGraph {
 public:
  // `places`: of each node, for messages. Fails if two nodes give one value.
  OnnxGraph(const onnx::GraphProto& graph, ModelPlace file, std::vector<std::string> places);

  const onnx::GraphProto& proto() const { return graph_; }
  // A node for messages, e.g. "node 3 of 7 (Gemm '/fc1/Gemm')".
  ModelPlace node_place(int node) const {
    return file_.in(places_[static_cast<std::size_t>(node)]);
  }

  // Each is null, or -1, if the value has another origin.
  const onnx::TensorProto* initializer(std::string_view value) const;
  const onnx::ValueInfoProto* input(std::string_view value) const;
  int producer(std::string_view value) const;

  struct Output {
    std::string name;
    std::string value;     // what the network computes
    std::string unusable;  // why it cannot be an output of a network, as a sentence; empty: it can
  };
  // Outputs of floats can be outputs of a network. skl2onnx makes dictionaries of a classifier's
  // probabilities (ZipMap): then the probabilities are the output.
  std::vector<Output> outputs() const;
  std::string text_of_outputs() const;

  // The nodes that a value needs, in the order of the file, which is one in which they can be run.
  std::vector<int> nodes_for(const std::string& value) const;

 private:
  const onnx::GraphProto& graph_;
  ModelPlace file_;
  std::vector<std::string> places_;
  std::unordered_map<std::string_view, int> producers_;
  std::unordered_map<std::string_view, const onnx::TensorProto*> initializers_;
  std::unordered_map<std::string_view, const onnx::ValueInfoProto*> inputs_;
};

}  // namespace tilewright
