#include "runtime/network/network_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "runtime/call/error.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/call/storage.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/network/model/host_network.hpp"
#include "runtime/network/model/model_rules.hpp"

namespace tilewright {
namespace {

cl::Buffer copied(const cl::Context& context, const std::vector<float>& host, Precision precision) {
  if (precision != Precision::kHalf)
    return allocate_buffer(context, CL_MEM_READ_ONLY, host, "weights");
  const std::vector<cl_half> half_values = to_half(host);
  return allocate_buffer(context, CL_MEM_READ_ONLY, std::as_bytes(std::span(half_values)),
                         "weights");
}

void check_range(const AffineLayer& layer, const std::string& place) {
  const std::vector<float> half_values = round_to_precision(layer.weights, Precision::kHalf);
  for (std::size_t i = 0; i < half_values.size(); ++i) {
    const float weight = layer.weights[i];
    if (!std::isfinite(weight) || std::isfinite(half_values[i])) continue;
    throw Error(
        TW_INVALID_NETWORK,
        fmt::format("{} has the weight {}, but half precision ends at 65504", place, weight));
  }
}

// The row-major weights, padded with zeros to whole vectors in both dimensions.
PackedWeights as_given(const cl::Context& context, const AffineLayer& layer, Precision precision) {
  const auto rows = static_cast<std::size_t>(layer.inputs);
  const auto columns = static_cast<std::size_t>(layer.outputs);
  const std::size_t lines = whole_vectors(rows);
  const std::size_t ld = whole_vectors(columns);
  PackedWeights weights{{Layout::R(), false, static_cast<std::int64_t>(lines),
                         static_cast<std::int64_t>(ld), ld, lines * ld, precision},
                        {},
                        {}};
  if (lines > kMaxElements / ld) {
    throw Error(TW_OUT_OF_MEMORY,
                fmt::format("weights of {} x {}, padded to {} x {}, exceed the address space", rows,
                            columns, lines, ld));
  }
  if (ld == columns && lines == rows) {
    weights.memory = copied(context, layer.weights, precision);
    return weights;
  }
  std::vector<float> padded(lines * ld, 0.0f);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = layer.weights.begin() + static_cast<std::ptrdiff_t>(i * columns);
    std::copy_n(row, columns, padded.begin() + static_cast<std::ptrdiff_t>(i * ld));
  }
  weights.memory = copied(context, padded, precision);
  return weights;
}

bool same(const Storage& a, const Storage& b) {
  return a.layout == b.layout && a.image == b.image && a.rows == b.rows && a.columns == b.columns &&
         a.ld == b.ld;
}

}  // namespace

NetworkWeights::NetworkWeights(Library& library, const NetworkModel& model, Precision precision)
    : library_(library) {
  const cl::Context& context = library.executor().context();
  std::size_t widest = 1;  // OpenCL has no empty buffers
  std::vector<const AffineLayer*> affine;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto* one = std::get_if<AffineLayer>(&model.layers[i]);
    if (one == nullptr) continue;
    if (precision == Precision::kHalf) check_range(*one, layer_place(model, i));
    affine.push_back(one);
    widest = std::max(widest, static_cast<std::size_t>(one->outputs));
  }
  std::vector<float> biases(whole_vectors(widest), 0.0f);
  num_zeros_ = biases.size();
  for (const AffineLayer* layer : affine) {
    const std::size_t offset = layer->bias.empty() ? 0 : biases.size();
    layers_.push_back({{}, offset});
    layers_.back().kept.push_back(as_given(context, *layer, precision));
    biases.insert(biases.end(), layer->bias.begin(), layer->bias.end());
    biases.resize(whole_vectors(biases.size()), 0.0f);
  }
  biases_ = copied(context, biases, sum_precision(precision));
}

VectorArgument NetworkWeights::zeros(std::size_t count) {
  if (count <= num_zeros_) return {more_zeros_.empty() ? biases_() : more_zeros_.back()(), 0};
  const std::vector<float> more(count, 0.0f);
  more_zeros_.push_back(
      allocate_buffer(library_.executor().context(), CL_MEM_READ_ONLY, more, "zeros"));
  num_zeros_ = count;
  return {more_zeros_.back()(), 0};
}

NetworkWeights::~NetworkWeights() {
  if (queue_() != nullptr) clFinish(queue_());
}

const cl::CommandQueue& NetworkWeights::queue() {
  if (queue_() == nullptr) {
    cl_int code = CL_SUCCESS;
    queue_ =
        cl::CommandQueue(library_.executor().context(), library_.executor().device(), 0, &code);
    check_opencl(code, "clCreateCommandQueue");
  }
  return queue_;
}

std::vector<std::size_t> NetworkWeights::copies() const {
  std::vector<std::size_t> copies;
  for (const Layer& layer : layers_) copies.push_back(layer.kept.size());
  return copies;
}

void NetworkWeights::free_since(const std::vector<std::size_t>& copies) {
  if (queue_() != nullptr) clFinish(queue_());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    while (layers_[i].kept.size() > copies[i]) layers_[i].kept.pop_back();
  }
}

const PackedWeights& NetworkWeights::packed(std::size_t layer, const Route& route) {
  Layer& of = layers_[layer];
  LoadedKernel* pack = route.kernels[CallStep::kPackB];
  if (pack == nullptr) return of.kept.front();
  const Storage& wanted = route.storage.b;
  const auto known = std::find_if(of.kept.begin(), of.kept.end(), [&](const PackedWeights& kept) {
    return same(kept.storage, wanted);
  });
  if (known != of.kept.end()) return *known;
  PackedWeights weights{wanted, allocate_packed(library_, wanted), {}};
  const PackedWeights& given = of.kept.front();
  PackProblem problem =
      pack_problem(wanted, route.plan.shape.k, route.plan.shape.n, given.argument());
  problem.to = weights.argument();
  weights.ready = enqueue_pack(library_, queue(), *pack, problem, {});
  check_opencl(queue().flush(), "clFlush");  // commands on other queues will wait for the event
  of.kept.push_back(std::move(weights));
  return of.kept.back();
}

}  // namespace tilewright
