// The attributes of an ONNX node.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "model_place.hpp"

namespace tilewright {

// Null: the node does not have it.
const onnx::AttributeProto* attribute(const onnx::NodeProto& node, std::string_view name);

// An attribute's value, or what ONNX says it is without. Fails at `place` if it is of another kind.
std::int64_t integer_attribute(const onnx::NodeProto& node, std::string_view name,
                               std::int64_t otherwise, const ModelPlace& place);
float float_attribute(const onnx::NodeProto& node, std::string_view name, float otherwise,
                      const ModelPlace& place);
std::string text_attribute(const onnx::NodeProto& node, std::string_view name,
                           const std::string& otherwise);

}  // namespace tilewright
