// Draws networks over the whole language of graphs (network_model.hpp): every kind of layer, every
// operation, several inputs and outputs, and values that are read any number of times.
//
// Results must depend smoothly on the operands, so that single and double precision agree:
// operations that are not smooth, or not defined everywhere, get operands for which they are.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "network/network_case.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {

class GraphMaker {
 public:
  explicit GraphMaker(unsigned seed) : seed_(seed), random_(seed) {}

  NetworkModel make() {
    const int inputs = 1 + below(3);
    for (int i = 0; i < inputs; ++i) {
      widths_.push_back(1 + below(40));
      model_.inputs.push_back({"x" + std::to_string(i), widths_.back()});
    }
    add_affine();
    const int layers = 2 + below(14);
    for (int i = 0; i < layers; ++i) add_layer();
    const int outputs = 1 + below(3);
    for (int i = 0; i < outputs; ++i) {
      model_.outputs.push_back({"y" + std::to_string(i), any_value()});
    }
    return model_;
  }

 private:
  using Op = NetworkOperation;

  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  NetworkValue any_value() {
    const int count = static_cast<int>(widths_.size());
    // Choose one of the last three values two times out of three.
    return below(3) == 0 ? below(count) : count - 1 - below(std::min(count, 3));
  }
  std::int64_t width(NetworkValue value) const { return widths_[static_cast<std::size_t>(value)]; }
  NetworkValue add(NetworkLayer layer, std::int64_t columns) {
    model_.layers.push_back(std::move(layer));
    widths_.push_back(columns);
    return static_cast<NetworkValue>(widths_.size()) - 1;
  }
  std::vector<double> row(std::int64_t count) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) {
      values.push_back(std::uniform_real_distribution<float>(-1.0f, 1.0f)(random_));
    }
    return values;
  }
  static NetworkOperand number(double value) { return {kPreviousValue, {value}}; }
  static NetworkOperand taken(NetworkValue value) { return {value, {}}; }

  // Operations on elements, as wide as their first operand that is a value.
  NetworkValue apply(Op operation, const std::vector<NetworkOperand>& operands) {
    std::int64_t columns = 1;
    for (const NetworkOperand& operand : operands) {
      columns = std::max(columns, operand.constant.empty()
                                      ? width(operand.value)
                                      : static_cast<std::int64_t>(operand.constant.size()));
    }
    return add(OperationLayer{"", operation, operands, {}}, columns);
  }
  NetworkValue of(Op operation, NetworkValue x) { return apply(operation, {taken(x)}); }
  // |x| + c
  NetworkValue above(double c, NetworkValue x) {
    return apply(Op::kAdd, {taken(of(Op::kAbs, x)), number(c)});
  }
  // factor x / (1 + |x|), between -factor and factor
  NetworkValue squashed(NetworkValue x, double factor = 1.0) {
    const NetworkValue bounded = apply(Op::kDivide, {taken(x), taken(above(1.0, x))});
    return apply(Op::kMultiply, {taken(bounded), number(factor)});
  }

  void add_affine() {
    const NetworkValue from = any_value();
    const std::int64_t outputs = 1 + below(60);
    AffineLayer layer = affine(width(from), outputs, below(4) != 0,
                               seed_ + static_cast<unsigned>(model_.layers.size()));
    layer.input = from;
    add(layer, outputs);
  }
  void add_activation() {
    const NetworkValue from = any_value();
    ActivationLayer layer =
        make_layer(static_cast<Activation>(below(static_cast<int>(kNumActivations))));
    layer.input = from;
    add(layer, width(from));
  }
  void add_unary() {
    const NetworkValue x = any_value();
    switch (below(16)) {
      case 0:
        of(Op::kNegate, x);
        return;
      case 1:
        of(Op::kSqrt, above(1.0, x));
        return;
      case 2:
        of(Op::kLog, above(1.0, x));
        return;
      case 3:
        of(Op::kReciprocal, above(1.0, x));
        return;
      case 4:
        of(Op::kExp, squashed(x));
        return;
      case 5:
        of(below(2) == 0 ? Op::kSin : Op::kCos, squashed(x, 4.0));
        return;
      case 6:
        of(Op::kTan, squashed(x));
        return;
      case 7:
        of(below(2) == 0 ? Op::kAsin : Op::kAcos, squashed(x, 0.5));
        return;
      case 8:
        of(Op::kAtan, x);
        return;
      case 9:
        of(below(2) == 0 ? Op::kSinh : Op::kCosh, squashed(x));
        return;
      case 10:
        of(Op::kAsinh, x);
        return;
      case 11:
        of(Op::kAcosh, above(2.0, x));
        return;
      case 12:
        of(Op::kAtanh, squashed(x, 0.5));
        return;
      case 13:
        of(Op::kErf, x);
        return;
      case 14:
        // Away from their steps.
        add_step(x);
        return;
      default:
        of(Op::kAbs, x);
    }
  }
  // Functions with steps, of numbers that are at least 0.3 away from them.
  void add_step(NetworkValue x) {
    constexpr Op kSteps[] = {Op::kFloor, Op::kCeil, Op::kRound, Op::kSign};
    const int which = below(4);
    const double middle = kSteps[which] == Op::kRound ? 2.0 : 2.5;
    const NetworkValue between = apply(Op::kAdd, {taken(squashed(x, 0.2)), number(middle)});
    apply(Op::kMultiply, {taken(of(kSteps[which], between)), taken(x)});
  }
  // A constant row, a number, or a value that fits x.
  NetworkOperand partner(NetworkValue x) {
    const NetworkValue value = any_value();
    const int kind = below(4);
    if (kind == 0) return {kPreviousValue, row(width(x))};
    if (kind == 1 || (width(value) != width(x) && width(value) != 1)) {
      return {kPreviousValue, row(1)};
    }
    return taken(value);
  }
  void add_binary() {
    constexpr Op kSmooth[] = {Op::kAdd, Op::kSubtract, Op::kMinimum, Op::kMaximum};
    const NetworkValue x = any_value();
    const NetworkOperand other = partner(x);
    const int which = below(7);
    if (which < 4) {
      std::vector<NetworkOperand> operands = {taken(x), other};
      if (below(2) == 0) std::swap(operands[0], operands[1]);
      apply(kSmooth[which], operands);
    } else if (which == 4) {
      const NetworkOperand bounded = other.constant.empty() ? taken(squashed(other.value)) : other;
      apply(Op::kMultiply, {taken(x), bounded});
    } else if (which == 5) {
      const NetworkOperand divisor =
          other.constant.empty() ? taken(above(1.0, other.value)) : number(-0.75);
      apply(Op::kDivide, {taken(x), divisor});
    } else {
      constexpr double kExponents[] = {2.0, 3.0, 0.5, -1.0, 1.25};
      apply(Op::kPower, {taken(above(1.0, squashed(x))), number(kExponents[below(5)])});
    }
  }
  // x where a condition holds, that does on all elements or on none, else another value.
  void add_condition() {
    constexpr Op kComparisons[] = {Op::kGreater, Op::kGreaterOrEqual, Op::kLess, Op::kLessOrEqual,
                                   Op::kEqual};
    constexpr Op kLogic[] = {Op::kAnd, Op::kOr, Op::kXor};
    const NetworkValue x = any_value();
    const NetworkValue more = apply(Op::kAdd, {taken(squashed(x)), number(2.0)});
    NetworkValue condition = apply(kComparisons[below(5)], {taken(more), number(0.5)});
    const NetworkValue other = apply(kComparisons[below(5)], {number(5.0), taken(more)});
    if (below(2) == 0) condition = of(Op::kNot, condition);
    condition = apply(kLogic[below(3)], {taken(condition), taken(other)});
    apply(Op::kWhere, {taken(condition), taken(x), partner(x)});
  }
  // x, or half of it where it is negative; and a remainder.
  void add_choice() {
    const NetworkValue x = any_value();
    const NetworkValue negative = apply(Op::kLess, {taken(x), number(0.0)});
    const NetworkValue half = apply(Op::kMultiply, {taken(x), number(0.5)});
    const NetworkValue chosen = apply(Op::kWhere, {taken(negative), taken(half), taken(x)});
    if (below(2) == 0) return;
    const NetworkValue between = apply(Op::kAdd, {taken(squashed(chosen, 0.2)), number(3.5)});
    apply(Op::kRemainder, {taken(between), number(1.0)});
  }
  void add_select() {
    OperationLayer layer{"", Op::kSelect, {taken(any_value())}, {}};
    const auto from = static_cast<int>(width(layer.operands[0].value));
    const int count = 1 + below(from);
    const int first = below(from - count + 1);
    for (int i = 0; i < count; ++i) layer.columns.push_back(first + i);
    if (below(2) == 0) std::shuffle(layer.columns.begin(), layer.columns.end(), random_);
    add(layer, count);
  }
  void add_concat() {
    OperationLayer layer{"", Op::kConcat, {taken(any_value())}, {}};
    std::int64_t columns = width(layer.operands[0].value);
    for (int i = below(3); i > 0; --i) {
      layer.operands.push_back(taken(any_value()));
      columns += width(layer.operands.back().value);
    }
    if (below(4) == 0) {
      layer.operands.push_back({kPreviousValue, row(2)});
      columns += 2;
    }
    add(layer, columns);
  }
  void add_rows() {
    constexpr Op kRows[] = {Op::kSum, Op::kMean, Op::kLargest, Op::kSmallest, Op::kProduct};
    const int which = below(5);
    const NetworkValue from = any_value();
    OperationLayer layer{"", kRows[which], {taken(from)}, {}};
    if (layer.operation == Op::kProduct) layer.operands = {taken(above(0.5, squashed(from, 0.5)))};
    const std::int64_t columns = width(from);
    std::int64_t groups = 1 + below(3);
    if (columns % groups != 0) groups = 1;
    layer.columns = {groups};
    add(layer, groups);
  }
  void add_layer() {
    switch (below(9)) {
      case 0:
      case 1:
        return add_affine();
      case 2:
        return add_activation();
      case 3:
        return add_unary();
      case 4:
        return add_binary();
      case 5:
        return below(2) == 0 ? add_choice() : add_condition();
      case 6:
        return add_select();
      case 7:
        return add_concat();
      default:
        return add_rows();
    }
  }

  unsigned seed_;
  std::mt19937 random_;
  NetworkModel model_;
  std::vector<std::int64_t> widths_;
};

}  // namespace tilewright
