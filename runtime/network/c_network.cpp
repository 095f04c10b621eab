// The C interface of networks.
#include <tilewright/network.h>
#include "runtime/network/network.hpp"
#include "runtime/network/network_create.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "profiles/base/printable.hpp"
#include "runtime/api/c_arguments.hpp"
#include "runtime/api/c_call.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/network_explanation.hpp"

struct tw_network {
  tw_network(const tilewright::LibraryHandle& library, const tilewright::NetworkModel& model,
             tw_type type)
      : net(library, model, static_cast<tilewright::ElementType>(type)) {}

  tilewright::Network net;
};

using namespace tilewright;

namespace {

TW_ENDS_WITH(tw_network_layer, high);
TW_ENDS_WITH(tw_network_desc, num_layers);

// The kinds of the C interface are the activations, moved by one.
constexpr bool same_place(tw_layer_kind kind, Activation activation) {
  return kind - TW_LAYER_IDENTITY == static_cast<int>(activation);
}
static_assert(same_place(TW_LAYER_IDENTITY, Activation::kIdentity) &&
              same_place(TW_LAYER_RELU, Activation::kRelu) &&
              same_place(TW_LAYER_LEAKY_RELU, Activation::kLeakyRelu) &&
              same_place(TW_LAYER_SIGMOID, Activation::kSigmoid) &&
              same_place(TW_LAYER_TANH, Activation::kTanh) &&
              same_place(TW_LAYER_SOFTMAX, Activation::kSoftmax) &&
              same_place(TW_LAYER_ELU, Activation::kElu) &&
              same_place(TW_LAYER_SELU, Activation::kSelu) &&
              same_place(TW_LAYER_SOFTPLUS, Activation::kSoftplus) &&
              same_place(TW_LAYER_HARD_SIGMOID, Activation::kHardSigmoid) &&
              same_place(TW_LAYER_HARD_SWISH, Activation::kHardSwish) &&
              same_place(TW_LAYER_CLIP, Activation::kClip) &&
              same_place(TW_LAYER_GELU, Activation::kGelu) &&
              same_place(TW_LAYER_GELU_TANH, Activation::kGeluTanh) &&
              same_place(TW_LAYER_LOG_SOFTMAX, Activation::kLogSoftmax));

// Checks what can no longer be checked in a NetworkModel: null arrays, and extents above its
// limits.
AffineLayer make_affine_layer(const tw_network_layer& layer, size_t number) {
  if (layer.weights == nullptr) {
    throw Error(TW_INVALID_NETWORK, fmt::format("layer {} has no weights", number));
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

NetworkLayer make_layer(const tw_network_layer& layer, size_t number) {
  const int kind = static_cast<int>(layer.kind);
  if (kind < TW_LAYER_AFFINE || kind > TW_LAYER_LOG_SOFTMAX) {
    throw Error(TW_INVALID_NETWORK, fmt::format("layer {} has the unknown kind {}", number, kind));
  }
  const char* name = layer.name == nullptr ? "" : layer.name;
  if (layer.kind == TW_LAYER_AFFINE) {
    AffineLayer affine = make_affine_layer(layer, number);
    affine.name = name;
    return affine;
  }
  return ActivationLayer{name,        static_cast<Activation>(kind - TW_LAYER_IDENTITY),
                         layer.slope, layer.shift,
                         layer.low,   layer.high};
}

// A layer of a caller whose header may have a smaller or larger tw_network_layer than this library.
tw_network_layer read_layer(const tw_network_desc& desc, size_t index) {
  constexpr size_t kMinSize = offsetof(tw_network_layer, high) + sizeof(float);
  tw_network_layer layer = {};
  const auto* bytes = reinterpret_cast<const unsigned char*>(desc.layers) + index * desc.layer_size;
  copy_struct(fmt::format("layer {}", index + 1), bytes, desc.layer_size, kMinSize, &layer,
              sizeof(layer));
  return layer;
}

NetworkModel read_model(const tw_network_desc& desc) {
  require(desc.layers != nullptr || desc.num_layers == 0, "layers is null");
  NetworkModel model;
  for (size_t i = 0; i < desc.num_layers; ++i) {
    model.layers.push_back(make_layer(read_layer(desc, i), i + 1));
  }
  return model;
}

size_t find_port(const char* what, const std::vector<NetworkPort>& ports, const char* name) {
  require(name != nullptr, "the name is null");
  const auto found = std::find_if(ports.begin(), ports.end(),
                                  [&](const NetworkPort& port) { return port.name == name; });
  if (found != ports.end()) return static_cast<size_t>(found - ports.begin());
  std::string names;
  for (const NetworkPort& port : ports) {
    names += (names.empty() ? "" : ", ") + in_quotes(port.name);
  }
  throw Error(TW_INVALID_VALUE,
              fmt::format("the network has no {} {}; it has {}", what, in_quotes(name), names));
}

const NetworkPort* find_port(const std::vector<NetworkPort>& ports, size_t index) {
  return index < ports.size() ? &ports[index] : nullptr;
}

const NetworkPort* find_input(const tw_network* net, size_t index) {
  return net == nullptr ? nullptr : find_port(net->net.input_ports(), index);
}

const NetworkPort* find_output(const tw_network* net, size_t index) {
  return net == nullptr ? nullptr : find_port(net->net.output_ports(), index);
}

// With an ld of 0, a matrix has no gaps.
std::vector<Matrix> to_matrices(const char* null_message, const char* name,
                                const tw_matrix* matrices, size_t count,
                                const std::vector<NetworkPort>& ports) {
  require(matrices != nullptr || count == 0, null_message);
  std::vector<Matrix> result;
  for (size_t i = 0; i < count; ++i) {
    result.push_back(to_matrix(name, &matrices[i], i < ports.size() ? ports[i].columns : 0));
  }
  return result;
}

}  // namespace

tw_status tilewright::create_network(tw_library* library, tw_network** out,
                                     const std::function<TypedModel()>& make_model) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(library != nullptr, "the library is null");
    const TypedModel made = make_model();
    *out = new tw_network(library->library, made.model, made.type);
  });
}

tw_status tw_network_create(tw_library* library, const tw_network_desc* given, tw_network** out) {
  return create_network(library, out, [given] {
    constexpr size_t kMinSize = offsetof(tw_network_desc, num_layers) + sizeof(given->num_layers);
    const tw_network_desc desc =
        read_struct("desc", given, kMinSize, tw_make_network_desc(TW_FLOAT, nullptr, 0));
    return TypedModel{read_model(desc), desc.type};
  });
}

void tw_network_free(tw_network* net) {
  delete net;
}

tw_type tw_network_type(const tw_network* net) {
  return net == nullptr ? TW_FLOAT : static_cast<tw_type>(net->net.element_type());
}

size_t tw_network_num_inputs(const tw_network* net) {
  return net == nullptr ? 0 : net->net.input_ports().size();
}

size_t tw_network_num_outputs(const tw_network* net) {
  return net == nullptr ? 0 : net->net.output_ports().size();
}

const char* tw_network_input_name(const tw_network* net, size_t index) {
  const NetworkPort* const port = find_input(net, index);
  return port == nullptr ? nullptr : port->name.c_str();
}

const char* tw_network_output_name(const tw_network* net, size_t index) {
  const NetworkPort* const port = find_output(net, index);
  return port == nullptr ? nullptr : port->name.c_str();
}

size_t tw_network_input_columns(const tw_network* net, size_t index) {
  const NetworkPort* const port = find_input(net, index);
  return port == nullptr ? 0 : port->columns;
}

size_t tw_network_output_columns(const tw_network* net, size_t index) {
  const NetworkPort* const port = find_output(net, index);
  return port == nullptr ? 0 : port->columns;
}

tw_status tw_network_find_input(const tw_network* net, const char* name, size_t* index) {
  return guarded([&] {
    require(net != nullptr, "the network is null");
    require(index != nullptr, "index is null");
    *index = find_port("input", net->net.input_ports(), name);
  });
}

tw_status tw_network_find_output(const tw_network* net, const char* name, size_t* index) {
  return guarded([&] {
    require(net != nullptr, "the network is null");
    require(index != nullptr, "index is null");
    *index = find_port("output", net->net.output_ports(), name);
  });
}

tw_status tw_network_prepare(const tw_network* net, cl_command_queue queue, size_t batch) {
  return guarded([&] {
    require(net != nullptr, "the network is null");
    net->net.prepare_all(retained<cl::CommandQueue>(queue), batch);
  });
}

tw_status tw_network_workspace_bytes(const tw_network* net, size_t batch, const tw_matrix* inputs,
                                     size_t num_inputs, const tw_matrix* outputs,
                                     size_t num_outputs, size_t* bytes) {
  return guarded([&] {
    require(net != nullptr, "the network is null");
    require(bytes != nullptr, "bytes is null");
    const std::vector<Matrix> in =
        to_matrices("inputs is null", "an input", inputs, num_inputs, net->net.input_ports());
    const std::vector<Matrix> out =
        to_matrices("outputs is null", "an output", outputs, num_outputs, net->net.output_ports());
    *bytes = net->net.workspace_bytes_all(batch, in, out);
  });
}

tw_status tw_network_max_workspace_bytes(const tw_network* net, size_t max_batch, size_t* bytes) {
  return guarded([&] {
    require(net != nullptr, "the network is null");
    require(bytes != nullptr, "bytes is null");
    *bytes = net->net.max_workspace_bytes(max_batch);
  });
}

tw_status tw_network_explain(const tw_network* net, size_t batch, char** out) {
  return guarded([&] {
    require(out != nullptr, "out is null");
    *out = nullptr;
    require(net != nullptr, "the network is null");
    *out = copy_text(to_text(net->net.describe(batch)));
  });
}

tw_status tw_network_forward(const tw_network* net, cl_command_queue queue, size_t batch,
                             const tw_matrix* inputs, size_t num_inputs, const tw_matrix* outputs,
                             size_t num_outputs, const tw_memory* workspace, cl_uint num_wait,
                             const cl_event* wait, cl_event* event) {
  return guarded([&] {
    require(net != nullptr, "the network is null");
    const std::vector<cl::Event> wait_list = make_wait_list(num_wait, wait);
    const NetworkForward with{to_workspace(workspace), {}};
    const std::vector<Matrix> in =
        to_matrices("inputs is null", "an input", inputs, num_inputs, net->net.input_ports());
    const std::vector<Matrix> out =
        to_matrices("outputs is null", "an output", outputs, num_outputs, net->net.output_ports());
    release_to_caller(
        net->net.forward_all(retained<cl::CommandQueue>(queue), in, out, batch, wait_list, with),
        event);
  });
}
