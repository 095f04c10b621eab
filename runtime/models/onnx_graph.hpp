// Which nodes does the output of an ONNX graph need, and which of its outputs is meant?
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
  // Fails if two nodes give one value.
  OnnxGraph(const onnx::GraphProto& graph, ModelPlace file);

  const onnx::GraphProto& proto() const { return graph_; }
  // A node for messages, e.g. "node 3 of 7 (Gemm '/fc1/Gemm')".
  ModelPlace node_place(int node) const;

  // Each is null, or -1, if the value has another origin.
  const onnx::TensorProto* initializer(std::string_view value) const;
  const onnx::ValueInfoProto* input(std::string_view value) const;
  int producer(std::string_view value) const;

  // The value that a net gives: the one output that is a float matrix. If there is none, what a
  // ZipMap takes whose output is one: skl2onnx makes dictionaries of a classifier's probabilities.
  // Else the one output that is a float matrix but for dimensions of one element.
  std::string net_output() const;

  // The nodes that a value needs, in the order of the file, which is one in which they can be run.
  std::vector<int> nodes_for(const std::string& value) const;

 private:
  const onnx::GraphProto& graph_;
  ModelPlace file_;
  std::unordered_map<std::string_view, int> producers_;
  std::unordered_map<std::string_view, const onnx::TensorProto*> initializers_;
  std::unordered_map<std::string_view, const onnx::ValueInfoProto*> inputs_;
};

}  // namespace tilewright
