// How does a net become an ONNX file, and an ONNX file a net?
//
// The format: github.com/onnx/onnx/blob/main/docs/IR.md and Operators.md. Without the packages of
// protobuf and ONNX both functions throw OnnxMissing (onnx_absent.cpp).
#pragma once

#include <string>
#include <vector>

#include <tilewright/mlp_model.hpp>

namespace tilewright {

// As read_mlp_model() and write_mlp_model() for NAME.onnx. `files` gets the paths of the other
// files that are read: those of external data.
MlpModel read_onnx_model(const std::string& path, std::vector<std::string>& files);
void write_onnx_model(const MlpModel& model, const std::string& path);

}  // namespace tilewright
