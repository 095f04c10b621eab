// A small ONNX model that tests fill with nodes.
#pragma once

#include <variant>

#include "catch.hpp"
#include "onnx/onnx_sample.hpp"

namespace tilewright {

// "x" (batch x `columns`), what `nodes` make of it and of the weights "w" (2 x 2), to "y".
template <class Nodes>
OnnxSample net(std::int64_t columns, const Nodes& nodes) {
  OnnxSample sample;
  sample.input("x", {0, columns});
  sample.raw("w", {2, 2}, {1, 2, 3, 4});
  nodes(sample);
  sample.output("y", {0, 2});
  return sample;
}

// The same with two columns and more constants.
template <class Nodes>
OnnxSample net(const Nodes& nodes) {
  OnnxSample sample;
  sample.input("x", {0, 2});
  sample.raw("w", {2, 2}, {1, 2, 3, 4});
  sample.raw("b", {2}, {5, 6});
  sample.raw("half", {}, {0.5f});
  sample.raw("two", {1}, {2});
  sample.raw("v", {2}, {10, 100});
  sample.raw("u", {1, 2}, {1, -1});
  nodes(sample);
  sample.output("y", {0, 2});
  return sample;
}

// Returns the only layer of a model.
inline const AffineLayer& only_affine(const NetworkModel& model) {
  REQUIRE(model.layers.size() == 1);
  return std::get<AffineLayer>(model.layers.front());
}

}  // namespace tilewright
