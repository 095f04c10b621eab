/// @file
/// How does a C++ program run a fully-connected net on an OpenCL device?
///
///     tilewright::Mlp net(library, model);                          // weights go to the device
///     cl::Event done = net.forward(queue, {x, 0, net.inputs()}, {y, 0, net.outputs()}, batch);
///
/// A batch is a matrix with a sample in each row: batch x inputs in, batch x outputs out,
/// row-major, of the net's elements: floats, or, of `Mlp net(library, model,
/// tilewright::ElementType::kHalf)`, halfs. Then weights, inputs, outputs and what lies between the
/// layers are halfs, each rounded to the nearest, ties to even; sums, biases and what an activation
/// computes are floats, but softmax keeps exponentials as halfs before it divides. A forward is one
/// chain of commands, each after the one before: it enqueues and returns, and nothing comes back to
/// the host between the layers. A layer's bias and activation are done while its product is stored,
/// where the profile has a kernel for that, and else by a kernel of their own. Between the layers a
/// batch lies in two buffers that take turns, in the layout that one layer's kernel writes and the
/// next one's reads, where that is predicted to be fastest.
///
/// Weights are packed once for each layout that some batch size wants. That happens at the first
/// forward of a batch size, with what else it takes to plan it (the first use of a kernel compiles
/// it), or before, in prepare(). The plans of the 16 latest used batch sizes are remembered.
///
/// Samples do not touch each other. What infinity or NaN in a sample, or a sample that overflows on
/// its way through the net, makes of that sample's own outputs is not specified: it depends on how
/// the batch lies between the layers. No other sample changes by a bit.
///
/// Failures are tilewright::Error, thrown before anything of the forward is enqueued unless OpenCL
/// itself fails half-way.
///
/// Thread safety: any number of threads may use one Mlp, on any queues. Copies share one state,
/// which outlives the Library where need be; work that is enqueued outlives both.
///
/// This header asks for C++20.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tilewright/library.hpp>
#include <tilewright/mlp_model.hpp>
#include <tilewright/plan.hpp>

namespace tilewright {

/// Commands of a forward that belong together: a product with what is folded into it, or an
/// activation or a softmax by itself.
struct MlpStep {
  std::string name;                  ///< of its layers, joined with " + "
  std::vector<std::string> kernels;  ///< names, in order
  std::size_t batch = 0;             ///< rows of what it makes
  std::size_t inputs = 0;            ///< columns of what it reads
  std::size_t outputs = 0;           ///< columns of what it makes
  double flops = 0.0;                ///< 2 batch inputs outputs of a product, else 0
  /// How long it is predicted to take, by the profile's results; nullopt: not measured
  std::optional<double> predicted_ns;
  /// How what it makes lies, as in a profile. "R" is row by row, as a net's input and output always
  /// are; others are kernels' own, which pass the batch on without packing it.
  std::string layout;
  std::size_t columns = 0;  ///< outputs, and between layers the padding that kernels want
};

/// An input or an output of a net.
struct MlpPort {
  std::string name;         ///< as in the model; may be empty
  std::size_t columns = 0;  ///< of its matrix
};

/// A command of a forward, as it is enqueued.
struct MlpCommand {
  std::size_t step;           ///< of Mlp::describe()
  const std::string& kernel;  ///< its name
  const cl::Event& event;     ///< completes with the command; to be copied if it is kept
};

/// What a forward may be given beside its matrices.
struct MlpForward {
  /// For what lies between the layers: Mlp::workspace_bytes(). Its offset counts floats, also of a
  /// net of halfs. Nothing else may use it until the forward is done. Null: memory of the
  /// library's, which it keeps for later calls.
  Workspace workspace;
  /// If not null, called for each command, in order, by the thread that calls forward. What it
  /// throws ends the forward half-way.
  std::function<void(const MlpCommand&)> observer;
};

/// A fully-connected net on a device. Of one that was moved from, every function throws Error
/// TW_INVALID_VALUE; it may be assigned to.
class TW_API Mlp {
 public:
  /// Checks the model, copies its weights to the device, and returns when they are there.
  /// @param library  whose kernels serve; its device and context are the net's
  /// @param model  at least one affine layer; not needed afterwards
  /// @param type  of the elements of weights and batches: kFloat or kHalf
  /// @throws Error TW_INVALID_VALUE naming the first layer that is wrong (counted from 1) and what
  ///     is wrong with it: extents below 1, numbers of weights that are not inputs x outputs, of
  ///     biases that are not outputs (or none), inputs that are not what the layer before gives, an
  ///     unknown activation, arguments of one that are no finite numbers, weights that no half
  ///     holds (65520 and more); TW_INVALID_DIMENSION for extents above 2,000,000,000;
  ///     TW_UNSUPPORTED_TYPE for another type; TW_OUT_OF_MEMORY, TW_OPENCL_ERROR
  Mlp(const Library& library, const MlpModel& model, ElementType type = ElementType::kFloat);

  /// @return of inputs, outputs and weights
  ElementType element_type() const;

  /// @return columns of a batch; of a net with several inputs, of the first one
  std::size_t inputs() const;
  /// @return columns of its results; of a net with several outputs, of the first one
  std::size_t outputs() const;
  /// @return all inputs, in the order of the model
  std::vector<MlpPort> input_ports() const;
  /// @return all outputs, in the order of the model
  std::vector<MlpPort> output_ports() const;

  /// Plans a batch size and packs the weights as it wants them, so that a forward need not.
  /// @param queue  of the library's context and device; later commands on it wait until the
  ///     weights are packed. The packing itself runs on a queue of the net's own
  /// @param batch  rows
  /// @param input, output  as they will be: only offsets and leading dimensions are looked at, and
  ///     of these only by which power of two they can be divided, and whether rows have gaps; of a
  ///     buffer, how its start is aligned (none: for every vector). A leading dimension of 0: no
  ///     gaps
  /// @throws Error TW_INVALID_DIMENSION, TW_INVALID_LD_A, TW_INVALID_LD_C, TW_INVALID_QUEUE,
  ///     TW_BUILD_FAILURE, TW_OPENCL_ERROR; TW_OUT_OF_MEMORY, also if no buffer of the device holds
  ///     what a layer makes of the batch
  void prepare(const cl::CommandQueue& queue, std::size_t batch, const Matrix& input = {},
               const Matrix& output = {}) const;

  /// What lies between the layers. Loads the kernels; allocates no device memory.
  /// @param batch, input, output  as of prepare
  /// @return bytes of MlpForward::workspace
  /// @throws Error as prepare
  std::size_t workspace_bytes(std::size_t batch, const Matrix& input = {},
                              const Matrix& output = {}) const;

  /// What a forward does. Loads the kernels; allocates no device memory.
  /// @param batch, input, output  as of prepare
  /// @return its steps, in order; none of an empty batch
  /// @throws Error as prepare
  std::vector<MlpStep> describe(std::size_t batch, const Matrix& input = {},
                                const Matrix& output = {}) const;

  /// output = net(input), asynchronous: enqueues and returns. The host waits for nothing. After the
  /// first of a batch size, nothing is allocated but by OpenCL: with a workspace at all, without
  /// one if the library keeps one that is free.
  /// @param queue  of the library's context and device; in order or not
  /// @param input  batch x inputs(), row-major
  /// @param output  batch x outputs(), row-major, which must not overlap the input. Between its
  /// rows
  ///     nothing is written
  /// @param batch  rows; of none there is an event after wait_list
  /// @param wait_list  events that the commands wait for
  /// @param with  memory of the caller's, and who is told of the commands
  /// @return the event that completes when the output is written
  /// @throws Error TW_INVALID_DIMENSION; of the input TW_INVALID_LD_A, TW_INVALID_BUFFER_A,
  ///     TW_INSUFFICIENT_BUFFER_A; of the output those of C; of the workspace TW_INVALID_VALUE (its
  ///     offset), TW_INVALID_BUFFER_C, TW_INSUFFICIENT_BUFFER_C; TW_INVALID_QUEUE; TW_INVALID_VALUE
  ///     (the wait list); TW_BUILD_FAILURE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR
  cl::Event forward(const cl::CommandQueue& queue, const Matrix& input, const Matrix& output,
                    std::size_t batch, const std::vector<cl::Event>& wait_list = {},
                    const MlpForward& with = {}) const;

  /// forward() of a net with any number of inputs and outputs.
  /// @param queue  of the library's context and device; in order or not
  /// @param inputs  one matrix for each of input_ports(), in their order: batch x columns, row-major
  /// @param outputs  likewise for output_ports(); no output may overlap an input or another output
  /// @param batch  rows of all matrices
  /// @param wait_list  events that the commands wait for
  /// @param with  memory of the caller's, and an observer of the commands
  /// @return the event that completes when all outputs are written
  /// @throws Error TW_INVALID_VALUE for another number of matrices; else as forward()
  cl::Event forward_all(const cl::CommandQueue& queue, const std::vector<Matrix>& inputs,
                        const std::vector<Matrix>& outputs, std::size_t batch,
                        const std::vector<cl::Event>& wait_list = {},
                        const MlpForward& with = {}) const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace tilewright
