#include "onnx/onnx_attributes.hpp"

namespace tilewright {

const onnx::AttributeProto* attribute(const onnx::NodeProto& node, std::string_view name) {
  for (const onnx::AttributeProto& candidate : node.attribute()) {
    if (candidate.name() == name) return &candidate;
  }
  return nullptr;
}

std::int64_t integer_attribute(const onnx::NodeProto& node, std::string_view name,
                               std::int64_t otherwise, const ModelPlace& place) {
  const onnx::AttributeProto* const found = attribute(node, name);
  if (found == nullptr) return otherwise;
  if (!found->has_i()) place.fail(fmt::format("its attribute {} is not an integer", name));
  return found->i();
}

float float_attribute(const onnx::NodeProto& node, std::string_view name, float otherwise,
                      const ModelPlace& place) {
  const onnx::AttributeProto* const found = attribute(node, name);
  if (found == nullptr) return otherwise;
  if (!found->has_f()) place.fail(fmt::format("its attribute {} is not a float", name));
  return found->f();
}

std::string text_attribute(const onnx::NodeProto& node, std::string_view name,
                           const std::string& otherwise) {
  const onnx::AttributeProto* const found = attribute(node, name);
  return found == nullptr ? otherwise : found->s();
}

}  // namespace tilewright
