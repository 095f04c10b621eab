#include "graph/recognised_activations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <vector>

#include "graph/model_rewrites.hpp"
#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

// The maximal number of operations in a group. The known patterns are smaller.
constexpr std::size_t kMaxLayers = 24;

// The maximal number of groups that are evaluated in one model, which takes about a second.
constexpr std::size_t kMaxGroups = std::size_t{1} << 16;

using Values = std::vector<double>;

// Up to this point the written formulas do not overflow.
constexpr double kFarthestExact = 100.0;

// The test points, in ascending order: a grid and, with both signs, points near 0, far ones, and
// some that are on no grid, so that thresholds, steps and additional terms show wherever they are.
const Values& points() {
  static const Values kPoints = [] {
    Values x;
    for (int i = -48; i <= 48; ++i) x.push_back(i / 4.0);
    for (const double point :
         {1e-12, 3e-10, 1e-8, 2e-6, 1e-5, 1e-4,           1e-3, 7e-3, 0.03, 0.07, 0.11,
          0.19,  0.23,  0.31, 0.46, 0.61, 0.77,           0.9,  1.1,  1.37, 2.13, 3.3,
          4.71,  6.1,   9.3,  20.0, 50.0, kFarthestExact, 1e3,  1e5,  1e8,  1e20, 1e30}) {
      x.push_back(point);
      x.push_back(-point);
    }
    std::sort(x.begin(), x.end());
    return x;
  }();
  return kPoints;
}

double value_at(const Values& y, double point) {
  const Values& x = points();
  return y[static_cast<std::size_t>(std::find(x.begin(), x.end(), point) - x.begin())];
}

// Whether differences cancel in the formulas of the activation, so that small results lose digits.
bool has_cancellation(Activation activation) {
  return activation != Activation::kRelu && activation != Activation::kLeakyRelu &&
         activation != Activation::kSigmoid && activation != Activation::kClip;
}

// The function activation(factor x) / factor.
struct Recognised {
  ActivationLayer layer;
  double factor = 1.0;
};

// Errors count relative to the result: an addend of 1e-7 matters if a logarithm follows. Small
// results may be less exact, because constants in files are floats.
bool are(const Values& y, const Recognised& candidate) {
  const Values& x = points();
  const bool cancels = has_cancellation(candidate.layer.activation);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double right = activated(candidate.layer.activation, candidate.factor * x[i],
                                   activation_arguments(candidate.layer)) /
                         candidate.factor;
    const bool is_far = std::abs(x[i]) > kFarthestExact;
    if (is_far && !std::isfinite(y[i])) continue;  // the written formula overflows
    double bound = std::abs(right) * (std::abs(right) < 1e-6 ? 1e-4 : 2e-6);
    if (cancels && !is_far) bound += 1e-14 * std::abs(x[i]);
    if (!(std::abs(y[i] - right) <= bound)) return false;
  }
  return true;
}

std::optional<Recognised> recognised(const Values& y) {
  std::vector<Recognised> candidates;
  const auto add = [&](Activation activation) -> ActivationLayer& {
    candidates.push_back({ActivationLayer{"", activation}});
    return candidates.back().layer;
  };
  for (const Activation activation :
       {Activation::kRelu, Activation::kSigmoid, Activation::kTanh, Activation::kSelu,
        Activation::kHardSwish, Activation::kGelu, Activation::kGeluTanh}) {
    add(activation);
  }
  const auto at = [&](double point) { return value_at(y, point); };
  const auto is_finite = [](double value) { return std::isfinite(static_cast<float>(value)); };
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (std::abs(points()[i]) <= kFarthestExact && !is_finite(y[i])) return std::nullopt;
  }
  if (at(-1.0) != -1.0) add(Activation::kLeakyRelu).slope = static_cast<float>(-at(-1.0));
  add(Activation::kElu).slope = static_cast<float>(-at(-100.0));
  const double low = at(-kFarthestExact);
  const double high = at(kFarthestExact);
  if (low < high && std::abs(low) < 12.0 && std::abs(high) < 12.0) {
    ActivationLayer& clip = add(Activation::kClip);
    clip.low = static_cast<float>(low);
    clip.high = static_cast<float>(high);
    ActivationLayer& hard_sigmoid = add(Activation::kHardSigmoid);
    hard_sigmoid.slope = static_cast<float>((at(0.25) - at(-0.25)) * 2.0);
    hard_sigmoid.shift = static_cast<float>(at(0.0));
  }
  // Softplus with a factor: log(1 + exp(beta x)) / beta. Its value at 0 is log(2) / beta.
  const double beta = std::numbers::ln2 / at(0.0);
  if (is_finite(beta) && beta != 0.0) {
    add(Activation::kSoftplus);
    candidates.back().factor = std::abs(beta - 1.0) < 1e-6 ? 1.0 : beta;
  }
  for (const Recognised& candidate : candidates) {
    if (are(y, candidate)) return candidate;
  }
  return std::nullopt;
}

// No activation contains these operations. Points could not show that.
bool has_steps(NetworkOperation operation) {
  switch (operation) {
    case NetworkOperation::kFloor:
    case NetworkOperation::kCeil:
    case NetworkOperation::kRound:
    case NetworkOperation::kRemainder:
    case NetworkOperation::kSin:
    case NetworkOperation::kCos:
    case NetworkOperation::kTan:
    case NetworkOperation::kEqual:
      return true;
    default:
      return false;
  }
}

class Recognition {
 public:
  explicit Recognition(NetworkModel& model) : model_(model), inputs_(num_inputs(model)) {
    uses_.resize(model.layers.size() + static_cast<std::size_t>(inputs_), 0);
    for (NetworkLayer& layer : model.layers) {
      for_each_value(layer, [&](NetworkValue& value) { ++uses_[value_index(value)]; });
    }
    for (const NetworkOutput& output : model.outputs) ++uses_[value_index(output.value)];
  }

  void run() {
    // From the last layer to the first, so that the largest group is found first.
    for (std::size_t root = model_.layers.size(); root-- > 0;) {
      if (!is_dropped_.count(root) && is_of_elements(root)) try_root(root);
    }
  }

 private:
  // The layer that computes a value, which must not be an input.
  std::size_t computing_layer(NetworkValue value) const {
    return static_cast<std::size_t>(value - inputs_);
  }

  // Is the layer element-wise and without steps and periods, with constants that are the same for
  // all columns?
  bool is_of_elements(std::size_t layer) const {
    const NetworkLayer& any = model_.layers[layer];
    if (const auto* activation = std::get_if<ActivationLayer>(&any)) {
      return is_elementwise(activation->activation);
    }
    const auto* operation = std::get_if<OperationLayer>(&any);
    return operation != nullptr && is_elementwise(operation->operation) &&
           !has_steps(operation->operation) &&
           std::all_of(operation->operands.begin(), operation->operands.end(),
                       [](const NetworkOperand& operand) { return operand.constant.size() <= 1; });
  }

  void try_root(std::size_t root) {
    std::set<std::size_t> cone = {root};
    std::map<NetworkValue, int> taken;  // how often the cone reads each value
    const auto take = [&](std::size_t layer) {
      for_each_value(model_.layers[layer], [&](NetworkValue& value) { ++taken[value]; });
    };
    take(root);
    while (cone.size() <= kMaxLayers) {
      // The values that the cone reads but does not compute.
      std::vector<NetworkValue> leaves;
      for (const auto& [value, times] : taken) {
        if (value < inputs_ || !cone.count(computing_layer(value))) leaves.push_back(value);
      }
      if (leaves.size() == 1 && is_worth(cone) && is_closed(cone, root, taken) &&
          replace(cone, root, leaves.front())) {
        return;
      }
      const NetworkValue last = leaves.back();
      if (last < inputs_ || !is_of_elements(computing_layer(last))) return;
      cone.insert(computing_layer(last));
      take(computing_layer(last));
    }
  }

  // A group that consists only of activations is not replaced.
  bool is_worth(const std::set<std::size_t>& cone) const {
    return std::any_of(cone.begin(), cone.end(), [&](std::size_t layer) {
      return std::holds_alternative<OperationLayer>(model_.layers[layer]);
    });
  }

  // Are the intermediate values of the cone read only inside the cone?
  bool is_closed(const std::set<std::size_t>& cone, std::size_t root,
                 const std::map<NetworkValue, int>& taken) const {
    return std::all_of(cone.begin(), cone.end(), [&](std::size_t layer) {
      const NetworkValue value = inputs_ + static_cast<NetworkValue>(layer);
      const auto found = taken.find(value);
      return layer == root || (found != taken.end() && found->second == uses_[value_index(value)]);
    });
  }

  Values evaluate_cone(const std::set<std::size_t>& cone, NetworkValue leaf) const {
    std::map<NetworkValue, Values> known = {{leaf, points()}};
    Values last;
    for (const std::size_t layer : cone) {  // in order
      last = points();
      if (const auto* activation = std::get_if<ActivationLayer>(&model_.layers[layer])) {
        const Values& x = known.at(activation->input);
        for (std::size_t p = 0; p < x.size(); ++p) {
          last[p] = activated(activation->activation, x[p], activation_arguments(*activation));
        }
      } else {
        const auto& operation = std::get<OperationLayer>(model_.layers[layer]);
        for (std::size_t p = 0; p < last.size(); ++p) {
          double of[3] = {};
          for (std::size_t i = 0; i < operation.operands.size(); ++i) {
            const NetworkOperand& operand = operation.operands[i];
            of[i] =
                operand.constant.empty() ? known.at(operand.value)[p] : operand.constant.front();
          }
          last[p] = describe_operation(operation.operation).function(of[0], of[1], of[2]);
        }
      }
      known[inputs_ + static_cast<NetworkValue>(layer)] = last;
    }
    return last;
  }

  bool replace(const std::set<std::size_t>& cone, std::size_t root, NetworkValue leaf) {
    if (num_groups_++ >= kMaxGroups) return false;
    auto found = recognised(evaluate_cone(cone, leaf));
    if (!found) return false;
    const bool has_factor = found->factor != 1.0;
    if (has_factor && cone.size() < 3) return false;
    found->layer.name = std::visit([](const auto& any) { return any.name; }, model_.layers[root]);
    found->layer.input = leaf;
    is_dropped_.insert(cone.begin(), cone.end());
    if (!has_factor) {
      model_.layers[root] = found->layer;
      return true;
    }
    // Replaces three layers of the cone by: scale, activation, scale back.
    const std::size_t first = *cone.begin();
    const std::size_t second = *std::next(cone.begin());
    const auto scaled = [](NetworkValue value, double factor) {
      return OperationLayer{
          "", NetworkOperation::kMultiply, {{value, {}}, {kPreviousValue, {factor}}}, {}};
    };
    model_.layers[first] = scaled(leaf, found->factor);
    found->layer.input = inputs_ + static_cast<NetworkValue>(first);
    model_.layers[second] = found->layer;
    model_.layers[root] = scaled(inputs_ + static_cast<NetworkValue>(second), 1.0 / found->factor);
    return true;
  }

  NetworkModel& model_;
  const NetworkValue inputs_;
  std::vector<int> uses_;
  std::set<std::size_t> is_dropped_;
  std::size_t num_groups_ = 0;
};

}  // namespace

void recognise_activations(NetworkModel& model) {
  Recognition(model).run();
}

}  // namespace tilewright
