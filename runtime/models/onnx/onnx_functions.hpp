// Inlines the local functions of an ONNX file: graphs that the file defines and calls by name.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "model_place.hpp"

namespace tilewright {

// Replaces each node that calls a local function by the nodes of the function. Returns for each
// node of the resulting graph its place for messages, such as "node 3 of 7 (Gemm '/fc1/Gemm')".
// Throws ModelError for recursive functions and if the graph becomes too large.
std::vector<std::string> inline_functions(onnx::ModelProto& model, const ModelPlace& file);

}  // namespace tilewright
