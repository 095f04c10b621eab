// Enumerators and shapes are words in JSON.
#include <fmt/format.h>

#include "tuner/records/tuning_json.hpp"
#include "tuner/terminal/shape_options.hpp"

namespace tilewright {
namespace {

// What a point's text says, by a parser of such.
template <class Parse>
auto parsed_point(const nlohmann::json& json, const Parse& parse) {
  const auto* text = json.get_ptr<const std::string*>();
  if (text == nullptr) throw JsonError(shown(json) + " is no point");
  try {
    return parse(*text);
  } catch (const ParameterError& error) {
    throw JsonError(fmt::format("{} is no point: {}", shown(json), error.what()));
  }
}

// A word that stands for an enumerator.
template <class Parse>
auto parsed_word(const nlohmann::json& json, const Parse& parse) {
  if (json.is_string()) {
    if (const auto value = parse(json.get_ref<const std::string&>())) return *value;
  }
  throw JsonError(shown(json) + " is not one of its words");
}

std::string_view to_text(WorkerActivityKind kind) {
  switch (kind) {
    case WorkerActivityKind::kStart:
      return "start";
    case WorkerActivityKind::kBuild:
      return "build";
    case WorkerActivityKind::kLaunch:
      return "launch";
  }
  return {};
}

std::optional<WorkerActivityKind> parse_phase_kind(std::string_view text) {
  for (const WorkerActivityKind kind :
       {WorkerActivityKind::kStart, WorkerActivityKind::kBuild, WorkerActivityKind::kLaunch}) {
    if (to_text(kind) == text) return kind;
  }
  return std::nullopt;
}

std::optional<DeviceKind> parse_device_kind(std::string_view text) {
  for (const DeviceKind kind : {DeviceKind::kCpu, DeviceKind::kGpu, DeviceKind::kOther}) {
    if (tilewright::to_text(kind) == text) return kind;
  }
  return std::nullopt;
}

}  // namespace

void to_json(nlohmann::json& json, DeviceKind value) {
  json = tilewright::to_text(value);
}
void from_json(const nlohmann::json& json, DeviceKind& value) {
  value = parsed_word(json, parse_device_kind);
}
void to_json(nlohmann::json& json, Op value) {
  json = to_text(value);
}
void from_json(const nlohmann::json& json, Op& value) {
  value = parsed_word(json, parse_op);
}
void to_json(nlohmann::json& json, Precision value) {
  json = to_text(value);
}
void from_json(const nlohmann::json& json, Precision& value) {
  value = parsed_word(json, parse_precision);
}
void to_json(nlohmann::json& json, OutcomeClass value) {
  json = to_text(value);
}
void from_json(const nlohmann::json& json, OutcomeClass& value) {
  value = parsed_word(json, parse_outcome_class);
}
void to_json(nlohmann::json& json, WorkerActivityKind value) {
  json = to_text(value);
}
void from_json(const nlohmann::json& json, WorkerActivityKind& value) {
  value = parsed_word(json, parse_phase_kind);
}
void to_json(nlohmann::json& json, const KernelId& value) {
  json = value.text();
}
void from_json(const nlohmann::json& json, KernelId& value) {
  value = parsed_point(json, parse_kernel);
}
void to_json(nlohmann::json& json, const ParameterPoint& value) {
  json = to_text(value);
}
void from_json(const nlohmann::json& json, ParameterPoint& value) {
  value = parsed_point(json, parse_point);
}
void to_json(nlohmann::json& json, const GemmShape& value) {
  json = to_text(value);
}
void from_json(const nlohmann::json& json, GemmShape& value) {
  if (json.is_string()) {
    if (const auto shape = parse_shape(json.get<std::string>())) {
      value = *shape;
      return;
    }
  }
  throw JsonError(shown(json) + " is not a shape MxNxK");
}

}  // namespace tilewright
