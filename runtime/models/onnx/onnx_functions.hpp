// Inlines the local functions of an ONNX file: graphs that the file defines and calls by name.
#pragma once

#include <string>
#include <vector>

#include "model_place.hpp"
#include "onnx/onnx_structures.hpp"

namespace tilewright {

// Replaces each node that calls a local function by the nodes of the function. Returns for each
// node of the resulting graph its place for messages, such as "node 3 of 7 (Gemm '/fc1/Gemm')".
// Throws ModelError for recursive functions and if the graph becomes too large.
std::vector<std::string> inline_functions(onnx::Model& model, const ModelPlace& file);

}  // namespace tilewright
