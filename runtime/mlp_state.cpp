#include "runtime/mlp_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/opencl_error.hpp"

namespace tilewright {
namespace {

// Says of what an error is: the checks speak of A and C.
template <class Check>
void check_as(const char* what, const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    throw Error(error.status(), fmt::format("the {}: {}", what, error.what()), error.opencl_code());
  }
}

std::vector<MlpStage> checked_stages(const MlpModel& model) {
  check_model(model);
  return stages_of(model);
}

bool has_gaps(const MatrixArgument& matrix, std::int64_t columns) {
  return std::cmp_not_equal(matrix.ld, columns);
}

MlpStep described(const MlpStage& stage, const PlannedStage& planned, std::int64_t batch) {
  MlpStep step;
  step.name = stage.name;
  step.batch = static_cast<std::size_t>(batch);
  step.inputs = static_cast<std::size_t>(stage.inputs);
  step.outputs = static_cast<std::size_t>(stage.outputs);
  const double elements = static_cast<double>(step.batch) * static_cast<double>(step.outputs);
  if (!planned.product) {
    step.kernels.push_back(planned.layer.kernel->record().name);
    const auto& pace = planned.layer.ns_per_element;
    if (pace) step.predicted_ns = *pace * elements;
    return step;
  }
  const Route& route = planned.product->route;
  for (const LoadedKernel* kernel : route.in_order()) {
    if (kernel != route.pack_b) step.kernels.push_back(kernel->record().name);
  }
  step.flops = 2.0 * elements * static_cast<double>(step.inputs);
  if (route.plan.times.kernel_ns) step.predicted_ns = route.plan.times.total_ns();
  return step;
}

}  // namespace

Mlp::State::State(std::shared_ptr<Library::State> library, const MlpModel& model)
    : library_(std::move(library)), stages_(checked_stages(model)), weights_(*library_, model) {}

// As a product, for the checks of products: A is the input, C the output.
GemmCall Mlp::State::call_of(std::size_t batch) const {
  return {.m = batch,
          .n = static_cast<std::size_t>(outputs()),
          .k = static_cast<std::size_t>(inputs())};
}

Mlp::State::Ends Mlp::State::checked_ends(std::size_t batch, const Matrix& input,
                                          const Matrix& output) const {
  if (batch > kMaxExtent) {
    throw Error(TW_INVALID_DIMENSION,
                fmt::format("the batch has {} rows: at most {} are served", batch, kMaxExtent));
  }
  const GemmCall call = call_of(batch);
  const Matrix in{{}, input.offset, input.ld == 0 ? call.k : input.ld};
  const Matrix out{{}, output.offset, output.ld == 0 ? call.n : output.ld};
  check_as("input (A) or output (C)", [&] { resolve(call, in, {{}, 0, call.n}, out); });
  return {{nullptr, in.offset, in.ld}, {nullptr, out.offset, out.ld}};
}

MlpKey Mlp::State::key_of(std::size_t batch, const Ends& ends) const {
  const std::size_t most = library_->most_alignment();
  return {static_cast<std::int64_t>(batch), alignment_of(ends.in, most),
          alignment_of(ends.out, most), has_gaps(ends.out, outputs())};
}

PlannedStage Mlp::State::plan_stage(const MlpStage& stage, std::int64_t batch,
                                    const MatrixArgument& from, const MatrixArgument& to) {
  PlannedStage planned;
  const bool gaps = has_gaps(from, stage.inputs) || has_gaps(to, stage.outputs);
  switch (stage.kind) {
    case MlpStage::Kind::kActivation:
      planned.layer = library_->activation_kernel(stage.demand, gaps);
      return planned;
    case MlpStage::Kind::kSoftmax:
      planned.layer = library_->softmax_kernel();
      return planned;
    case MlpStage::Kind::kProduct:
      break;
  }
  GemmProblem& problem = planned.problem;
  problem.shape = {batch, stage.outputs, stage.inputs};
  problem.a = from;
  problem.b = weights_.place(stage.product);
  problem.c = to;
  problem.bias = weights_.bias(stage.product);
  problem.slope = stage.slope;
  problem.demand = stage.demand;
  problem.keeps_b = true;
  planned.product = library_->route(problem);
  return planned;
}

std::shared_ptr<MlpPlan> Mlp::State::plan(const MlpKey& key, const Ends& ends) {
  const auto lies = [&](MlpPlace place, std::int64_t width) -> MatrixArgument {
    if (place == MlpPlace::kInput) return ends.in;
    if (place == MlpPlace::kOutput) return ends.out;
    return {nullptr, 0, whole_vectors(static_cast<std::size_t>(width))};
  };
  auto plan = std::make_shared<MlpPlan>();
  plan->key = key;
  if (key.batch == 0) return plan;
  for (const MlpStage& stage : stages_) {
    plan->stages.push_back(plan_stage(stage, key.batch, lies(stage.from, stage.inputs),
                                      lies(stage.to, stage.outputs)));
  }
  plan->workspace = lay_out(key.batch, stages_, plan->stages);
  return plan;
}

void Mlp::State::pack(MlpPlan& plan, const cl::CommandQueue& queue) {
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    PlannedStage& stage = plan.stages[i];
    if (!stage.product) continue;
    stage.weights = &weights_.packed(stages_[i].product, stage.product->route, queue);
    if (stage.weights->ready() != nullptr) plan.packing.push_back(stage.weights->ready);
  }
  plan.is_packed = plan.packing.empty();
  // Another queue may wait for it.
  if (!plan.packing.empty()) check_opencl(queue.flush(), "clFlush");
}

std::shared_ptr<const MlpPlan> Mlp::State::prepared(const cl::CommandQueue& queue,
                                                    std::size_t batch, const Matrix& input,
                                                    const Matrix& output) {
  const Ends ends = checked_ends(batch, input, output);
  const MlpKey key = key_of(batch, ends);
  if (auto known = plans_.find(key)) return known;
  const std::lock_guard lock(planning_);
  if (auto known = plans_.find(key)) return known;
  const std::shared_ptr<MlpPlan> made = plan(key, ends);
  pack(*made, queue);
  plans_.insert(made);
  return made;
}

std::shared_ptr<const MlpPlan> Mlp::State::planned(std::size_t batch, const Matrix& input,
                                                   const Matrix& output) {
  const Ends ends = checked_ends(batch, input, output);
  const MlpKey key = key_of(batch, ends);
  if (auto known = plans_.find(key)) return known;
  const std::lock_guard lock(planning_);
  return plan(key, ends);
}

std::vector<MlpStep> Mlp::State::describe(const MlpPlan& plan) const {
  std::vector<MlpStep> steps;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    steps.push_back(described(stages_[i], plan.stages[i], plan.key.batch));
  }
  return steps;
}

void Mlp::State::check_buffers(std::size_t batch, const Matrix& input, const Matrix& output) const {
  const GemmCall call = call_of(batch);
  const cl_context context = library_->executor().context()();
  check_as("input", [&] { check_matrix(call, 'A', input, context); });
  check_as("output", [&] { check_matrix(call, 'C', output, context); });
}

void Mlp::State::check_workspace(const Workspace& workspace, const MlpPlan& plan) const {
  if (workspace.offset % Plan::offset_multiple() != 0) {
    throw Error(TW_INVALID_VALUE,
                fmt::format("the workspace begins at offset {}: it must be a multiple of {} "
                            "elements",
                            workspace.offset, Plan::offset_multiple()));
  }
  check_as("workspace", [&] {
    check_room('C', workspace.buffer, workspace.offset, plan.workspace.whole.elements,
               library_->executor().context()());
  });
}

}  // namespace tilewright
