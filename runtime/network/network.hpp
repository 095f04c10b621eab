// A neural network on a device: its weights, plans and kernels, and its forward pass.
// tilewright/network.h documents what applications see.
//
// A forward pass is one chain of commands. All values between layers are row-major. The plans of
// the 16 most recently used forward passes are kept; plans that were only asked about never replace
// them.
//
// Failures are thrown as Error, before any command of the forward pass is enqueued, unless OpenCL
// itself failed half-way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/library.hpp"
#include "runtime/api/plan.hpp"
#include "runtime/call/operand_check.hpp"
#include "runtime/network/model/network_model.hpp"
#include "runtime/network/network_plan.hpp"

namespace tilewright {

// One step of a forward pass: a product with its bias and activation, or an activation or a
// softmax that runs as a kernel of its own, or a kernel that computes other layers.
struct StepDescription {
  std::string name;                  // names of its layers, joined with " + "
  std::vector<std::string> kernels;  // names of its kernels, in launch order
  std::size_t batch = 0;             // rows of its result
  std::size_t inputs = 0;            // columns of its input
  std::size_t outputs = 0;           // columns of its result
  double flops = 0.0;                // product: 2 batch inputs outputs; otherwise 0
  // Predicted device time in ns, from the results in the profile; nullopt: not measured
  std::optional<double> predicted_ns;
};

// An input or an output of a network.
struct NetworkPort {
  std::string name;         // as in the model; may be empty
  std::size_t columns = 0;  // columns of its matrix
};

// A command of a forward pass that was just enqueued.
struct NetCommand {
  std::size_t step;           // index in the result of Network::describe()
  const std::string& kernel;  // name of the kernel; valid during the call of the observer
  const cl::Event& event;     // completes with the command; copy it to keep it
};

// Optional arguments of a forward pass.
struct NetworkForward {
  // Memory for the results between layers: Network::workspace_bytes(), or
  // Network::max_workspace_bytes() for all batch sizes up to a maximum. Nothing else may use the
  // memory until the forward pass is complete. Null: the library allocates memory and keeps it for
  // later calls.
  Workspace workspace;
  // If not null, called for each command, in order, on the thread that called forward(). If it
  // throws, forward() throws the same exception; commands enqueued so far are still executed.
  std::function<void(const NetCommand&)> observer;
};

// Constants that kernel steps read. One buffer has the rows of all steps, another the tables.
struct StepConstants {
  cl::Buffer rows;    // floats; null if no step has rows
  cl::Buffer tables;  // ints; null if no step has tables
  // For each step, the offset of its first element.
  std::vector<std::size_t> first_row;
  std::vector<std::size_t> first_table;
};

// Thread-safe: any number of threads may use one network on any queues.
class Network {
 public:
  // The matrices of a forward pass, one for each input or output of the network.
  using Matrices = std::span<const Matrix>;

  // Returns when the weights are copied to the device. `type`: of weights, inputs and outputs.
  // Throws Error TW_INVALID_NETWORK with the number of the layer, and those of tw_network_create.
  Network(LibraryHandle library, const NetworkModel& model, ElementType type = ElementType::kFloat);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  ElementType element_type() const { return to_element_type(precision_); }
  std::size_t num_inputs() const { return inputs_.size(); }
  std::size_t num_outputs() const { return outputs_.size(); }
  // Columns of the first input and output.
  std::size_t inputs() const { return inputs_.front().columns; }
  std::size_t outputs() const { return outputs_.front().columns; }
  const std::vector<NetworkPort>& input_ports() const { return inputs_; }
  const std::vector<NetworkPort>& output_ports() const { return outputs_; }

  // Plans a batch size and packs the weights for it; later commands on the queue wait until they
  // are packed. Of the matrices only offsets, leading dimensions (0: without gaps) and the
  // alignment of buffers matter. No matrices: those without offsets and gaps.
  void prepare_all(const cl::CommandQueue& queue, std::size_t batch, Matrices inputs = {},
                   Matrices outputs = {}) const;
  // The same with one matrix for all inputs, and one for all outputs.
  void prepare(const cl::CommandQueue& queue, std::size_t batch, const Matrix& input = {},
               const Matrix& output = {}) const {
    prepare_all(queue, batch, std::vector<Matrix>(num_inputs(), input),
                std::vector<Matrix>(num_outputs(), output));
  }

  // The memory for the results between layers. Loads the kernels; allocates no device memory.
  std::size_t workspace_bytes_all(std::size_t batch, Matrices inputs = {},
                                  Matrices outputs = {}) const;
  std::size_t workspace_bytes(std::size_t batch, const Matrix& input = {},
                              const Matrix& output = {}) const {
    return workspace_bytes_all(batch, std::vector<Matrix>(num_inputs(), input),
                               std::vector<Matrix>(num_outputs(), output));
  }
  // The memory for all batches of up to `max_batch` rows.
  std::size_t max_workspace_bytes(std::size_t max_batch) const;

  // The steps of a forward pass, in order; none for an empty batch. Loads the kernels.
  std::vector<StepDescription> describe(std::size_t batch, const Matrix& input = {},
                                        const Matrix& output = {}) const {
    return describe(*planned(batch, std::vector<Matrix>(num_inputs(), input),
                             std::vector<Matrix>(num_outputs(), output)));
  }

  // Enqueues a forward pass, and returns the event that completes when all outputs are written.
  cl::Event forward_all(const cl::CommandQueue& queue, Matrices inputs, Matrices outputs,
                        std::size_t batch, const std::vector<cl::Event>& wait_list = {},
                        const NetworkForward& with = {}) const;
  // Of a network with one input and one output.
  cl::Event forward(const cl::CommandQueue& queue, const Matrix& input, const Matrix& output,
                    std::size_t batch, const std::vector<cl::Event>& wait_list = {},
                    const NetworkForward& with = {}) const {
    return forward_all(queue, std::span(&input, 1), std::span(&output, 1), batch, wait_list, with);
  }

 private:
  class Run;
  static void check_count(const char* what, std::size_t count, std::size_t given);
  // One matrix for each port; of none at all, matrices without offsets and gaps.
  static std::vector<Matrix> for_ports(const char* what, std::size_t count, Matrices given);
  // Returns the plan for a batch, which may have no weights yet.
  std::shared_ptr<NetworkPlan> planned(const NetworkKey& key, Matrices inputs,
                                       Matrices outputs) const;
  std::shared_ptr<NetworkPlan> planned(std::size_t batch, Matrices inputs, Matrices outputs) const {
    library_->require_same_process();
    return planned(checked_key(batch, inputs, outputs), inputs, outputs);
  }
  std::vector<StepDescription> describe(const NetworkPlan& plan) const;
  // Gives a plan its weights and puts it into the cache; enqueues their packing where necessary.
  void pack(const std::shared_ptr<NetworkPlan>& given) const;
  // Returns the plan for a forward pass in the workspace, with weights. If the fastest plan does
  // not fit into the workspace (null: that of the library), or there is no memory for its packed
  // weights, returns a plan without packing. Throws Error.
  std::shared_ptr<const NetworkPlan> prepared(std::size_t batch, Matrices inputs, Matrices outputs,
                                              const Workspace& workspace = {}) const;
  // Returns a plan with weights but without packing; null if there is none, or if it needs more
  // workspace than the plan `than`.
  std::shared_ptr<NetworkPlan> smaller(const NetworkPlan& than, Matrices inputs,
                                       Matrices outputs) const;
  // Checks all arguments except the buffers. Throws Error.
  NetworkKey checked_key(std::size_t batch, Matrices inputs, Matrices outputs) const;
  std::shared_ptr<NetworkPlan> plan(const NetworkKey& key, Matrices inputs, Matrices outputs) const;
  // Returns the offset, leading dimension and alignment of a value that a layer reads or writes,
  // without its buffer.
  MatrixArgument end(const NetworkPlan& plan, NetworkValue value, Matrices inputs,
                     Matrices outputs) const;
  PlannedStep plan_step(const LayerStep& step, const NetworkKey& key, const MatrixArgument& from,
                        const MatrixArgument& to) const;
  LoadedKernel* load_step(std::size_t step) const;
  enum class Side { kInput, kOutput };
  // For the checks of one input or output of a batch.
  OperandRole role(Side side, std::size_t batch, std::size_t index) const;
  void check_buffers(std::size_t batch, Matrices inputs, Matrices outputs) const;
  static bool fits_into(const NetworkPlan& plan, const Workspace& workspace);
  void check_workspace(const Workspace& workspace, const NetworkPlan& plan) const;

  std::int64_t width(NetworkValue value) const { return steps_.widths[value_index(value)]; }
  // Returns the index of the network output that has the value; -1: none.
  int output_index(NetworkValue value) const { return output_indices_[value_index(value)]; }
  bool is_input(NetworkValue value) const { return value < steps_.num_inputs; }
  bool is_of_caller(NetworkValue value) const {
    return is_input(value) || output_index(value) >= 0;
  }

  const std::shared_ptr<Library> library_;
  const Precision precision_;
  const NetworkSteps steps_;
  std::vector<NetworkPort> inputs_;
  std::vector<NetworkPort> outputs_;
  std::vector<int> output_indices_;
  std::vector<KernelRecord> records_;  // one per step; empty for layers
  StepConstants constants_;
  // What is made when it is first needed.
  mutable NetworkPlans plans_;
  // One plan is made at a time. Also guards kernels_, weights_ and plans without weights.
  mutable std::mutex planning_;
  mutable std::map<std::string, std::unique_ptr<LoadedKernel>> kernels_;  // of steps, by source
  mutable NetworkWeights weights_;
};

}  // namespace tilewright
