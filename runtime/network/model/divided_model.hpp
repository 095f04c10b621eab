// Divides a network into a part for the host, in double precision, and a part for the device.
#pragma once

#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// The network is device(host(inputs)).
struct DividedModel {
  NetworkModel host;  // without layers: nothing is divided, and `device` is empty, too
  NetworkModel device;
};

// The host's part are the operations that add or subtract before the first affine layers, and what
// these depend on, such as the standardisation of inputs, (x - mean) / deviation. In single
// precision the digits of x below those of a float are lost before large terms cancel.
// host_network.hpp computes the host's part: its outputs are the device's inputs, in their order.
// `model` must be without fault (model_rules.hpp).
DividedModel divided_model(const NetworkModel& model);

}  // namespace tilewright
