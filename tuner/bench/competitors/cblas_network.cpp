#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "runtime/network/steps/layer_steps.hpp"
#include "tuner/bench/competitors/competitors.hpp"
#include "tuner/bench/competitors/openblas.hpp"

namespace tilewright {
namespace {

// y = f(y + bias) in each row, simple enough for compilers to vectorise.
template <typename Function>
void finish_rows(std::span<float> y, const std::vector<float>& bias, Function f) {
  const std::size_t columns = bias.size();
  for (float* row = y.data(); row != y.data() + y.size(); row += columns) {
    for (std::size_t j = 0; j < columns; ++j) row[j] = f(row[j] + bias[j]);
  }
}

void finish(std::span<float> y, const std::vector<float>& bias, Activation activation,
            const ActivationArguments& arguments) {
  switch (activation) {
    case Activation::kIdentity:
      return finish_rows(y, bias, [](float x) { return x; });
    case Activation::kRelu:
      return finish_rows(y, bias, [](float x) { return x > 0.0f ? x : 0.0f; });
    case Activation::kLeakyRelu:
      return finish_rows(y, bias,
                         [slope = arguments[0]](float x) { return x < 0.0f ? slope * x : x; });
    case Activation::kSigmoid:
      return finish_rows(y, bias, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
    case Activation::kTanh:
      return finish_rows(y, bias, [](float x) { return std::tanh(x); });
    default:  // the specification; it computes in double precision, so its speed is not comparable
      return finish_rows(y, bias, [&](float x) {
        return static_cast<float>(activated(activation, static_cast<double>(x), arguments));
      });
  }
}

void softmax_rows(std::span<float> y, std::size_t columns, bool logarithm) {
  for (float* row = y.data(); row != y.data() + y.size(); row += columns) {
    const float largest = *std::max_element(row, row + columns);
    float sum = 0.0f;
    for (std::size_t j = 0; j < columns; ++j) sum += row[j] = std::exp(row[j] - largest);
    if (logarithm) {
      for (std::size_t j = 0; j < columns; ++j) row[j] = std::log(row[j] / sum);
      continue;
    }
    const float share = 1.0f / sum;
    for (std::size_t j = 0; j < columns; ++j) row[j] *= share;
  }
}

// A step with its weights.
struct HostStep {
  LayerStep step;
  const AffineLayer* affine = nullptr;  // product; null for other steps
  std::vector<float> bias;              // zeros if the layer has none
};

// Returns all affine layers in order.
std::vector<const AffineLayer*> affine_layers(const NetworkModel& model) {
  std::vector<const AffineLayer*> layers;
  for (const NetworkLayer& layer : model.layers) {
    if (const auto* affine = std::get_if<AffineLayer>(&layer)) layers.push_back(affine);
  }
  return layers;
}

class CblasNetwork : public NetworkCompetitor {
 public:
  explicit CblasNetwork(const NetworkArena& arena) : arena_(arena) {
    const std::vector<const AffineLayer*> layers = affine_layers(arena.model);
    std::size_t widest = 0;
    for (const LayerStep& step : layer_steps(arena.model)) {
      HostStep host{step, nullptr, {}};
      const auto outputs = static_cast<std::size_t>(step.outputs);
      if (step.kind == LayerStep::Kind::kProduct) host.affine = layers[step.product];
      if (step.epilogue.bias) host.bias = host.affine->bias;
      host.bias.resize(outputs, 0.0f);
      steps_.push_back(std::move(host));
      widest = std::max(widest, outputs);
    }
    for (std::vector<float>& buffer : buffers_) {
      buffer.assign(arena.batch * widest, std::numeric_limits<float>::quiet_NaN());
    }
  }

  std::string details() const override { return openblas_details(); }

  void run() override {
    const float* from = arena_.input.data();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      std::vector<float>& to = buffers_[i % 2];
      run_step(steps_[i], from, to);
      from = to.data();
    }
  }

  std::vector<float> output() const override {
    const std::vector<float>& last = buffers_[(steps_.size() - 1) % 2];
    const std::size_t elements =
        arena_.batch * static_cast<std::size_t>(steps_.back().step.outputs);
    return {last.begin(), last.begin() + static_cast<std::ptrdiff_t>(elements)};
  }

 private:
  void run_step(const HostStep& host, const float* from, std::vector<float>& to) const {
    const LayerStep& step = host.step;
    const auto columns = static_cast<std::size_t>(step.outputs);
    const std::span<float> y(to.data(), arena_.batch * columns);
    if (host.affine != nullptr) {
      multiply(*host.affine, from, y.data());
      if (step.epilogue.bias || step.epilogue.activation != Activation::kIdentity) {
        finish(y, host.bias, step.epilogue.activation, step.arguments);
      }
      return;
    }
    std::copy_n(from, y.size(), y.begin());
    if (step.kind == LayerStep::Kind::kSoftmax) {
      return softmax_rows(y, columns, step.epilogue.activation == Activation::kLogSoftmax);
    }
    finish(y, host.bias, step.epilogue.activation, step.arguments);
  }

  // A batch of one is a matrix-vector product; tilewright may also use one.
  void multiply(const AffineLayer& layer, const float* x, float* y) const {
    const auto m = static_cast<int>(arena_.batch);
    const auto n = static_cast<int>(layer.outputs);
    const auto k = static_cast<int>(layer.inputs);
    const float* w = layer.weights.data();
    const OpenBlas& blas = openblas();
    if (m == 1) {
      blas.sgemv(OpenBlas::kRowMajor, OpenBlas::kTranspose, k, n, 1.0f, w, n, x, 1, 0.0f, y, 1);
    } else {
      blas.sgemm(OpenBlas::kRowMajor, OpenBlas::kNoTranspose, OpenBlas::kNoTranspose, m, n, k, 1.0f,
                 x, k, w, n, 0.0f, y, n);
    }
  }

  NetworkArena arena_;
  std::vector<HostStep> steps_;
  std::vector<float> buffers_[2];
};

}  // namespace

std::unique_ptr<NetworkCompetitor> cblas_network(const NetworkArena& arena) {
  const bool is_chain = std::none_of(
      arena.model.layers.begin(), arena.model.layers.end(),
      [](const NetworkLayer& layer) { return std::holds_alternative<OperationLayer>(layer); });
  if (!openblas().missing.empty() || !is_chain) return nullptr;
  return std::make_unique<CblasNetwork>(arena);
}

}  // namespace tilewright
