// The part of a network that the host computes in double precision.
#include "runtime/network/model/divided_model.hpp"

#include "catch.hpp"
#include "runtime/network/model/host_network.hpp"
#include "runtime/network/model/model_rules.hpp"

namespace tilewright {
namespace {

OperationLayer operation(NetworkOperation what, NetworkValue value, std::vector<double> constant) {
  return {"", what, {{value, {}}, {kPreviousValue, std::move(constant)}}, {}};
}

AffineLayer make_sum(NetworkValue value, std::int64_t inputs) {
  AffineLayer layer{"", inputs, 1, std::vector<float>(static_cast<std::size_t>(inputs), 1.0f), {}};
  layer.input = value;
  return layer;
}

TEST_CASE("a standardisation before the first affine layer is the host's part") {
  NetworkModel model;
  model.layers = {operation(NetworkOperation::kSubtract, kPreviousValue, {1.7e9}),
                  operation(NetworkOperation::kDivide, kPreviousValue, {1e5}),
                  make_sum(kPreviousValue, 2)};
  const DividedModel parts = divided_model(model);
  CHECK_FALSE(find_fault(parts.device));
  // The division does not add: the device can do it.
  REQUIRE(parts.host.layers.size() == 1);
  CHECK(parts.device.layers.size() == 2);
  const auto y = host_forward_all(parts.host, {{1.7e9 + 1.0, 1.7e9 - 0.5}}, 1);
  CHECK(y == std::vector<std::vector<double>>{{1.0, -0.5}});
  CHECK(host_forward_all(parts.device, y, 1)[0][0] == 0.5 / 1e5);
}

TEST_CASE("a network that adds nothing before its first affine layers is not divided") {
  NetworkModel model;
  model.layers = {operation(NetworkOperation::kMultiply, kPreviousValue, {0.5}),
                  make_sum(kPreviousValue, 2),
                  operation(NetworkOperation::kAdd, kPreviousValue, {1.0})};
  CHECK(divided_model(model).host.layers.empty());
}

TEST_CASE("values that the device takes from the host's part are its inputs") {
  NetworkModel model;
  model.inputs = {{"time", 3}, {"rest", 2}};
  // Value 2 is a column of the time, 3 the same less its mean; the device also takes the whole
  // time and the rest.
  model.layers = {OperationLayer{"", NetworkOperation::kSelect, {{0, {}}}, {1}},
                  operation(NetworkOperation::kSubtract, 2, {100.0}),
                  OperationLayer{"", NetworkOperation::kConcat, {{3, {}}, {1, {}}, {0, {}}}, {}},
                  make_sum(4, 6), make_sum(0, 3)};
  model.outputs = {{"sum", 5}, {"less", 3}, {"times", 6}};
  const DividedModel parts = divided_model(model);
  CHECK(parts.host.layers.size() == 2);
  CHECK_FALSE(find_fault(parts.device));
  REQUIRE(parts.device.inputs.size() == 3);
  CHECK(parts.device.inputs[0].name == "time");
  CHECK(parts.device.inputs[1].name == "rest");
  CHECK(parts.device.inputs[2].columns == 1);
  CHECK(parts.device.outputs[1].name == "less");
  const std::vector<std::vector<double>> x = {{1, 101, 3}, {4, 5}};
  CHECK(host_forward_all(parts.device, host_forward_all(parts.host, x, 1), 1) ==
        host_forward_all(model, x, 1));
}

}  // namespace
}  // namespace tilewright
