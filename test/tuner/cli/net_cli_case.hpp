// Networks and matrices in files, for tests of `tilewright net` on a device.
#pragma once

#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/models/network_files.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "run_program.hpp"

namespace tilewright {

// The path of a file in the test's scratch folder.
inline std::string file(const std::string& name) {
  return scratch_folder() + "/" + name;
}

inline AffineLayer affine(std::int64_t inputs, std::int64_t outputs, bool bias) {
  AffineLayer layer{"", inputs, outputs, {}, {}};
  for (std::int64_t i = 0; i < inputs * outputs; ++i) {
    layer.weights.push_back(0.2f * std::sin(static_cast<float>(3 * i + outputs)));
  }
  for (std::int64_t i = 0; bias && i < outputs; ++i) layer.bias.push_back(0.1f);
  return layer;
}

// A network with every kind of layer, with an activation before the first product and two after one
// product.
inline NetworkModel all_layers() {
  const auto apply = [](Activation activation) { return ActivationLayer{"", activation, 0.2f}; };
  return {{apply(Activation::kTanh), affine(7, 5, true), apply(Activation::kRelu),
           affine(5, 6, false), apply(Activation::kSigmoid), affine(6, 9, true),
           apply(Activation::kLeakyRelu), apply(Activation::kTanh), affine(9, 4, false),
           apply(Activation::kIdentity), affine(4, 3, true), apply(Activation::kSoftmax)}};
}

inline FloatMatrix samples(std::int64_t rows, std::int64_t columns) {
  FloatMatrix x{rows, columns, {}};
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    x.values.push_back(std::sin(static_cast<float>(i)));
  }
  return x;
}

inline double largest_difference(const std::vector<float>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - b[i]);
    largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
  }
  return largest;
}

}  // namespace tilewright
