#include "codelets/point/validity.hpp"

#include "codelets/point/rules.hpp"

#include <type_traits>
#include <utility>

namespace tilewright {

const std::vector<Rule>& rules(Codelet codelet) {
  static const std::array<std::vector<Rule>, 6> tables = {gemm_rules(),       gemv_rules(),
                                                          pack_rules(),       reduce_rules(),
                                                          activation_rules(), softmax_rules()};
  return tables[static_cast<std::size_t>(codelet)];
}

const Rule* broken_rule(const ParameterPoint& point, const SpaceLimits& limits) {
  for (const Rule& rule : rules(point_codelet(point))) {
    if (!rule.holds(point, limits)) return &rule;
  }
  return nullptr;
}

const Rule* broken_structural_rule(const ParameterPoint& point) {
  for (const Rule& rule : rules(point_codelet(point))) {
    if (rule.structural && !rule.holds(point, {})) return &rule;
  }
  return nullptr;
}

bool work_group_fits(int x, int y, const SpaceLimits& limits) {
  return static_cast<std::int64_t>(x) * y <= limits.max_work_group_size &&
         x <= limits.max_work_item_sizes[0] && y <= limits.max_work_item_sizes[1];
}

Rule images_and_networks_have_type(std::vector<std::string_view> reads) {
  return {
      "images_and_networks_have_type",
      "images exist in single precision only, and biases, activations and softmax not in double "
      "precision",
      true, std::move(reads), [](const ParameterPoint& point, const SpaceLimits&) {
        return std::visit(
            [](const auto& p) {
              using P = std::decay_t<decltype(p)>;
              bool images = false;
              bool is_for_networks =
                  std::is_same_v<P, ActivationPoint> || std::is_same_v<P, SoftmaxPoint>;
              if constexpr (requires { p.image; }) images = p.image;
              if constexpr (requires { p.image_a; }) images = p.image_a || p.image_b;
              if constexpr (requires { p.bias; }) {
                is_for_networks = is_for_networks || p.bias != Dimension::kNone ||
                                  p.activation != Activation::kIdentity;
              }
              return p.precision == Precision::kSingle ||
                     (!images && !(is_for_networks && !is_network_type(p.precision)));
            },
            point);
      }};
}

Rule exponential_is_called() {
  return {"exponential_is_called",
          "only activations that use exp() have other forms of it",
          true,
          {"exp", "activation"},
          [](const ParameterPoint& point, const SpaceLimits&) {
            return std::visit(
                [](const auto& p) {
                  if constexpr (requires { p.exp; }) {
                    return p.exp == Exponential::kExp || has_exponential(p.activation);
                  }
                  return true;
                },
                point);
          }};
}

Rule vector_is_taken() {
  return {"vector_is_taken",
          "vectors wider than a vector register crash some compilers",
          false,
          {"vector_width"},
          [](const ParameterPoint& point, const SpaceLimits& limits) {
            return std::visit([](const auto& p) { return p.vector_width; }, point) <=
                   limits.max_vector_width;
          }};
}

}  // namespace tilewright
