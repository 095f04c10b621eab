#include "onnx/onnx_attributes.hpp"

#include <utility>

namespace tilewright {

const std::string& name_at(const std::vector<std::string>& names, int index) {
  static const std::string kNone;
  return std::cmp_less(index, names.size()) ? names[static_cast<std::size_t>(index)] : kNone;
}

const onnx::Attribute* attribute(const onnx::Node& node, std::string_view name) {
  for (const onnx::Attribute& candidate : node.attribute) {
    if (candidate.name == name) return &candidate;
  }
  return nullptr;
}

std::int64_t integer_attribute(const onnx::Node& node, std::string_view name,
                               std::int64_t otherwise, const ModelPlace& place) {
  const onnx::Attribute* const found = attribute(node, name);
  if (found == nullptr) return otherwise;
  if (!found->i) place.fail(fmt::format("its attribute {} is not an integer", name));
  return *found->i;
}

float float_attribute(const onnx::Node& node, std::string_view name, float otherwise,
                      const ModelPlace& place) {
  const onnx::Attribute* const found = attribute(node, name);
  if (found == nullptr) return otherwise;
  if (!found->f) place.fail(fmt::format("its attribute {} is not a float", name));
  return *found->f;
}

std::string text_attribute(const onnx::Node& node, std::string_view name,
                           const std::string& otherwise) {
  const onnx::Attribute* const found = attribute(node, name);
  return found == nullptr ? otherwise : found->s;
}

}  // namespace tilewright
