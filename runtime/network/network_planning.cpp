// Plans the forward passes of a network, and loads the kernels and packs the weights for them.
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "runtime/api/explanation.hpp"
#include "runtime/call/buffer_alignment.hpp"
#include "runtime/device/log.hpp"
#include "runtime/network/network.hpp"

namespace tilewright {
namespace {

std::string describe_step(const StepDescription& step, Precision precision) {
  return fmt::format("planned {} of a network{} for a batch of {}: {}, {}", step.name,
                     of_elements(precision), step.batch, fmt::join(step.kernels, " + "),
                     predicted_text(step.predicted_ns));
}

}  // namespace

// With several inputs or outputs, the plan must be valid for all of them, so it uses the alignment
// and gaps in the key.
MatrixArgument Network::end(const NetworkPlan& plan, NetworkValue value, Matrices inputs,
                            Matrices outputs) const {
  const auto columns = static_cast<std::size_t>(width(value));
  if (!is_of_caller(value)) return {nullptr, 0, plan.values[value_index(value)].ld};
  const Matrices all = is_input(value) ? inputs : outputs;
  const std::size_t bytes = bytes_per_element(precision_);
  if (all.size() == 1) {
    const Matrix& given = all.front();
    return {nullptr, given.offset, given.ld == 0 ? columns : given.ld,
            buffer_alignment(given.buffer(), bytes)};
  }
  const std::size_t alignment = is_input(value) ? plan.key.alignment_in : plan.key.alignment_out;
  const bool gaps = is_input(value) ? plan.key.gaps_in : plan.key.gaps_out;
  return {nullptr, 0, gaps ? (columns / alignment + 1) * alignment : columns, alignment};
}

// Chooses and loads the kernels of a step. `from` and `to` are without buffers.
PlannedStep Network::plan_step(const LayerStep& step, const NetworkKey& key,
                               const MatrixArgument& from, const MatrixArgument& to) const {
  PlannedStep planned;
  if (step.kind == LayerStep::Kind::kSoftmax) {
    planned.kernel = library_->softmax_kernel(precision_, step.epilogue.activation);
    return planned;
  }
  if (step.kind == LayerStep::Kind::kActivation) {
    const bool gaps =
        std::cmp_not_equal(from.ld, step.outputs) || std::cmp_not_equal(to.ld, step.outputs);
    planned.kernel = library_->activation_kernel(precision_, step.epilogue, gaps);
    if (planned.kernel.kernel->record().bias != Dimension::kNone) {
      planned.zeros = weights_.zeros(static_cast<std::size_t>(step.outputs));
    }
    return planned;
  }
  GemmProblem& problem = planned.problem;
  problem.shape = {key.batch, step.outputs, step.inputs};
  problem.epilogue = step.epilogue;
  problem.arguments = step.arguments;
  problem.precision = precision_;
  problem.float_sums = true;
  problem.a = from;
  problem.b.ld = whole_vectors(static_cast<std::size_t>(step.outputs));
  problem.c = to;
  // Without temporaries, packed weights included.
  problem.b_prepacked = !key.small;
  planned.product =
      key.small ? library_->route_without_temporaries(problem) : library_->route(problem);
  if (planned.product == nullptr) {
    throw Error(TW_BUILD_FAILURE,
                fmt::format("no kernel can compute {} without packed matrices", step.name));
  }
  problem.bias = weights_.bias(step.product);
  return planned;
}

LoadedKernel* Network::load_step(std::size_t step) const {
  const KernelRecord& record = records_[step];
  const std::string key =
      fmt::format("{} {} {}", record.work_group[0], record.work_group[1], record.source);
  if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second.get();
  Loaded loaded = library_->executor().load(record);
  if (const auto* kernel_error = std::get_if<KernelError>(&loaded)) {
    throw Error(TW_BUILD_FAILURE, kernel_error->reason, kernel_error->opencl_code);
  }
  auto& kernel = std::get<std::unique_ptr<LoadedKernel>>(loaded);
  return kernels_.emplace(key, std::move(kernel)).first->second.get();
}

std::shared_ptr<NetworkPlan> Network::plan(const NetworkKey& key, Matrices inputs,
                                           Matrices outputs) const {
  auto plan = std::make_shared<NetworkPlan>();
  plan->key = key;
  if (key.batch == 0) return plan;
  std::vector<bool> needs_memory(steps_.widths.size());
  for (std::size_t value = 0; value < needs_memory.size(); ++value) {
    needs_memory[value] = !is_of_caller(static_cast<NetworkValue>(value));
  }
  const std::size_t floats =
      place_values(steps_, needs_memory, key.batch, precision_, plan->values);
  if (floats > library_->plan_basis().device.max_buffer_bytes / sizeof(float)) {
    throw Error(TW_OUT_OF_MEMORY,
                fmt::format("the values between the layers, for a batch of {} in {}, are too large "
                            "for a buffer of the device",
                            key.batch, elements_text(precision_)));
  }
  for (std::size_t i = 0; i < steps_.steps.size(); ++i) {
    if (const auto* layer = std::get_if<LayerStep>(&steps_.steps[i])) {
      plan->steps.push_back(plan_step(*layer, key, end(*plan, layer->from, inputs, outputs),
                                      end(*plan, layer->to, inputs, outputs)));
    } else {
      plan->steps.emplace_back().kernel.kernel = load_step(i);
    }
  }
  plan->workspace = lay_out(floats, plan->steps);
  return plan;
}

std::shared_ptr<NetworkPlan> Network::planned(const NetworkKey& key, Matrices inputs,
                                              Matrices outputs) const {
  if (auto known = plans_.find(key)) return known;
  const std::lock_guard lock(planning_);
  if (auto known = plans_.find(key)) return known;
  std::shared_ptr<NetworkPlan> made = plan(key, inputs, outputs);
  plans_.insert(key, made);
  if (library_->log()) {
    for (const StepDescription& step : describe(*made))
      write_log(library_->log(), Severity::kInfo, describe_step(step, precision_));
  }
  return made;
}

void Network::pack(const std::shared_ptr<NetworkPlan>& given) const {
  NetworkPlan& plan = *given;
  if (plan.has_weights) return;
  const std::lock_guard lock(planning_);
  if (plan.has_weights) return;
  const std::vector<std::size_t> copies = weights_.copies();
  plan.packing.clear();
  try {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      PlannedStep& step = plan.steps[i];
      if (!step.product) continue;
      const std::size_t layer = std::get<LayerStep>(steps_.steps[i]).product;
      step.weights = &weights_.packed(layer, step.product->route);
      if (step.weights->ready() != nullptr) plan.packing.push_back(step.weights->ready);
    }
  } catch (const Error&) {
    weights_.free_since(copies);
    throw;
  }
  plan.is_packed = plan.packing.empty();
  plan.has_weights = true;
  plans_.insert(plan.key, given);
}

std::shared_ptr<NetworkPlan> Network::smaller(const NetworkPlan& than, Matrices inputs,
                                              Matrices outputs) const {
  if (than.key.small) return nullptr;
  NetworkKey key = than.key;
  key.small = true;
  try {
    std::shared_ptr<NetworkPlan> small = planned(key, inputs, outputs);
    if (small->workspace.whole.elements > than.workspace.whole.elements) return nullptr;
    pack(small);
    return small;
  } catch (const Error&) {
    return nullptr;  // the caller reports why the first plan cannot be used
  }
}

std::shared_ptr<const NetworkPlan> Network::prepared(std::size_t batch, Matrices inputs,
                                                     Matrices outputs,
                                                     const Workspace& workspace) const {
  const NetworkKey key = checked_key(batch, inputs, outputs);
  std::shared_ptr<NetworkPlan> made = planned(key, inputs, outputs);
  if (workspace.buffer() != nullptr && batch > 0) {
    if (!fits_into(*made, workspace)) {
      if (auto small = smaller(*made, inputs, outputs)) made = std::move(small);
    }
    check_workspace(workspace, *made);
  }
  try {
    pack(made);
  } catch (const Error& error) {
    if (error.status() != TW_OUT_OF_MEMORY) throw;
    std::shared_ptr<NetworkPlan> small = smaller(*made, inputs, outputs);
    if (!small) throw;
    write_log(library_->log(), Severity::kWarning,
              fmt::format("no memory for packed weights: {}", error.what()));
    plans_.insert(key, small);  // later forward passes with this key use it, too
    made = std::move(small);
  }
  return made;
}

// Small plans need a workspace that grows with the batch, for the values between the steps and
// nothing else. So the small plan of the largest batch bounds those of all others. The workspaces
// of the fastest plans have no such bound: these plans differ from batch to batch. Where one does
// not fit, forward() uses the small plan. Plans that are made only to ask are not kept.
std::size_t Network::max_workspace_bytes(std::size_t max_batch) const {
  library_->require_same_process();
  const std::vector<Matrix> inputs(num_inputs());
  const std::vector<Matrix> outputs(num_outputs());
  NetworkKey key = checked_key(max_batch, inputs, outputs);
  const std::lock_guard lock(planning_);
  const auto workspace_floats = [&] {
    std::shared_ptr<const NetworkPlan> known = plans_.find(key);
    if (known == nullptr) known = plan(key, inputs, outputs);
    return known->workspace.whole.elements;
  };
  std::size_t floats = workspace_floats();
  for (std::size_t batch = 1; batch < max_batch; batch *= 2) {
    key.batch = static_cast<std::int64_t>(batch);
    floats = std::max(floats, workspace_floats());
  }
  key.batch = static_cast<std::int64_t>(max_batch);
  key.small = true;
  try {
    return std::max(floats, workspace_floats()) * sizeof(float);
  } catch (const Error& error) {
    throw Error(error.status(),
                fmt::format("no workspace suffices for all batch sizes, because the network cannot "
                            "run without packed matrices: {}; ask for the workspace of each batch "
                            "size",
                            error.what()));
  }
}

}  // namespace tilewright
