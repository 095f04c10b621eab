// What does a net on a device hold, and how does a forward become commands?
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <tilewright/mlp.hpp>
#include "runtime/api/library_state.hpp"
#include "runtime/net/mlp_plan.hpp"

namespace tilewright {

// Thread-safe.
class Mlp::State {
 public:
  State(std::shared_ptr<Library::State> library, const MlpModel& model, ElementType type);

  std::int64_t inputs() const { return stages_.front().inputs; }
  std::int64_t outputs() const { return stages_.back().outputs; }
  ElementType type() const { return to_element_type(precision_); }

  void prepare(const cl::CommandQueue& queue, std::size_t batch, const Matrix& input,
               const Matrix& output) {
    library_->check(queue, {});
    const std::shared_ptr<const MlpPlan> plan = prepared(batch, input, output);
    // Whoever waits for the queue finds the weights packed.
    if (!plan->packing.empty()) library_->enqueue_marker(queue, plan->packing);
  }
  // The plan for a batch; maybe without weights.
  std::shared_ptr<const MlpPlan> planned(std::size_t batch, const Matrix& input,
                                         const Matrix& output);
  std::vector<MlpStep> describe(const MlpPlan& plan) const;
  cl::Event forward(const cl::CommandQueue& queue, const Matrix& input, const Matrix& output,
                    std::size_t batch, const std::vector<cl::Event>& wait_list,
                    const MlpForward& with);

 private:
  class Run;
  // The plan for a batch with weights as it wants them; enqueues packing if need be. The plan
  // without packing if there is no memory for the weights.
  std::shared_ptr<const MlpPlan> prepared(std::size_t batch, const Matrix& input,
                                          const Matrix& output);
  // The plan without packing; null if it needs no less memory between the layers.
  std::shared_ptr<const MlpPlan> smaller(const MlpPlan& than, const Matrix& input,
                                         const Matrix& output);
  // Input and output without their buffers, but with the alignment of these and with the leading
  // dimensions that the caller left open.
  struct Ends {
    MatrixArgument in;
    MatrixArgument out;
  };
  Ends checked_ends(std::size_t batch, const Matrix& input, const Matrix& output) const;
  MlpKey make_plan_key(std::size_t batch, const Ends& ends) const;
  std::shared_ptr<MlpPlan> plan(const MlpKey& key, const Ends& ends);
  std::optional<PlannedStage> load_stage(const ChainQuestion& question, const MlpStage& stage,
                                         const HeldBatch& from, ChainLink& link);
  std::optional<std::vector<PlannedStage>> load_chain(const ChainQuestion& question,
                                                      std::vector<ChainLink>& links);
  [[noreturn]] void refuse(const ChainQuestion& question);
  void pack(MlpPlan& plan);
  std::shared_ptr<MlpPlan> small_plan(MlpKey key, const Ends& ends);
  GemmCall equivalent_gemm_call(std::size_t batch) const;
  void check_buffers(std::size_t batch, const Matrix& input, const Matrix& output) const;
  void check_workspace(const Workspace& workspace, const MlpPlan& plan) const;

  const std::shared_ptr<Library::State> library_;
  const Precision precision_;
  const std::vector<MlpStage> stages_;
  MlpPlans plans_;
  std::mutex planning_;  // one plan is made at a time; guards the weights that are packed, too
  MlpWeights weights_;
};

}  // namespace tilewright
