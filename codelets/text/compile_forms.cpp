#include "codelets/text/compile_forms.hpp"

namespace tilewright {

const char* to_text(Math math) {
  switch (math) {
    case Math::kExact:
      return "exact";
    case Math::kMad:
      return "mad";
    case Math::kFast:
      return "fast";
  }
  return "?";
}

const char* build_options(Math math) {
  switch (math) {
    case Math::kExact:
      return "";
    case Math::kMad:
      return "-cl-mad-enable";
    case Math::kFast:
      return "-cl-fast-relaxed-math";
  }
  return "";
}

const char* to_text(Exponential form) {
  switch (form) {
    case Exponential::kExp:
      return "exp";
    case Exponential::kNative:
      return "native";
    case Exponential::kHalf:
      return "half";
  }
  return "?";
}

const char* exponential_function(Exponential form) {
  switch (form) {
    case Exponential::kExp:
      return "exp";
    case Exponential::kNative:
      return "native_exp";
    case Exponential::kHalf:
      return "half_exp";
  }
  return "?";
}

bool has_exponential(Activation activation) {
  return describe_activation(activation).text.find("{exp}") != std::string_view::npos;
}

const char* to_text(GroupSize size) {
  switch (size) {
    case GroupSize::kRequired:
      return "required";
    case GroupSize::kHint:
      return "hint";
    case GroupSize::kDriver:
      return "driver";
  }
  return "?";
}

}  // namespace tilewright
