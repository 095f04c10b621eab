// Decodes and encodes ONNX files, which are messages of Protocol Buffers.
#pragma once

#include <string>
#include <string_view>

#include "model_place.hpp"
#include "onnx/onnx_structures.hpp"

namespace tilewright::onnx {

// Returns the model in the bytes of an ONNX file. Its raw data point into `bytes`. Fields that
// onnx_structures.hpp does not list are skipped. Throws ModelError at `file` if the bytes are not
// such a file, are truncated, or have more than a million messages and names (nodes, attributes,
// tensors, ...) or more than 2^27 integers.
Model decode(std::string_view bytes, const ModelPlace& file);

// Returns the graph of an attribute. Throws ModelError at `place`, with the limits of decode().
Graph decode_graph(std::string_view bytes, const ModelPlace& place);

// Returns the bytes of an ONNX file.
std::string encode(const Model& model);

}  // namespace tilewright::onnx
