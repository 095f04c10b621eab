// Applies alpha, beta, bias and activation to a product in double precision.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernel_case.hpp"

namespace tilewright {

struct Epilogued {
  float alpha = 1.0f;
  float beta = 0.0f;
  ActivationArguments arguments = {0.125f, 0.75f};  // as slope, slope and shift, low and high
  Dimension bias = Dimension::kNone;
  Activation activation = Activation::kIdentity;
  std::vector<float> biases;  // after offset_bias NaNs
  std::size_t offset_bias = 0;

  Epilogued(Dimension d, Activation a, std::int64_t m, std::int64_t n, std::mt19937& random)
      : bias(d), activation(a) {
    constexpr float kScalars[] = {1.0f, 0.0f, -0.75f, 2.5f};
    alpha = kScalars[random() % 4];
    beta = kScalars[random() % 4];
    offset_bias = random() % 5;
    const std::int64_t extent = bias == Dimension::kM ? m : n;
    biases.assign(std::max<std::size_t>(1, offset_bias + static_cast<std::size_t>(extent)), kNaN);
    for (std::size_t i = offset_bias; i < biases.size(); ++i) {
      biases[i] = static_cast<float>(random() % 1000) / 500.0f - 1.0f;
    }
  }

  // The expected value for a sum of `terms` products of magnitude `magnitude`, and its maximum
  // error in single precision, which includes the slope and the errors of the activation.
  struct Result {
    double value = 0.0;
    double bound = 0.0;
  };
  Result result(double sum, double magnitude, std::int64_t terms, float c, std::int64_t i,
                std::int64_t j) const {
    const float b =
        bias == Dimension::kNone
            ? 0.0f
            : biases[offset_bias + static_cast<std::size_t>(bias == Dimension::kM ? i : j)];
    double x = alpha * sum + b;
    double size = std::abs(alpha) * magnitude + std::abs(b);
    if (beta != 0.0f) {
      x += static_cast<double>(beta) * c;
      size += std::abs(static_cast<double>(beta) * c);
    }
    const ActivationDescription& applied = describe_activation(activation);
    const double value = activated(activation, x, arguments);
    const double own = std::ldexp(applied.own_ulps * (1.0 + std::abs(value)), -24);
    return {value, applied.max_slope * static_cast<double>(terms + 8) * std::ldexp(size, -24) +
                       own + 1e-37};
  }

  // True if `got` is C's buffer with the results of `result_at(i, j)` and no other changes.
  template <class ResultAt>
  std::string wrong(HostMatrix c, const std::vector<float>& got, ResultAt&& result_at) const {
    std::vector<float> rest = got;
    for (std::int64_t i = 0; i < c.rows; ++i) {
      for (std::int64_t j = 0; j < c.columns; ++j) {
        const auto place = static_cast<std::size_t>(&c.at(i, j) - c.data.data());
        const Result wanted = result_at(i, j, c.data[place]);
        if (!(std::abs(got[place] - wanted.value) <= wanted.bound)) {
          return "C(" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                 std::to_string(got[place]) + " instead of " + std::to_string(wanted.value);
        }
        rest[place] = c.data[place];
      }
    }
    return same_bits(rest, c.data) ? "" : "something outside of C was written";
  }
};

// Calls `call` with the arguments of the activation.
template <class Call>
auto with_activation_arguments(const Epilogued& e, const Call& call) {
  switch (describe_activation(e.activation).parameters.size()) {
    case 0:
      return call();
    case 1:
      return call(e.arguments[0]);
    default:
      return call(e.arguments[0], e.arguments[1]);
  }
}

// Launches a kernel with the given arguments and those of bias and activation.
template <class... Arguments>
void launch_with_epilogue(const TestDevice& d, const KernelRecord& record, const Epilogued& e,
                          std::int64_t m, std::int64_t n, const Arguments&... arguments) {
  const cl::Kernel kernel = build(d, record.source, record.entry);
  const cl::Buffer bias = upload(d, e.biases);
  const auto offset = static_cast<cl_ulong>(e.offset_bias);
  const cl_ulong stride = 0;  // a single product
  const auto launch_it = [&](const auto&... all) {
    if (record.batched) {
      launch(d, kernel, record, m, n, all..., stride, stride, stride);
    } else {
      launch(d, kernel, record, m, n, all...);
    }
  };
  with_activation_arguments(e, [&](const auto&... more) {
    if (e.bias == Dimension::kNone) {
      launch_it(arguments..., more...);
    } else {
      launch_it(arguments..., bias, offset, more...);
    }
  });
}

}  // namespace tilewright
