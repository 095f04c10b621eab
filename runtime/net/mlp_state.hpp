// What does a net on a device hold, and how does a forward become commands?
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tilewright/mlp.hpp>
#include "runtime/api/library_state.hpp"
#include "runtime/net/mlp_plan.hpp"

namespace tilewright {

// Constants that kernel steps read: those of all steps in one buffer each.
struct StepConstants {
  cl::Buffer rows;    // floats; null: there are none
  cl::Buffer tables;  // ints; null: there are none
  // Of each step, where its own begin.
  std::vector<std::size_t> first_row;
  std::vector<std::size_t> first_table;
};

// Thread-safe.
class Mlp::State {
 public:
  // Of a forward, one for each input or output of the net.
  using Matrices = std::span<const Matrix>;

  State(std::shared_ptr<Library::State> library, const MlpModel& model, ElementType type);
  ~State();

  std::size_t num_inputs() const { return inputs_.size(); }
  std::size_t num_outputs() const { return outputs_.size(); }
  const std::string& input_name(std::size_t number) const { return inputs_[number].name; }
  const std::string& output_name(std::size_t number) const { return outputs_[number].name; }
  // Columns.
  std::int64_t inputs(std::size_t number) const { return width(static_cast<MlpValue>(number)); }
  std::int64_t outputs(std::size_t number) const { return width(steps_.outputs[number]); }
  ElementType type() const { return to_element_type(precision_); }

  void prepare(const cl::CommandQueue& queue, std::size_t batch, Matrices inputs,
               Matrices outputs) {
    library_->check(queue, {});
    const std::shared_ptr<const MlpPlan> plan = prepared(batch, inputs, outputs);
    // Whoever waits for the queue finds the weights packed.
    if (!plan->packing.empty()) library_->enqueue_marker(queue, plan->packing);
  }
  // The plan for a batch; maybe without weights.
  std::shared_ptr<const MlpPlan> planned(std::size_t batch, Matrices inputs, Matrices outputs);
  std::vector<MlpStep> describe(const MlpPlan& plan) const;
  cl::Event forward(const cl::CommandQueue& queue, Matrices inputs, Matrices outputs,
                    std::size_t batch, const std::vector<cl::Event>& wait_list,
                    const MlpForward& with);

 private:
  class Run;
  // The plan for a batch with weights as it wants them; enqueues packing if need be. The plan
  // without packing if there is no memory for the weights.
  std::shared_ptr<const MlpPlan> prepared(std::size_t batch, Matrices inputs, Matrices outputs);
  // The plan without packing; null if it needs no less memory between the layers.
  std::shared_ptr<const MlpPlan> smaller(const MlpPlan& than, Matrices inputs, Matrices outputs);
  // Checks all but buffers.
  MlpKey checked_key(std::size_t batch, Matrices inputs, Matrices outputs) const;
  std::shared_ptr<MlpPlan> plan(const MlpKey& key, Matrices inputs, Matrices outputs);
  // A value as a chain reads or writes it, without its buffer.
  MatrixArgument end(const MlpPlan& plan, MlpValue value, Matrices inputs, Matrices outputs) const;
  std::vector<PlannedStage> plan_chain_step(const PlanBasis& basis, const ChainQuestion& question);
  std::optional<PlannedStage> load_stage(const ChainQuestion& question, const MlpStage& stage,
                                         const HeldBatch& from, ChainLink& link);
  std::optional<std::vector<PlannedStage>> load_chain(const ChainQuestion& question,
                                                      std::vector<ChainLink>& links);
  [[noreturn]] void refuse(const ChainQuestion& question);
  LoadedKernel* load_step(std::size_t step);
  void pack(MlpPlan& plan);
  std::shared_ptr<MlpPlan> small_plan(MlpKey key, Matrices inputs, Matrices outputs);
  GemmCall equivalent_gemm_call(std::size_t batch, std::int64_t inputs, std::int64_t outputs) const;
  void check_buffers(std::size_t batch, Matrices inputs, Matrices outputs) const;
  void check_workspace(const Workspace& workspace, const MlpPlan& plan) const;

  std::int64_t width(MlpValue value) const {
    return steps_.widths[static_cast<std::size_t>(value)];
  }
  // Which output of the caller's holds the value; -1: none does.
  int output_of(MlpValue value) const { return output_of_[static_cast<std::size_t>(value)]; }
  bool is_input(MlpValue value) const { return value < steps_.num_inputs; }

  const std::shared_ptr<Library::State> library_;
  const Precision precision_;
  const NetSteps steps_;
  std::vector<MlpInput> inputs_;
  std::vector<MlpOutput> outputs_;
  std::vector<int> output_of_;
  std::vector<KernelRecord> records_;  // of each step; of a chain it is empty
  StepConstants constants_;
  MlpPlans plans_;
  // One plan is made at a time. Guards the weights that are packed and the kernels of steps, too.
  std::mutex planning_;
  std::map<std::string, std::unique_ptr<LoadedKernel>> kernels_;  // of steps, by their sources
  MlpWeights weights_;
};

}  // namespace tilewright
