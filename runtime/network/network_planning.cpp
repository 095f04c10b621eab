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
  const bool is_of_caller = is_input(value) || output_index(value) >= 0;
  if (!is_of_caller) return {nullptr, 0, plan.values[value_index(value)].ld};
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

// Loads the kernels of a part; nullopt if one cannot be loaded.
std::optional<PlannedPart> Network::load_part(const ChainQuestion& question, const ChainPart& part,
                                              const BatchFormat& from, ChainLink& link) const {
  PlannedPart planned;
  planned.columns = link.to.columns;
  planned.along_memory = link.along_memory;
  if (!link.product) {
    planned.layer = library_->load(link.kernels);
    if (planned.layer.kernel == nullptr) return std::nullopt;
    if (planned.layer.kernel->record().bias != Dimension::kNone) {
      planned.zeros = weights_.zeros(static_cast<std::size_t>(planned.columns) + kMaxPadding);
    }
    return planned;
  }
  planned.product = library_->load(*link.product);
  if (planned.product == nullptr) return std::nullopt;
  planned.problem = layer_problem(question, part, from, link.to);
  planned.problem.bias = weights_.bias(part.product);
  return planned;
}

// Loads the kernels of all parts of a chain; nullopt if one cannot be loaded.
std::optional<std::vector<PlannedPart>> Network::load_chain(const ChainQuestion& question,
                                                            std::vector<ChainLink>& links) const {
  const std::vector<Storage> storages = result_storages(question, links);
  std::vector<PlannedPart> planned;
  BatchFormat from{Layout::R(), question.parts.front().inputs};
  for (std::size_t i = 0; i < question.parts.size(); ++i) {
    auto part = load_part(question, question.parts[i], from, links[i]);
    if (!part) return std::nullopt;
    part->made = storages[i];
    planned.push_back(std::move(*part));
    from = links[i].to;
  }
  return planned;
}

// Throws the reason why a chain cannot be planned: plans each part separately, with row-major
// batches, so that the error names the part.
void Network::refuse(const ChainQuestion& question) const {
  const DeviceInfo& device = library_->plan_basis().device;
  for (const ChainPart& part : question.parts) {
    if (is_between_layers(part.to) && !can_hold(device, question, {Layout::R(), part.outputs})) {
      throw Error(
          TW_OUT_OF_MEMORY,
          fmt::format("the result of {}, {} x {} in {}, is too large for a buffer of the device",
                      part.name, question.batch, part.outputs, elements_text(precision_)));
    }
    if (part.kind == ChainPart::Kind::kSoftmax) {
      library_->softmax_kernel(precision_, part.epilogue.activation);
    } else if (part.kind == ChainPart::Kind::kActivation) {
      library_->activation_kernel(precision_, part.epilogue, false);
    } else {
      library_->route(
          layer_problem(question, part, {Layout::R(), part.inputs}, {Layout::R(), part.outputs}));
    }
  }
  throw Error(TW_BUILD_FAILURE, "no kernels can compute this network on this device");
}

std::vector<PlannedPart> Network::plan_chain_step(const PlanBasis& basis,
                                                  const ChainQuestion& question) const {
  // Each iteration excludes at least one more kernel that cannot be loaded.
  for (;;) {
    auto links = plan_chain(basis, question);
    if (!links) refuse(question);
    if (auto parts = load_chain(question, *links)) return std::move(*parts);
  }
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
  PlanBasis basis = library_->plan_basis();
  if (key.small) {
    basis.misses = [misses = std::move(basis.misses)](const KernelRecord& record) {
      const bool needs_padding =
          is_product(record.role) &&
          (record.edges == Edges::kPadded || record.layout_c != Layout::R() || record.split_k > 1 ||
           record.stream_k > 0);
      return record.role == Role::kPack || needs_padding || misses(record);
    };
  }
  std::vector<bool> needs_memory(steps_.widths.size());
  for (std::size_t value = 0; value < needs_memory.size(); ++value) {
    const auto number = static_cast<NetworkValue>(value);
    needs_memory[value] = !is_input(number) && output_index(number) < 0;
  }
  const std::size_t floats =
      place_values(steps_, needs_memory, key.batch, precision_, plan->values);
  for (std::size_t i = 0; i < steps_.steps.size(); ++i) {
    const auto* chain = std::get_if<ChainStep>(&steps_.steps[i]);
    plan->kernels.push_back(chain == nullptr ? load_step(i) : nullptr);
    if (chain == nullptr) continue;
    const auto first = steps_.parts.begin() + static_cast<std::ptrdiff_t>(chain->first_part);
    const std::vector<ChainPart> parts(first,
                                       first + static_cast<std::ptrdiff_t>(chain->num_parts));
    const ChainQuestion question{parts, key.batch, end(*plan, chain->from, inputs, outputs),
                                 end(*plan, chain->to, inputs, outputs), precision_};
    for (PlannedPart& part : plan_chain_step(basis, question)) {
      plan->parts.push_back(std::move(part));
    }
  }
  plan->workspace = lay_out(steps_.parts, plan->parts);
  add_values(plan->workspace, floats);
  if (library_->log()) {
    for (const StepDescription& step : describe(*plan))
      write_log(library_->log(), Severity::kInfo, describe_step(step, precision_));
  }
  return plan;
}

void Network::pack(NetworkPlan& plan) const {
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    PlannedPart& part = plan.parts[i];
    if (!part.product) continue;
    part.weights = &weights_.packed(steps_.parts[i].product, part.product->route);
    if (part.weights->ready() != nullptr) plan.packing.push_back(part.weights->ready);
  }
  plan.is_packed = plan.packing.empty();
}

std::shared_ptr<const NetworkPlan> Network::prepared(std::size_t batch, Matrices inputs,
                                                     Matrices outputs) const {
  const NetworkKey key = checked_key(batch, inputs, outputs);
  if (auto known = plans_.find(key)) return known;
  const std::lock_guard lock(planning_);
  if (auto known = plans_.find(key)) return known;
  std::shared_ptr<NetworkPlan> made = unpacked_.take(key);
  if (!made) made = plan(key, inputs, outputs);
  const std::vector<std::size_t> copies = weights_.copies();
  try {
    pack(*made);
  } catch (const Error& error) {
    if (error.status() != TW_OUT_OF_MEMORY) throw;
    weights_.free_since(copies);
    // A workspace of the caller's has the size that the first plan asks for.
    const std::shared_ptr<NetworkPlan> small = small_plan(key, inputs, outputs);
    if (!small || small->workspace.whole.elements > made->workspace.whole.elements) throw;
    write_log(library_->log(), Severity::kWarning,
              fmt::format("no memory for packed weights: {}", error.what()));
    small->key = key;  // later forward passes with this key use it, too
    made = small;
  }
  plans_.insert(made);
  return made;
}

std::shared_ptr<const NetworkPlan> Network::prepared_within(const Workspace& workspace,
                                                            std::size_t batch, Matrices inputs,
                                                            Matrices outputs) const {
  // Weights are packed only for plans that run.
  const std::shared_ptr<const NetworkPlan> fastest = planned(batch, inputs, outputs);
  const std::shared_ptr<const NetworkPlan> less =
      fits_into(*fastest, workspace) ? nullptr : smaller(*fastest, inputs, outputs);
  check_workspace(workspace, less ? *less : *fastest);
  if (less) return less;
  // If the plan was evicted since, the one that was made anew may need more.
  const std::shared_ptr<const NetworkPlan> ready = prepared(batch, inputs, outputs);
  if (ready != fastest) check_workspace(workspace, *ready);
  return ready;
}

// Makes a plan without packing; null if there is none.
std::shared_ptr<NetworkPlan> Network::small_plan(NetworkKey key, Matrices inputs,
                                                 Matrices outputs) const {
  key.small = true;
  try {
    std::shared_ptr<NetworkPlan> made = plan(key, inputs, outputs);
    pack(*made);
    return made;
  } catch (const Error&) {
    return nullptr;  // the caller throws the original error
  }
}

std::shared_ptr<const NetworkPlan> Network::smaller(const NetworkPlan& than, Matrices inputs,
                                                    Matrices outputs) const {
  NetworkKey key = than.key;
  key.small = true;
  std::shared_ptr<NetworkPlan> known = plans_.find(key);
  if (!known) {
    const std::lock_guard lock(planning_);
    known = plans_.find(key);
    if (!known) {
      known = small_plan(key, inputs, outputs);
      if (!known) return nullptr;
      plans_.insert(known);
    }
  }
  return known->workspace.whole.elements < than.workspace.whole.elements ? known : nullptr;
}

std::shared_ptr<const NetworkPlan> Network::planned(std::size_t batch, Matrices inputs,
                                                    Matrices outputs) const {
  const NetworkKey key = checked_key(batch, inputs, outputs);
  if (auto known = plans_.find(key)) return known;
  const std::lock_guard lock(planning_);
  if (auto known = plans_.find(key)) return known;
  if (auto known = unpacked_.find(key)) return known;
  std::shared_ptr<NetworkPlan> made = plan(key, inputs, outputs);
  unpacked_.insert(made);
  return made;
}

// Small plans need a workspace that grows with the batch: rows x (columns rounded up to whole
// vectors, which no kernel's alignment exceeds) for the results between layers, and nothing else.
// So the small plan of the largest batch bounds those of all others. The workspaces of the fastest
// plans have no such bound: these plans differ from batch to batch. Where one does not fit,
// forward() uses the small plan.
std::size_t Network::max_workspace_bytes(std::size_t max_batch) const {
  const std::vector<Matrix> inputs(num_inputs());
  const std::vector<Matrix> outputs(num_outputs());
  NetworkKey key = checked_key(max_batch, inputs, outputs);
  std::size_t floats = planned(max_batch, inputs, outputs)->workspace.whole.elements;
  for (std::size_t batch = 1; batch < max_batch; batch *= 2) {
    floats = std::max(floats, planned(batch, inputs, outputs)->workspace.whole.elements);
  }
  key.small = true;
  const std::lock_guard lock(planning_);
  try {
    return std::max(floats, plan(key, inputs, outputs)->workspace.whole.elements) * sizeof(float);
  } catch (const Error& error) {
    throw Error(error.status(),
                fmt::format("no workspace suffices for all batch sizes, because the network cannot "
                            "run without packed matrices: {}; ask for the workspace of each batch "
                            "size",
                            error.what()));
  }
}

}  // namespace tilewright
