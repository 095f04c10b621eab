// Reads the attributes of an ONNX node.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "model_place.hpp"

namespace tilewright {

// Returns null if the node does not have the attribute.
const onnx::AttributeProto* attribute(const onnx::NodeProto& node, std::string_view name);

// Return the value of an attribute, or `otherwise`, the default, if the node does not have it. Fail
// at `place` if it has another type.
std::int64_t integer_attribute(const onnx::NodeProto& node, std::string_view name,
                               std::int64_t otherwise, const ModelPlace& place);
float float_attribute(const onnx::NodeProto& node, std::string_view name, float otherwise,
                      const ModelPlace& place);
std::string text_attribute(const onnx::NodeProto& node, std::string_view name,
                           const std::string& otherwise);

}  // namespace tilewright
