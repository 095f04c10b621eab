// Random networks for tests, and batches that are compared with the forward pass on the host.
#pragma once

#include "runtime/network/network.hpp"

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "blas_case.hpp"
#include "runtime/network/model/host_network.hpp"

namespace tilewright {

inline AffineLayer affine(std::int64_t inputs, std::int64_t outputs, bool bias, unsigned seed) {
  std::mt19937 random(seed);
  // Scaled so that values neither vanish nor grow from layer to layer.
  const float scale = std::sqrt(3.0f / static_cast<float>(inputs));
  std::uniform_real_distribution<float> weight(-scale, scale);
  AffineLayer layer{"", inputs, outputs, {}, {}};
  for (std::int64_t i = 0; i < inputs * outputs; ++i) layer.weights.push_back(weight(random));
  for (std::int64_t j = 0; bias && j < outputs; ++j) layer.bias.push_back(weight(random) + 0.25f);
  return layer;
}

inline ActivationLayer make_layer(Activation activation, float slope = 0.125f) {
  return {"", activation, slope};
}

// Returns a network of `depth` affine layers, each with or without a bias and followed by up to two
// activations of any kind; sometimes an activation comes first.
inline NetworkModel random_network(int depth, int max_width, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int end) {
    return std::uniform_int_distribution<int>(0, end - 1)(random);
  };
  const auto activation = [&] {
    return make_layer(static_cast<Activation>(below(static_cast<int>(kNumActivations))));
  };
  NetworkModel model;
  if (below(4) == 0) model.layers.push_back(activation());
  std::int64_t width = 1 + below(max_width);
  for (int i = 0; i < depth; ++i) {
    const std::int64_t outputs = 1 + below(max_width);
    model.layers.push_back(affine(width, outputs, below(4) != 0, seed + static_cast<unsigned>(i)));
    const int activations = below(5) == 0 ? 0 : below(5) == 0 ? 2 : 1;
    for (int j = 0; j < activations; ++j) model.layers.push_back(activation());
    width = outputs;
  }
  return model;
}

// A residual connection and a layer normalisation, so that there are values between steps, too.
inline NetworkModel normalised_layers() {
  const auto taken = [](NetworkValue value) { return NetworkOperand{value, {}}; };
  const auto of = [](NetworkOperation operation, const std::vector<NetworkOperand>& operands,
                     const std::vector<std::int64_t>& columns = {}) {
    return OperationLayer{"", operation, operands, columns};
  };
  AffineLayer last = affine(50, 10, true, 3);
  return {{affine(30, 50, true, 1), make_layer(Activation::kTanh),
           of(NetworkOperation::kMean, {taken(2)}, {1}),
           of(NetworkOperation::kSubtract, {taken(2), taken(3)}),
           of(NetworkOperation::kMultiply, {taken(4), taken(4)}),
           of(NetworkOperation::kMean, {taken(5)}, {1}), of(NetworkOperation::kSqrt, {taken(6)}),
           of(NetworkOperation::kDivide, {taken(4), taken(7)}), affine(50, 50, true, 2),
           of(NetworkOperation::kAdd, {taken(8), taken(9)}), last}};
}

// A batch for a network, and a matrix for its results, with offsets and gaps that contain NaN.
struct NetworkCase {
  std::size_t batch;
  StoredMatrix input;
  StoredMatrix output;  // initial contents: all NaN

  NetworkCase(const Network& net, std::size_t rows, std::size_t offset, std::size_t gap,
              unsigned seed)
      : batch(rows) {
    std::mt19937 random(seed);
    input = stored_matrix(batch, net.inputs(), offset, gap, random);
    output = stored_matrix(batch, net.outputs(), offset, gap, random);
    std::fill(output.data.begin(), output.data.end(), std::nanf(""));
  }

  // Returns the expected results of every `step`-th row.
  std::vector<double> expected(const NetworkModel& model, std::size_t step = 1) const {
    std::vector<float> dense;
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < batch; i += step, ++rows) {
      const float* row = input.data.data() + input.offset + i * input.ld;
      dense.insert(dense.end(), row, row + input.length);
    }
    return host_forward(model, dense, rows);
  }

  // Checks `got`, the complete contents of the output's buffer. Returns what is wrong, or "". Every
  // `step`-th row is checked; errors are relative to the largest element of these rows.
  std::string wrong(const NetworkModel& model, const std::vector<float>& got,
                    std::size_t step = 1) const {
    return wrong_against(expected(model, step), max_relative_error(model), got, step);
  }
  std::string wrong_against(const std::vector<double>& right, double share,
                            const std::vector<float>& got, std::size_t step = 1) const {
    double largest = 0.0;
    for (const double value : right) largest = std::max(largest, std::abs(value));
    const double bound = share * std::max(largest, 1e-3);
    std::vector<float> rest = got;
    for (std::size_t i = 0; i < batch; ++i) {
      for (std::size_t j = 0; j < output.length; ++j) {
        const std::size_t place = output.offset + i * output.ld + j;
        rest[place] = output.data[place];
        if (i % step != 0) continue;
        const double value = right[i / step * output.length + j];
        if (!(std::abs(static_cast<double>(got[place]) - value) <= bound)) {
          return "output(" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                 std::to_string(got[place]) + " instead of " + std::to_string(value);
        }
      }
    }
    const bool untouched =
        std::memcmp(rest.data(), output.data.data(), rest.size() * sizeof(float)) == 0;
    return untouched ? "" : "something outside of the output was written";
  }
};

// Runs a batch and returns what is wrong with the result; "" if it is correct.
inline std::string wrong_forward(const TestDevice& d, const Network& net, const NetworkModel& model,
                                 const NetworkCase& test) {
  const Matrix output = upload(d, test.output);
  const cl::Event done = net.forward(d.queue, upload(d, test.input), output, test.batch);
  return test.wrong(model, download(d, output, {done}));
}

// A workspace with an offset, filled with bytes that are NaN in single and half precision. A kernel
// that reads an element that was not written gives a wrong result.
inline Workspace dirty_workspace(const TestDevice& d, std::size_t bytes) {
  if (bytes == 0) return {};
  constexpr std::size_t kOffset = 3 * kMemoryMultiple;
  std::vector<unsigned char> nans(kOffset + bytes, 0xff);
  return {cl::Buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, nans.size(), nans.data()),
          kOffset};
}

// Returns the complete contents of the output's buffer after a forward pass with such a workspace.
inline std::vector<float> dirty_forward(const TestDevice& d, const Network& net,
                                        const NetworkCase& test) {
  const Matrix input = upload(d, test.input);
  const Matrix output = upload(d, test.output);
  NetworkForward with;
  with.workspace = dirty_workspace(d, net.workspace_bytes(test.batch, input, output));
  const cl::Event done = net.forward(d.queue, input, output, test.batch, {}, with);
  return download(d, output, {done});
}

}  // namespace tilewright
