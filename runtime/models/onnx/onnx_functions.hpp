// Inlines the local functions of an ONNX file: graphs that the file defines and calls by name.
#pragma once

#include <string>
#include <vector>

#include "model_place.hpp"
#include "onnx/onnx_graph.hpp"
#include "onnx/onnx_structures.hpp"

namespace tilewright {

// The nodes of a graph after its functions were inlined.
struct InlinedNodes {
  // Of each node for messages, such as "node 3 of 7 (Gemm '/fc1/Gemm')".
  std::vector<std::string> places;
  // The nodes that call recursive functions or too many of them. These are not inlined.
  NodeErrors errors;
};

// Replaces each node that calls a local function by the nodes of the function, if an output of the
// graph needs it. `names`: the outputs that are used; their nodes come first when the number of
// nodes is limited.
InlinedNodes inline_functions(onnx::Model& model, const ModelPlace& file,
                              const std::vector<std::string>& names);

}  // namespace tilewright
