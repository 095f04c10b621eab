#include "onnx/onnx_attributes.hpp"

#include <utility>

namespace tilewright {
namespace {

// Writers of protocol buffers 3 omit numbers that are 0. `given` must have no value.
bool is_omitted_zero(const onnx::Attribute& given, onnx::Attribute::Type type) {
  return given.type == type && given.ref_attr_name.empty();
}

}  // namespace

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
  if (!found->i && is_omitted_zero(*found, onnx::Attribute::kIntValue)) return 0;
  if (!found->i) place.fail(fmt::format("its attribute {} is not an integer", name));
  return *found->i;
}

float float_attribute(const onnx::Node& node, std::string_view name, float otherwise,
                      const ModelPlace& place) {
  const onnx::Attribute* const found = attribute(node, name);
  if (found == nullptr) return otherwise;
  if (!found->f && is_omitted_zero(*found, onnx::Attribute::kFloatValue)) return 0.0f;
  if (!found->f) place.fail(fmt::format("its attribute {} is not a float", name));
  return *found->f;
}

std::string text_attribute(const onnx::Node& node, std::string_view name,
                           const std::string& otherwise) {
  const onnx::Attribute* const found = attribute(node, name);
  return found == nullptr ? otherwise : found->s;
}

}  // namespace tilewright
