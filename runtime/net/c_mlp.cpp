// The C interface of networks: a thin layer over Mlp.
#include <tilewright/mlp.h>
#include <tilewright/mlp.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "runtime/api/c_api_util.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "runtime/net/activation_layer.hpp"

struct tw_mlp {
  tilewright::Mlp net;
};

using namespace tilewright;

namespace {

// The enumerations of the C interface, of MlpModel and of the list of activations have the same
// order.
struct SameActivation {
  tw_layer_kind kind;
  MlpActivation of_model;
  Activation activation;
};
constexpr SameActivation kSameActivations[] = {
    {TW_LAYER_IDENTITY, MlpActivation::kIdentity, Activation::kIdentity},
    {TW_LAYER_RELU, MlpActivation::kRelu, Activation::kRelu},
    {TW_LAYER_LEAKY_RELU, MlpActivation::kLeakyRelu, Activation::kLeakyRelu},
    {TW_LAYER_SIGMOID, MlpActivation::kSigmoid, Activation::kSigmoid},
    {TW_LAYER_TANH, MlpActivation::kTanh, Activation::kTanh},
    {TW_LAYER_SOFTMAX, MlpActivation::kSoftmax, Activation::kSoftmax},
    {TW_LAYER_ELU, MlpActivation::kElu, Activation::kElu},
    {TW_LAYER_SELU, MlpActivation::kSelu, Activation::kSelu},
    {TW_LAYER_SOFTPLUS, MlpActivation::kSoftplus, Activation::kSoftplus},
    {TW_LAYER_HARD_SIGMOID, MlpActivation::kHardSigmoid, Activation::kHardSigmoid},
    {TW_LAYER_HARD_SWISH, MlpActivation::kHardSwish, Activation::kHardSwish},
    {TW_LAYER_CLIP, MlpActivation::kClip, Activation::kClip},
    {TW_LAYER_GELU, MlpActivation::kGelu, Activation::kGelu},
    {TW_LAYER_GELU_TANH, MlpActivation::kGeluTanh, Activation::kGeluTanh},
    {TW_LAYER_LOG_SOFTMAX, MlpActivation::kLogSoftmax, Activation::kLogSoftmax}};
static_assert(std::size(kSameActivations) == kNumActivations);
static_assert(std::all_of(std::begin(kSameActivations), std::end(kSameActivations),
                          [](const SameActivation& same) {
                            return same.kind - TW_LAYER_IDENTITY ==
                                       static_cast<int>(same.activation) &&
                                   to_activation(same.of_model) == same.activation;
                          }));

MlpActivation mlp_activation(tw_layer_kind kind) {
  return static_cast<MlpActivation>(kind - TW_LAYER_IDENTITY);
}

// Checks what can no longer be checked in an MlpModel: null arrays, and extents above its limits.
AffineLayer make_affine_layer(const tw_mlp_layer& layer, size_t number) {
  if (layer.weights == nullptr) {
    throw Error(TW_INVALID_VALUE, fmt::format("layer {} has no weights", number));
  }
  if (layer.inputs > kMaxExtent || layer.outputs > kMaxExtent) {
    throw Error(TW_INVALID_DIMENSION, fmt::format("layer {} is {} x {}, but the maximum is {} each",
                                                  number, layer.inputs, layer.outputs, kMaxExtent));
  }
  AffineLayer affine;
  affine.inputs = static_cast<std::int64_t>(layer.inputs);
  affine.outputs = static_cast<std::int64_t>(layer.outputs);
  affine.weights.assign(layer.weights, layer.weights + layer.inputs * layer.outputs);
  if (layer.bias != nullptr) affine.bias.assign(layer.bias, layer.bias + layer.outputs);
  return affine;
}

MlpLayer make_layer(const tw_mlp_layer& layer, size_t number) {
  const int kind = static_cast<int>(layer.kind);
  if (kind < TW_LAYER_AFFINE || kind > TW_LAYER_LOG_SOFTMAX) {
    throw Error(TW_INVALID_VALUE, fmt::format("layer {} has the unknown kind {}", number, kind));
  }
  const char* name = layer.name == nullptr ? "" : layer.name;
  if (layer.kind == TW_LAYER_AFFINE) {
    AffineLayer affine = make_affine_layer(layer, number);
    affine.name = name;
    return affine;
  }
  return ActivationLayer{name,      mlp_activation(layer.kind), layer.slope, layer.shift, layer.low,
                         layer.high};
}

tw_status create(tw_library* library, const tw_mlp_layer* layers, size_t num_layers, tw_mlp** out,
                 ElementType type) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(library != nullptr, "the library is null");
    require(layers != nullptr || num_layers == 0, "layers is null");
    MlpModel model;
    for (size_t i = 0; i < num_layers; ++i) model.layers.push_back(make_layer(layers[i], i + 1));
    *out = new tw_mlp{Mlp(library->library, model, type)};
  });
}

}  // namespace

tw_status tw_mlp_create(tw_library* library, const tw_mlp_layer* layers, size_t num_layers,
                        tw_mlp** out) {
  return create(library, layers, num_layers, out, ElementType::kFloat);
}

tw_status tw_hmlp_create(tw_library* library, const tw_mlp_layer* layers, size_t num_layers,
                         tw_mlp** out) {
  return create(library, layers, num_layers, out, ElementType::kHalf);
}

void tw_mlp_free(tw_mlp* net) {
  delete net;
}

size_t tw_mlp_inputs(const tw_mlp* net) {
  return net == nullptr ? 0 : net->net.inputs();
}

size_t tw_mlp_outputs(const tw_mlp* net) {
  return net == nullptr ? 0 : net->net.outputs();
}

tw_status tw_mlp_prepare(const tw_mlp* net, cl_command_queue queue, size_t batch) {
  return guarded([&] {
    require(net != nullptr, "the network is null");
    net->net.prepare(retained<cl::CommandQueue>(queue), batch);
  });
}

tw_status tw_mlp_workspace_bytes(const tw_mlp* net, size_t batch, size_t offset_input,
                                 size_t ld_input, size_t offset_output, size_t ld_output,
                                 size_t* bytes) {
  return guarded([&] {
    require(net != nullptr, "the network is null");
    require(bytes != nullptr, "bytes is null");
    *bytes = net->net.workspace_bytes(batch, {{}, offset_input, ld_input},
                                      {{}, offset_output, ld_output});
  });
}

tw_status tw_mlp_forward(const tw_mlp* net, cl_command_queue queue, size_t batch, cl_mem input,
                         size_t offset_input, size_t ld_input, cl_mem output, size_t offset_output,
                         size_t ld_output, cl_uint num_wait, const cl_event* wait,
                         cl_event* event) {
  return tw_mlp_forward_in(net, queue, batch, input, offset_input, ld_input, output, offset_output,
                           ld_output, nullptr, 0, num_wait, wait, event);
}

tw_status tw_mlp_forward_in(const tw_mlp* net, cl_command_queue queue, size_t batch, cl_mem input,
                            size_t offset_input, size_t ld_input, cl_mem output,
                            size_t offset_output, size_t ld_output, cl_mem workspace,
                            size_t offset_workspace, cl_uint num_wait, const cl_event* wait,
                            cl_event* event) {
  return guarded([&] {
    require(net != nullptr, "the network is null");
    const std::vector<cl::Event> wait_list = make_wait_list(num_wait, wait);
    const MlpForward with{{retained<cl::Buffer>(workspace), offset_workspace}, {}};
    release_to_caller(
        net->net.forward(retained<cl::CommandQueue>(queue),
                         to_matrix(input, offset_input, ld_input),
                         to_matrix(output, offset_output, ld_output), batch, wait_list, with),
        event);
  });
}
