// Reads the inputs, outputs and attributes of an ONNX node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model_place.hpp"
#include "onnx/onnx_structures.hpp"

namespace tilewright {

// Returns the name of an input or output of a node, counted from 0; empty if it is omitted.
const std::string& name_at(const std::vector<std::string>& names, int index);

// Returns null if the node does not have the attribute.
const onnx::Attribute* attribute(const onnx::Node& node, std::string_view name);

// Return the value of an attribute, or `otherwise`, the default, if the node does not have it. Fail
// at `place` if it has another type.
std::int64_t integer_attribute(const onnx::Node& node, std::string_view name,
                               std::int64_t otherwise, const ModelPlace& place);
float float_attribute(const onnx::Node& node, std::string_view name, float otherwise,
                      const ModelPlace& place);
std::string text_attribute(const onnx::Node& node, std::string_view name,
                           const std::string& otherwise);

}  // namespace tilewright
