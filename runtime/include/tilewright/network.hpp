/// @file
/// Runs neural networks on an OpenCL device: the C++ interface.
///
///     tw::Network net(library, {tw::Layer::affine(784, 1000, w1, b1), {TW_LAYER_RELU},
///                               tw::Layer::affine(1000, 10, w2, b2), {TW_LAYER_SOFTMAX}});
///     tw::Event done = net.forward(queue, batch, x, y);
///
///     tw::Network digits = tw::Network::load(library, "digits.onnx");
///
/// A header over the C interface (network.h), which documents arguments and statuses in full. A
/// batch is a row-major matrix with one sample per row: an input is batch x input_columns(), an
/// output batch x output_columns(). Elements are of the network's type. Errors, OpenCL objects and
/// thread safety are as in tilewright.hpp. Copies of a network share one state.
#ifndef TILEWRIGHT_NETWORK_HPP
#define TILEWRIGHT_NETWORK_HPP

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tilewright/network.h>
#include <tilewright/tilewright.hpp>

namespace tw {
inline namespace v1 {

/// One layer of a network; see tw_network_layer. An activation is {TW_LAYER_RELU}, for example.
struct Layer {
  tw_layer_kind kind = TW_LAYER_IDENTITY;  ///< the kind of layer
  std::string name = {};                   ///< for messages; may be empty
  std::size_t inputs = 0;                  ///< affine: columns of X
  std::size_t outputs = 0;                 ///< affine: columns of Y
  std::vector<float> weights = {};         ///< affine: W, inputs x outputs, row-major
  std::vector<float> bias = {};            ///< affine: `outputs` floats; empty: no bias
  /// @return a number that stands for ONNX's default: 0.01 for leaky ReLU, 1 for ELU and 0.2 for
  /// hard sigmoid. It is no NaN, which -ffast-math would not recognise.
  static constexpr float default_slope() { return std::numeric_limits<float>::lowest(); }
  float slope = default_slope();  ///< leaky ReLU and ELU (for x < 0), hard sigmoid
  float shift = 0.5f;             ///< hard sigmoid
  float low = 0.0f;               ///< clip; with the default of high, it is ReLU6
  float high = 6.0f;              ///< clip

  /// Makes the layer Y = X W + b.
  /// @param inputs, outputs  columns of X and Y
  /// @param weights  W, inputs x outputs, row-major
  /// @param bias  `outputs` floats; empty: no bias
  /// @param name  for messages
  /// @return the layer
  static Layer affine(std::size_t inputs, std::size_t outputs, std::vector<float> weights,
                      std::vector<float> bias = {}, std::string name = {}) {
    Layer layer;
    layer.kind = TW_LAYER_AFFINE;
    layer.name = std::move(name);
    layer.inputs = inputs;
    layer.outputs = outputs;
    layer.weights = std::move(weights);
    layer.bias = std::move(bias);
    return layer;
  }
};

/// A neural network on a device; see tw_network.
class Network {
 public:
  /// No network. Another one can be assigned.
  Network() = default;
  /// Checks the layers, copies the weights to the device, and returns when the copies are complete.
  /// @param library  the library whose kernels, device and context are used
  /// @param layers  in the order in which they are applied; not accessed after the call
  /// @param type  type of the elements of weights and batches: TW_FLOAT or TW_HALF
  /// @throws Error like tw_network_create; TW_INVALID_NETWORK if the number of weights is not
  /// inputs x
  ///     outputs, or the number of biases neither outputs nor 0
  Network(const Library& library, const std::vector<Layer>& layers, tw_type type = TW_FLOAT) {
    const std::vector<tw_network_layer> given = to_c(layers);
    const tw_network_desc desc = tw_make_network_desc(type, given.data(), given.size());
    tw_network* net = nullptr;
    detail::check(tw_network_create(library.handle(), &desc, &net));
    net_.reset(net, tw_network_free);
  }
  /// Loads a network from a file; see tw_network_load. For each output of the file that is left
  /// out, because it cannot be computed, the log of the library has a line with the reason.
  /// @param library  the library whose kernels, device and context are used
  /// @param path  the file; it ends in .onnx or .json
  /// @param type  type of the elements of weights and batches: TW_FLOAT or TW_HALF
  /// @param outputs  names of the outputs that the network has, in this order, each once. Empty:
  ///     all outputs of the file that can be computed; its first output of floats must be one of
  ///     them
  /// @return the network
  /// @throws Error like tw_network_load
  static Network load(const Library& library, const std::string& path, tw_type type = TW_FLOAT,
                      const std::vector<std::string>& outputs = {}) {
    const LoadOptions options(type, outputs);
    tw_network* net = nullptr;
    detail::check(tw_network_load(library.handle(), path.c_str(), &options.options, &net));
    return Network(net);
  }
  /// Loads a network from the bytes of an ONNX file or a JSON definition; see
  /// tw_network_load_memory.
  /// @param library, type, outputs  see load()
  /// @param data, size  the bytes and their number; not accessed after the call
  /// @return the network
  /// @throws Error like tw_network_load_memory
  static Network load_memory(const Library& library, const void* data, std::size_t size,
                             tw_type type = TW_FLOAT,
                             const std::vector<std::string>& outputs = {}) {
    const LoadOptions options(type, outputs);
    tw_network* net = nullptr;
    detail::check(tw_network_load_memory(library.handle(), data, size, &options.options, &net));
    return Network(net);
  }

  /// @return the element type of inputs and outputs: TW_FLOAT or TW_HALF
  tw_type type() const { return tw_network_type(handle()); }
  /// @return the number of inputs
  std::size_t num_inputs() const { return tw_network_num_inputs(handle()); }
  /// @return the number of outputs
  std::size_t num_outputs() const { return tw_network_num_outputs(handle()); }
  /// @param index  from 0
  /// @return the name of an input; "" if it has none, or if there is no such input
  std::string input_name(std::size_t index) const {
    return text(tw_network_input_name(handle(), index));
  }
  /// @param index  from 0
  /// @return the name of an output; "" if it has none, or if there is no such output
  std::string output_name(std::size_t index) const {
    return text(tw_network_output_name(handle(), index));
  }
  /// @param index  from 0
  /// @return the number of columns of an input; 0 if there is no such input
  std::size_t input_columns(std::size_t index = 0) const {
    return tw_network_input_columns(handle(), index);
  }
  /// @param index  from 0
  /// @return the number of columns of an output; 0 if there is no such output
  std::size_t output_columns(std::size_t index = 0) const {
    return tw_network_output_columns(handle(), index);
  }
  /// @param name  the name of an input
  /// @return its index
  /// @throws Error TW_INVALID_VALUE, with the names that there are, if no input has it
  std::size_t find_input(const std::string& name) const {
    std::size_t index = 0;
    detail::check(tw_network_find_input(handle(), name.c_str(), &index));
    return index;
  }
  /// @param name  the name of an output
  /// @return its index
  /// @throws Error TW_INVALID_VALUE, with the names that there are, if no output has it
  std::size_t find_output(const std::string& name) const {
    std::size_t index = 0;
    detail::check(tw_network_find_output(handle(), name.c_str(), &index));
    return index;
  }

  /// Plans a batch size and packs the weights for it, so that the first forward pass need not do
  /// this.
  /// @param queue  a queue of the library's context and device
  /// @param batch  number of rows
  /// @throws Error like tw_network_prepare
  void prepare(QueueRef queue, std::size_t batch) const {
    detail::check(tw_network_prepare(handle(), queue.get(), batch));
  }
  /// Returns the memory that a forward pass needs for the results between layers.
  /// @param batch  number of rows
  /// @param inputs, outputs  one matrix for each input and output. Empty: all without offsets and
  ///     gaps
  /// @return bytes
  /// @throws Error like tw_network_workspace_bytes
  std::size_t workspace_bytes(std::size_t batch, const std::vector<Matrix>& inputs = {},
                              const std::vector<Matrix>& outputs = {}) const {
    const std::vector<tw_matrix> in = to_c(inputs), out = to_c(outputs);
    std::size_t bytes = 0;
    detail::check(tw_network_workspace_bytes(handle(), batch, in.data(), in.size(), out.data(),
                                             out.size(), &bytes));
    return bytes;
  }
  /// Returns the memory that suffices for every batch of up to `max_batch` rows.
  /// @param max_batch  the largest number of rows
  /// @return bytes
  /// @throws Error like tw_network_max_workspace_bytes
  std::size_t max_workspace_bytes(std::size_t max_batch) const {
    std::size_t bytes = 0;
    detail::check(tw_network_max_workspace_bytes(handle(), max_batch, &bytes));
    return bytes;
  }
  /// Explains a forward pass: its steps with their kernels and predicted times; see
  /// tw_network_explain. Loads the kernels.
  /// @param batch  number of rows
  /// @return a table
  /// @throws Error like tw_network_explain
  std::string explain(std::size_t batch) const {
    char* table = nullptr;
    detail::check(tw_network_explain(handle(), batch, &table));
    const std::unique_ptr<char, void (*)(char*)> owner(table, tw_text_free);
    return table;
  }

  /// output = net(input), for a network with one input and one output. Enqueues one chain of
  /// commands and returns without waiting; see tw_network_forward.
  /// @param queue  an in-order or out-of-order queue of the library's context and device
  /// @param batch  number of rows
  /// @param input  batch x input_columns(), row-major
  /// @param output  batch x output_columns(), row-major; must not overlap the input
  /// @param workspace  memory of at least workspace_bytes() bytes. Nothing else may use it until
  ///     the output is written. {}: the library allocates it
  /// @param wait  events to wait for
  /// @return the event that completes when the output is written
  /// @throws Error like tw_network_forward
  Event forward(QueueRef queue, std::size_t batch, const Matrix& input, const Matrix& output,
                const Memory& workspace = {}, const WaitList& wait = {}) const {
    const tw_matrix in = input.to_c(), out = output.to_c();
    return enqueue(queue, batch, &in, 1, &out, 1, workspace, wait);
  }
  /// forward() for a network with any number of inputs and outputs.
  /// @param queue, batch, workspace, wait  see forward()
  /// @param inputs  one matrix for each input, in their order
  /// @param outputs  one matrix for each output, in their order; none may overlap another matrix
  /// @return the event that completes when the outputs are written
  /// @throws Error like tw_network_forward
  Event forward_all(QueueRef queue, std::size_t batch, const std::vector<Matrix>& inputs,
                    const std::vector<Matrix>& outputs, const Memory& workspace = {},
                    const WaitList& wait = {}) const {
    const std::vector<tw_matrix> in = to_c(inputs), out = to_c(outputs);
    return enqueue(queue, batch, in.data(), in.size(), out.data(), out.size(), workspace, wait);
  }

  /// @return the handle of the C interface; null if there is none
  const tw_network* get() const { return net_.get(); }

 private:
  // Options of the C interface, valid as long as this object and `outputs`.
  struct LoadOptions {
    LoadOptions(tw_type type, const std::vector<std::string>& outputs) {
      for (const std::string& output : outputs) names.push_back(output.c_str());
      options.type = type;
      if (!names.empty()) options.outputs = names.data();
      options.num_outputs = names.size();
    }
    LoadOptions(const LoadOptions&) = delete;
    LoadOptions& operator=(const LoadOptions&) = delete;

    std::vector<const char*> names;
    tw_network_load_options options = tw_make_network_load_options();
  };

  explicit Network(tw_network* net) : net_(net, tw_network_free) {}

  static std::string text(const char* name) { return name == nullptr ? "" : name; }

  static std::vector<tw_matrix> to_c(const std::vector<Matrix>& matrices) {
    std::vector<tw_matrix> result;
    result.reserve(matrices.size());
    for (const Matrix& matrix : matrices) result.push_back(matrix.to_c());
    return result;
  }

  // The layers for the C interface, valid as long as `layers`.
  static std::vector<tw_network_layer> to_c(const std::vector<Layer>& layers) {
    std::vector<tw_network_layer> result;
    result.reserve(layers.size());
    for (const Layer& layer : layers) {
      if (layer.kind == TW_LAYER_AFFINE) check(layer, result.size() + 1);
      result.push_back({layer.kind, layer.name.c_str(), layer.inputs, layer.outputs,
                        layer.weights.data(), layer.bias.empty() ? nullptr : layer.bias.data(),
                        slope(layer), layer.shift, layer.low, layer.high});
    }
    return result;
  }

  static float slope(const Layer& layer) {
    if (layer.slope != Layer::default_slope()) return layer.slope;
    if (layer.kind == TW_LAYER_ELU) return 1.0f;
    return layer.kind == TW_LAYER_HARD_SIGMOID ? 0.2f : 0.01f;
  }

  // The C interface has no sizes of these arrays.
  static void check(const Layer& layer, std::size_t number) {
    const bool has_weights = layer.inputs == 0
                                 ? layer.weights.empty()
                                 : layer.weights.size() % layer.inputs == 0 &&
                                       layer.weights.size() / layer.inputs == layer.outputs;
    if (has_weights && (layer.bias.empty() || layer.bias.size() == layer.outputs)) return;
    throw Error(TW_INVALID_NETWORK,
                "layer " + std::to_string(number) + " has " + std::to_string(layer.weights.size()) +
                    " weights and " + std::to_string(layer.bias.size()) + " biases, but is " +
                    std::to_string(layer.inputs) + " x " + std::to_string(layer.outputs));
  }

  Event enqueue(QueueRef queue, std::size_t batch, const tw_matrix* inputs, std::size_t num_inputs,
                const tw_matrix* outputs, std::size_t num_outputs, const Memory& workspace,
                const WaitList& wait) const {
    cl_event event = nullptr;
    detail::check(tw_network_forward(handle(), queue.get(), batch, inputs, num_inputs, outputs,
                                     num_outputs, workspace.to_c(), wait.size(), wait.data(),
                                     &event));
    return Event(event);
  }

  const tw_network* handle() const { return detail::require(net_, "network"); }

  std::shared_ptr<tw_network> net_;
};

}  // namespace v1
}  // namespace tw

#endif
