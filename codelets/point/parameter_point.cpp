#include "codelets/point/parameter_point.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "codelets/point/fields.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 6> kCodeletNames = {"gemm",   "gemv",       "pack",
                                                           "reduce", "activation", "softmax"};

const Field& require_field(Codelet codelet, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Field& field : fields(codelet)) {
    if (field.name == name) return field;
    names.push_back(field.name);
  }
  throw ParameterError(fmt::format("{} has no parameter '{}'; it has {}", to_text(codelet), name,
                                   fmt::join(names, ", ")));
}

// Handles the abbreviation "op=NT", which sets layout_a and layout_b.
bool set_op(ParameterPoint& point, std::string_view text) {
  const std::optional<Op> op = parse_op(text);
  if (!op) return false;
  for (const auto& [name, layout] :
       {std::pair{"layout_a", op_layout_a(*op)}, {"layout_b", op_layout_b(*op)}}) {
    require_field(point_codelet(point), name).parse(point, layout_name(layout));
  }
  return true;
}

// Parses "name=value", sets this parameter and returns its name.
std::string_view assign(ParameterPoint& point, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw ParameterError(fmt::format("'{}' is not of the form name=value", assignment));
  }
  const std::string_view name = assignment.substr(0, equals);
  const std::string_view text = assignment.substr(equals + 1);
  if (name == "op") {
    if (!set_op(point, text)) {
      throw ParameterError(fmt::format("op is '{}', but must be one of NN, NT, TN, TT", text));
    }
    return name;
  }
  const Field& field = require_field(point_codelet(point), name);
  if (!field.parse(point, text)) {
    throw ParameterError(fmt::format("{} is '{}', but must be one of {}", name, text,
                                     fmt::join(field.values, ", ")));
  }
  return name;
}

}  // namespace

std::string_view to_text(Codelet codelet) {
  return kCodeletNames[static_cast<std::size_t>(codelet)];
}

Codelet point_codelet(const ParameterPoint& point) {
  return static_cast<Codelet>(point.index());
}

ParameterPoint first_point(Codelet codelet) {
  switch (codelet) {
    case Codelet::kGemv:
      return GemvPoint{};
    case Codelet::kPack:
      return PackPoint{};
    case Codelet::kReduce:
      return ReducePoint{};
    case Codelet::kActivation:
      return ActivationPoint{};
    case Codelet::kSoftmax:
      return SoftmaxPoint{};
    case Codelet::kGemm:
      break;
  }
  return GemmPoint{};
}

const std::vector<Field>& fields(Codelet codelet) {
  static const std::array<std::vector<Field>, 6> tables = {gemm_fields(),       gemv_fields(),
                                                           pack_fields(),       reduce_fields(),
                                                           activation_fields(), softmax_fields()};
  return tables[static_cast<std::size_t>(codelet)];
}

std::string to_text(const ParameterPoint& point) {
  std::string text(to_text(point_codelet(point)));
  for (const Field& field : fields(point_codelet(point))) {
    if (field.index(point) != 0) text += fmt::format(" {}={}", field.name, field.text(point));
  }
  return text;
}

ParameterPoint without_epilogue(ParameterPoint point) {
  for (const Field& field : fields(point_codelet(point))) {
    if (field.name == "bias" || field.name == "activation" || field.name == "exp")
      field.set(point, 0);
  }
  return point;
}

ParameterPoint parse_point(std::string_view text) {
  ParameterPoint point;
  std::set<std::string, std::less<>> seen;
  std::istringstream words{std::string(text)};
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (first) {
      const auto named = std::find(kCodeletNames.begin(), kCodeletNames.end(), word);
      if (named != kCodeletNames.end()) {
        point = first_point(static_cast<Codelet>(named - kCodeletNames.begin()));
        continue;
      }
    }
    const std::string_view name = assign(point, word);
    if (!seen.insert(std::string(name)).second) {
      throw ParameterError(fmt::format("{} is set twice", name));
    }
  }
  return point;
}

Precision point_precision(const ParameterPoint& point) {
  return std::visit(
      [](const auto& p) {
        if constexpr (requires { p.precision; }) return p.precision;
        return Precision::kSingle;
      },
      point);
}

ParameterPoint with_precision(ParameterPoint point, Precision precision) {
  std::visit(
      [&](auto& p) {
        if constexpr (requires { p.precision; }) p.precision = precision;
      },
      point);
  return point;
}

std::string kernel_name(const ParameterPoint& point) {
  const Codelet codelet = point_codelet(point);
  const Precision precision = point_precision(point);
  const bool product = codelet == Codelet::kGemm || codelet == Codelet::kGemv;
  // Names of single-precision kernels that only move or add elements have no letter.
  const bool lettered = product || precision != Precision::kSingle;
  std::string name(lettered ? to_text(precision) : "");
  name += to_text(codelet);
  for (const Field& field : fields(codelet)) {
    if (field.name == "precision") continue;
    if (field.always_named || field.index(point) != 0) {
      name += fmt::format("_{}{}", field.tag, field.text(point));
    }
  }
  return name;
}

}  // namespace tilewright
