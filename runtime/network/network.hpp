/// @file
/// Runs neural networks on an OpenCL device (C++ interface).
///
///     tilewright::Network net(library, model);                  // copies the weights to the
///     device cl::Event done = net.forward(queue, {x, 0, net.inputs()}, {y, 0, net.outputs()},
///     batch);
///
/// A batch is a row-major matrix with one sample per row: the input is batch x inputs, the output
/// batch x outputs. Elements are floats, or half precision (cl_half) if the network was created
/// with ElementType::kHalf. In half precision, weights, inputs, outputs and the results between
/// layers are rounded to the nearest half-precision number, ties to even. Sums, biases and
/// activations are computed in single precision, but softmax stores its exponentials in half
/// precision before it divides. Results of operations (OperationLayer) that only other operations
/// read are stored in single precision: a sum of squares may exceed half precision although its
/// square root does not.
///
/// A forward pass is one chain of commands. forward() enqueues them and returns; nothing is copied
/// to the host between layers. If the profile has a product kernel with the bias and activation of
/// a layer, it applies them; otherwise a separate kernel does. The results between layers alternate
/// between two buffers. They are row-major, or in a layout that one layer's kernel writes and the
/// next layer's kernel reads without packing, whichever is predicted to be faster.
///
/// Each batch size is planned at its first forward pass, or earlier by prepare(). Planning compiles
/// kernels that were not used before, and packs the weights into each layout that the plan needs.
/// The plans of the 16 most recently used batch sizes are kept.
///
/// Samples do not affect each other. If a sample contains infinity or NaN, or overflows inside the
/// network, its own outputs are unspecified, because they depend on the layout of the batch between
/// the layers. The outputs of all other samples stay the same to the bit.
///
/// Errors are reported as tilewright::Error. They are thrown before any command of the forward pass
/// is enqueued, unless OpenCL itself fails after some commands were enqueued.
///
/// Thread safety: any number of threads may use one Network on any queues. Copies share one state.
/// It may be used after the Library was destroyed, and enqueued work completes after both were
/// destroyed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/api/library.hpp"
#include "runtime/api/plan.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

/// One step of a forward pass: a product with its bias and activation, or an activation or a
/// softmax that runs as a kernel of its own, or a kernel that computes other layers.
struct StepDescription {
  std::string name;                  ///< names of its layers, joined with " + "
  std::vector<std::string> kernels;  ///< names of its kernels, in launch order
  std::size_t batch = 0;             ///< rows of its result
  std::size_t inputs = 0;            ///< columns of its input
  std::size_t outputs = 0;           ///< columns of its result, without padding
  double flops = 0.0;                ///< product: 2 batch inputs outputs; otherwise 0
  /// Predicted device time in ns, from the results in the profile; nullopt: not measured
  std::optional<double> predicted_ns;
  /// Layout of its result, written as in profiles. "R" is row-major; inputs and outputs of the
  /// network always have it. Other layouts are those in which a kernel writes a batch that the next
  /// kernel reads without packing.
  std::string layout;
  std::size_t columns = 0;  ///< columns of its result, with the padding that kernels need
};

/// An input or an output of a network.
struct NetworkPort {
  std::string name;         ///< as in the model; may be empty
  std::size_t columns = 0;  ///< columns of its matrix
};

/// A command of a forward pass that was just enqueued.
struct NetCommand {
  std::size_t step;           ///< index in the result of Network::describe(), from 0
  const std::string& kernel;  ///< name of the kernel; valid during the call of the observer
  const cl::Event& event;     ///< completes with the command; copy it to keep it
};

/// Optional arguments of a forward pass.
struct NetworkForward {
  /// Memory for the results between layers: Network::workspace_bytes(), or
  /// Network::max_workspace_bytes() for all batch sizes up to a maximum. Nothing else may use the
  /// memory until the forward pass is complete. Null: the library allocates memory and keeps it for
  /// later calls.
  Workspace workspace;
  /// If not null, called for each command, in order, on the thread that called forward(). If it
  /// throws, forward() throws the same exception; commands enqueued so far are still executed.
  std::function<void(const NetCommand&)> observer;
};

/// A neural network on a device.
class Network {
 public:
  /// Checks the model, copies its weights to the device, and returns when the copies are complete.
  /// @param library  the library whose kernels, device and context are used
  /// @param model  the network, with at least one layer; not accessed after the call
  /// @param type  type of the elements of weights and batches: kFloat or kHalf
  /// @throws Error TW_INVALID_NETWORK for an invalid layer, whose number, starting with 1, is in
  ///     the message.
  ///     A layer is invalid if it has extents below 1, a number of weights other than
  ///     inputs x outputs, a number of biases other than outputs (or 0), a number of inputs that
  ///     differs from the outputs of the previous layer, an unknown activation, an argument of an
  ///     activation that is not finite, or a weight that exceeds half precision (65520 and more);
  ///     TW_INVALID_DIMENSION for extents above 2,000,000,000; TW_UNSUPPORTED_TYPE for another
  ///     type; TW_OUT_OF_MEMORY, TW_OPENCL_ERROR
  Network(const LibraryHandle& library, const NetworkModel& model,
          ElementType type = ElementType::kFloat);

  /// @return the type of the elements of inputs, outputs and weights
  ElementType element_type() const;

  /// @return columns of an input batch; with several inputs, of the first one
  std::size_t inputs() const;
  /// @return columns of the results; with several outputs, of the first one
  std::size_t outputs() const;
  /// @return all inputs, in the order of the model
  std::vector<NetworkPort> input_ports() const;
  /// @return all outputs, in the order of the model
  std::vector<NetworkPort> output_ports() const;
  /// @param name  of an input, as in the model
  /// @return its index in input_ports() and in the inputs of forward_all()
  /// @throws Error TW_INVALID_VALUE, with the names that there are, if no input has it
  std::size_t find_input(const std::string& name) const;
  /// @param name  of an output, as in the model
  /// @return its index in output_ports() and in the outputs of forward_all()
  /// @throws Error TW_INVALID_VALUE, with the names that there are, if no output has it
  std::size_t find_output(const std::string& name) const;

  /// Plans a batch size and packs the weights for it, so that the first forward() need not do this.
  /// @param queue  a queue of the library's context and device; commands that are enqueued later
  ///     wait until the weights are packed. The packing itself runs on a separate queue
  /// @param batch  number of rows
  /// @param input, output  matrices like those of the later forward(). Of offsets and leading
  ///     dimensions only the largest power of two that divides them matters, and whether rows have
  ///     gaps; of a buffer only the alignment of its start (null: aligned for every vector). A
  ///     leading dimension of 0 means no gaps
  /// @throws Error TW_INVALID_DIMENSION, TW_INVALID_LD_INPUT, TW_INVALID_LD_OUTPUT,
  /// TW_INVALID_QUEUE,
  ///     TW_BUILD_FAILURE, TW_OPENCL_ERROR; TW_OUT_OF_MEMORY, also if the result of a layer is too
  ///     large for a buffer of the device
  void prepare(const cl::CommandQueue& queue, std::size_t batch, const Matrix& input = {},
               const Matrix& output = {}) const;

  /// Returns the memory that forward() needs for the results between layers. Loads the kernels;
  /// allocates no device memory.
  /// @param batch, input, output  see prepare()
  /// @return bytes for NetworkForward::workspace
  /// @throws Error like prepare()
  std::size_t workspace_bytes(std::size_t batch, const Matrix& input = {},
                              const Matrix& output = {}) const;

  /// prepare() for a network with any number of inputs and outputs.
  /// @param queue, batch  see prepare()
  /// @param inputs, outputs  one matrix for each port, like the input and output of prepare().
  ///     Empty vectors mean matrices without offsets and gaps
  /// @throws Error TW_INVALID_VALUE for a wrong number of matrices; otherwise like prepare()
  void prepare_all(const cl::CommandQueue& queue, std::size_t batch,
                   const std::vector<Matrix>& inputs = {},
                   const std::vector<Matrix>& outputs = {}) const;

  /// workspace_bytes() for a network with any number of inputs and outputs.
  /// @param batch  number of rows
  /// @param inputs, outputs  see prepare_all()
  /// @return bytes of NetworkForward::workspace
  /// @throws Error like prepare_all()
  std::size_t workspace_bytes_all(std::size_t batch, const std::vector<Matrix>& inputs = {},
                                  const std::vector<Matrix>& outputs = {}) const;

  /// Returns the memory that suffices for every batch of up to `max_batch` rows, with any offsets
  /// and leading dimensions. For some batch sizes the fastest kernels may need more; if the
  /// workspace of a forward pass is too small for them, the network runs without packed matrices.
  /// Loads the kernels for `max_batch` and for all powers of two below; allocates no device memory.
  /// @param max_batch  the largest number of rows
  /// @return bytes for NetworkForward::workspace; at least workspace_bytes_all() of these batch
  /// sizes
  /// @throws Error like prepare()
  std::size_t max_workspace_bytes(std::size_t max_batch) const;

  /// Returns the steps of a forward pass. Loads the kernels; allocates no device memory.
  /// @param batch, input, output  see prepare()
  /// @return the steps in order; none for an empty batch
  /// @throws Error like prepare()
  std::vector<StepDescription> describe(std::size_t batch, const Matrix& input = {},
                                        const Matrix& output = {}) const;

  /// output = net(input). Enqueues one chain of commands and returns without waiting. After the
  /// first call for a batch size, only OpenCL allocates memory, provided that the caller passes a
  /// workspace or the library has a free one.
  /// @param queue  an in-order or out-of-order queue of the library's context and device
  /// @param input  batch x inputs(), row-major
  /// @param output  batch x outputs(), row-major; must not overlap the input. Gaps between its rows
  ///     are not written
  /// @param batch  number of rows; if it is 0, the event completes after wait_list
  /// @param wait_list  events that the commands wait for
  /// @param with  optional workspace and observer
  /// @return the event that completes when the output is written
  /// @throws Error TW_INVALID_DIMENSION; for the input TW_INVALID_LD_INPUT,
  ///     TW_INVALID_BUFFER_INPUT, TW_INSUFFICIENT_BUFFER_INPUT; the same with OUTPUT for the
  ///     output; TW_INVALID_WORKSPACE, TW_INSUFFICIENT_WORKSPACE; TW_INVALID_QUEUE;
  ///     TW_INVALID_VALUE for an invalid wait list, and for a network with several inputs or
  ///     outputs; TW_BUILD_FAILURE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR
  cl::Event forward(const cl::CommandQueue& queue, const Matrix& input, const Matrix& output,
                    std::size_t batch, const std::vector<cl::Event>& wait_list = {},
                    const NetworkForward& with = {}) const;

  /// forward() for a network with any number of inputs and outputs.
  /// @param queue  an in-order or out-of-order queue of the library's context and device
  /// @param inputs  one matrix for each of input_ports(), in this order: batch x columns, row-major
  /// @param outputs  one matrix for each of output_ports(); must not overlap any other matrix
  /// @param batch  number of rows of all matrices. Buffers may be larger, for example made for a
  ///     maximum batch
  /// @param wait_list  events that the commands wait for
  /// @param with  optional workspace and observer
  /// @return the event that completes when all outputs are written
  /// @throws Error TW_INVALID_VALUE for a wrong number of matrices; otherwise like forward()
  cl::Event forward_all(const cl::CommandQueue& queue, const std::vector<Matrix>& inputs,
                        const std::vector<Matrix>& outputs, std::size_t batch,
                        const std::vector<cl::Event>& wait_list = {},
                        const NetworkForward& with = {}) const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace tilewright
