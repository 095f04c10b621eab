// Random networks that use all kinds of layers, several inputs and outputs, and values that are
// used any number of times. A forward pass on a device is compared with the interpreter in double
// precision.
#include <tilewright/mlp.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "catch.hpp"
#include "mlp_case.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/net/model_rules.hpp"

namespace tilewright {
namespace {

// Operations whose results change little when their operands change little.
constexpr MlpOperation kUnary[] = {MlpOperation::kNegate, MlpOperation::kAbs, MlpOperation::kSin,
                                   MlpOperation::kCos,    MlpOperation::kErf, MlpOperation::kAtan};
constexpr MlpOperation kBinary[] = {MlpOperation::kAdd, MlpOperation::kSubtract,
                                    MlpOperation::kMultiply, MlpOperation::kMinimum,
                                    MlpOperation::kMaximum};
constexpr MlpOperation kRows[] = {MlpOperation::kSum, MlpOperation::kMean, MlpOperation::kLargest,
                                  MlpOperation::kSmallest};

class GraphMaker {
 public:
  explicit GraphMaker(unsigned seed) : seed_(seed), random_(seed) {}

  MlpModel make() {
    const int inputs = 1 + below(3);
    for (int i = 0; i < inputs; ++i) {
      widths_.push_back(1 + below(40));
      model_.inputs.push_back({"x" + std::to_string(i), widths_.back()});
    }
    add_affine();
    const int layers = 2 + below(14);
    for (int i = 0; i < layers; ++i) add_layer();
    const int outputs = 1 + below(3);
    for (int i = 0; i < outputs; ++i) model_.outputs.push_back({"", any_value()});
    return model_;
  }

 private:
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  template <std::size_t kCount>
  MlpOperation one_of(const MlpOperation (&operations)[kCount]) {
    return operations[below(static_cast<int>(kCount))];
  }
  MlpValue any_value() {
    const int count = static_cast<int>(widths_.size());
    // Choose one of the last three values two times out of three.
    return below(3) == 0 ? below(count) : count - 1 - below(std::min(count, 3));
  }
  std::int64_t width(MlpValue value) const { return widths_[static_cast<std::size_t>(value)]; }
  void add(MlpLayer layer, std::int64_t columns) {
    model_.layers.push_back(std::move(layer));
    widths_.push_back(columns);
  }
  std::vector<float> row(std::int64_t count) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) {
      values.push_back(std::uniform_real_distribution<float>(-1.0f, 1.0f)(random_));
    }
    return values;
  }

  void add_affine() {
    const MlpValue from = any_value();
    const std::int64_t outputs = 1 + below(60);
    AffineLayer layer = affine(width(from), outputs, below(4) != 0, seed_ + model_.layers.size());
    layer.input = from;
    add(layer, outputs);
  }
  void add_binary() {
    OperationLayer layer{"", one_of(kBinary), {{any_value(), {}}}, {}};
    const std::int64_t columns = width(layer.operands[0].value);
    MlpOperand other;
    const MlpValue value = any_value();
    const int kind = below(4);
    if (kind == 0) {
      other.constant = row(columns);
    } else if (kind == 1 || (width(value) != columns && width(value) != 1)) {
      other.constant = row(1);
    } else {
      other.value = value;
    }
    layer.operands.insert(layer.operands.begin() + below(2), other);
    add(layer, columns);
  }
  // x, or x / 2 where x is negative.
  void add_choice() {
    const MlpValue x = any_value();
    const std::int64_t columns = width(x);
    const auto value = [&] { return static_cast<MlpValue>(widths_.size()) - 1; };
    add(OperationLayer{"", MlpOperation::kLess, {{x, {}}, {kPreviousValue, {0.0f}}}, {}}, columns);
    const MlpValue negative = value();
    add(OperationLayer{"", MlpOperation::kMultiply, {{x, {}}, {kPreviousValue, {0.5f}}}, {}},
        columns);
    add(OperationLayer{"", MlpOperation::kWhere, {{negative, {}}, {value(), {}}, {x, {}}}, {}},
        columns);
  }
  void add_select() {
    OperationLayer layer{"", MlpOperation::kSelect, {{any_value(), {}}}, {}};
    const auto from = static_cast<int>(width(layer.operands[0].value));
    const int count = 1 + below(from);
    const int first = below(from - count + 1);
    for (int i = 0; i < count; ++i) layer.columns.push_back(first + i);
    if (below(2) == 0) std::shuffle(layer.columns.begin(), layer.columns.end(), random_);
    add(layer, count);
  }
  void add_concat() {
    OperationLayer layer{"", MlpOperation::kConcat, {{any_value(), {}}}, {}};
    std::int64_t columns = width(layer.operands[0].value);
    for (int i = below(3); i > 0; --i) {
      layer.operands.push_back({any_value(), {}});
      columns += width(layer.operands.back().value);
    }
    if (below(4) == 0) {
      layer.operands.push_back({kPreviousValue, row(2)});
      columns += 2;
    }
    add(layer, columns);
  }
  void add_rows() {
    OperationLayer layer{"", one_of(kRows), {{any_value(), {}}}, {}};
    const std::int64_t columns = width(layer.operands[0].value);
    std::int64_t groups = 1 + below(3);
    if (columns % groups != 0) groups = 1;
    layer.columns = {groups};
    add(layer, groups);
  }
  void add_layer() {
    switch (below(8)) {
      case 0:
      case 1:
        return add_affine();
      case 2: {
        const MlpValue from = any_value();
        ActivationLayer layer =
            make_layer(static_cast<MlpActivation>(below(static_cast<int>(kNumActivations))));
        layer.input = from;
        return add(layer, width(from));
      }
      case 3: {
        const MlpValue from = any_value();
        return add(OperationLayer{"", one_of(kUnary), {{from, {}}}, {}}, width(from));
      }
      case 4:
        return below(3) == 0 ? add_choice() : add_binary();
      case 5:
        return add_select();
      case 6:
        return add_concat();
      default:
        return add_rows();
    }
  }

  unsigned seed_;
  std::mt19937 random_;
  MlpModel model_;
  std::vector<std::int64_t> widths_;
};

// Describes the first wrong output of a forward pass; empty if all are correct.
std::string wrong_outputs(const TestDevice& d, const Library& library, const MlpModel& model,
                          std::size_t rows, unsigned seed) {
  const Mlp net(library, model);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> element(-1.0, 1.0);
  std::vector<std::vector<double>> host;
  std::vector<Matrix> inputs;
  for (const MlpPort& port : net.input_ports()) {
    host.emplace_back();
    for (std::size_t i = 0; i < rows * port.columns; ++i) {
      host.back().push_back(static_cast<double>(static_cast<float>(element(random))));
    }
    inputs.push_back({upload(d.context, Precision::kSingle, host.back()), 0, port.columns});
  }
  std::vector<Matrix> outputs;
  for (const MlpPort& port : net.output_ports()) {
    const std::vector<double> nan(rows * port.columns, std::nan(""));
    outputs.push_back({upload(d.context, Precision::kSingle, nan), 0, port.columns});
  }
  MlpForward with;
  with.workspace = dirty_workspace(d, net.workspace_bytes(rows));
  const cl::Event done = net.forward_all(d.queue, inputs, outputs, rows, {}, with);
  const auto right = host_forward_all(model, host, static_cast<std::int64_t>(rows));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::vector<float> got(right[i].size());
    if (read_as(d.queue, outputs[i].buffer, Precision::kSingle, got, {done}) != CL_SUCCESS) {
      return "an output cannot be read";
    }
    double largest = 1e-3;
    for (const double value : right[i]) largest = std::max(largest, std::abs(value));
    for (std::size_t j = 0; j < got.size(); ++j) {
      const double off = std::abs(static_cast<double>(got[j]) - right[i][j]);
      if (!(off <= 1e-4 * largest)) {
        return "output " + std::to_string(i) + ": element " + std::to_string(j) + " is " +
               std::to_string(got[j]) + " instead of " + std::to_string(right[i][j]);
      }
    }
  }
  return "";
}

TEST_CASE("random graphs of all operations have the results of the interpreter") {
  const TestDevice d;
  const Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const MlpModel model = GraphMaker(seed).make();
    CAPTURE(seed);
    REQUIRE_FALSE(find_fault(model));
    CHECK(wrong_outputs(d, library, model, 1 + seed % 7, seed) == "");
  }
}

TEST_CASE("a network with several inputs and outputs needs a matrix for each") {
  const TestDevice d;
  const Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  MlpModel model;
  model.inputs = {{"state", 3}, {"action", 2}};
  model.layers = {OperationLayer{"", MlpOperation::kConcat, {{0, {}}, {1, {}}}, {}},
                  affine(5, 4, true, 1)};
  model.outputs = {{"value", 3}, {"both", 2}, {"again", 0}};
  const Mlp net(library, model);
  REQUIRE(net.input_ports().size() == 2);
  CHECK(net.input_ports()[1].name == "action");
  CHECK(net.input_ports()[1].columns == 2);
  REQUIRE(net.output_ports().size() == 3);
  CHECK(net.output_ports()[0].columns == 4);
  CHECK(net.output_ports()[2].columns == 3);
  CHECK(wrong_outputs(d, library, model, 5, 1) == "");
  const cl::Buffer any(d.context, CL_MEM_READ_WRITE, 1024);
  CHECK_THROWS_AS(net.forward(d.queue, {any, 0, 3}, {any, 0, 4}, 5), Error);
  CHECK_THROWS_AS(net.forward_all(d.queue, {{any, 0, 3}}, {{any, 0, 4}}, 5), Error);
}

}  // namespace
}  // namespace tilewright
