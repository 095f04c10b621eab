// The state of a network on a device: its weights, plans and kernels, and its forward pass.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/library.hpp"
#include "runtime/call/operand_check.hpp"
#include "runtime/network/network.hpp"
#include "runtime/network/network_plan.hpp"

namespace tilewright {

// Constants that kernel steps read. One buffer has the rows of all steps, another the tables.
struct StepConstants {
  cl::Buffer rows;    // floats; null if no step has rows
  cl::Buffer tables;  // ints; null if no step has tables
  // For each step, the offset of its first element.
  std::vector<std::size_t> first_row;
  std::vector<std::size_t> first_table;
};

// Shared by all copies of a Network. Thread-safe.
class Network::State {
 public:
  // The matrices of a forward pass, one for each input or output of the network.
  using Matrices = std::span<const Matrix>;

  State(std::shared_ptr<Library> library, const NetworkModel& model, ElementType type);
  ~State();

  std::size_t num_inputs() const { return inputs_.size(); }
  std::size_t num_outputs() const { return outputs_.size(); }
  const std::string& input_name(std::size_t number) const { return inputs_[number].name; }
  const std::string& output_name(std::size_t number) const { return outputs_[number].name; }
  // Columns of the input or output with this number.
  std::int64_t inputs(std::size_t number) const { return width(static_cast<NetworkValue>(number)); }
  std::int64_t outputs(std::size_t number) const { return width(steps_.outputs[number]); }
  ElementType type() const { return to_element_type(precision_); }

  void prepare(const cl::CommandQueue& queue, std::size_t batch, Matrices inputs,
               Matrices outputs) {
    library_->check(queue, {});
    const std::shared_ptr<const NetworkPlan> plan = prepared(batch, inputs, outputs);
    // Later commands on the queue wait until the weights are packed.
    if (!plan->packing.empty()) library_->enqueue_marker(queue, plan->packing);
  }
  // Returns the plan for a batch. Does not pack weights.
  std::shared_ptr<const NetworkPlan> planned(std::size_t batch, Matrices inputs, Matrices outputs);
  std::vector<StepDescription> describe(const NetworkPlan& plan) const;
  // Returns the floats of a workspace for all batches of up to `max_batch` rows.
  std::size_t max_workspace_floats(std::size_t max_batch);
  cl::Event forward(const cl::CommandQueue& queue, Matrices inputs, Matrices outputs,
                    std::size_t batch, const std::vector<cl::Event>& wait_list,
                    const NetworkForward& with);

 private:
  class Run;
  // Returns the plan for a batch; enqueues the packing of its weights where necessary. If there is
  // no memory for packed weights, returns a plan without packing.
  std::shared_ptr<const NetworkPlan> prepared(std::size_t batch, Matrices inputs, Matrices outputs);
  // The same for a pass in this workspace. If the fastest plan does not fit into it, returns a plan
  // without packing; throws if that does not fit either.
  std::shared_ptr<const NetworkPlan> prepared_within(const Workspace& workspace, std::size_t batch,
                                                     Matrices inputs, Matrices outputs);
  // Returns a plan without packing; null if it does not need less workspace than the plan `than`.
  std::shared_ptr<const NetworkPlan> smaller(const NetworkPlan& than, Matrices inputs,
                                             Matrices outputs);
  // Checks all arguments except the buffers. Throws Error.
  NetworkKey checked_key(std::size_t batch, Matrices inputs, Matrices outputs) const;
  std::shared_ptr<NetworkPlan> plan(const NetworkKey& key, Matrices inputs, Matrices outputs);
  // Returns the offset, leading dimension and alignment of a value that a chain reads or writes,
  // without its buffer.
  MatrixArgument end(const NetworkPlan& plan, NetworkValue value, Matrices inputs,
                     Matrices outputs) const;
  std::vector<PlannedPart> plan_chain_step(const PlanBasis& basis, const ChainQuestion& question);
  std::optional<PlannedPart> load_part(const ChainQuestion& question, const ChainPart& part,
                                       const BatchFormat& from, ChainLink& link);
  std::optional<std::vector<PlannedPart>> load_chain(const ChainQuestion& question,
                                                     std::vector<ChainLink>& links);
  [[noreturn]] void refuse(const ChainQuestion& question);
  LoadedKernel* load_step(std::size_t step);
  void pack(NetworkPlan& plan);
  std::shared_ptr<NetworkPlan> small_plan(NetworkKey key, Matrices inputs, Matrices outputs);
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

  const std::shared_ptr<Library> library_;
  const Precision precision_;
  const NetworkSteps steps_;
  std::vector<NetworkInput> inputs_;
  std::vector<NetworkOutput> outputs_;
  std::vector<int> output_indices_;
  std::vector<KernelRecord> records_;  // one per step; empty for a chain
  StepConstants constants_;
  NetworkPlans plans_;     // with packed weights
  NetworkPlans unpacked_;  // plans whose weights are not packed, because no forward pass used them
  // One plan is made at a time. Also guards kernels_, weights_ and the plans in unpacked_.
  std::mutex planning_;
  std::map<std::string, std::unique_ptr<LoadedKernel>> kernels_;  // of steps, keyed by source
  NetworkWeights weights_;
};

}  // namespace tilewright
