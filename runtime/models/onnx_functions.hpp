// Local functions of an ONNX file: graphs that the file itself defines and calls by name.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "model_place.hpp"

namespace tilewright {

// Puts the nodes of local functions in the place of the nodes that call them. Returns the place of
// each node of the graph for messages, such as "node 3 of 7 (Gemm '/fc1/Gemm')". Throws ModelError
// for functions that call themselves and for files that make too many nodes.
std::vector<std::string> inline_functions(onnx::ModelProto& model, const ModelPlace& file);

}  // namespace tilewright
