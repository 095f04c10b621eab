#include "runtime/net/mlp_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/api/explanation.hpp"
#include "runtime/call/buffer_alignment.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/call/operand_check.hpp"
#include "runtime/device/log.hpp"

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

Precision checked_precision(ElementType type) {
  check_element_type(type);
  const Precision precision = element_precision(type);
  if (!is_complex(type) && is_network_type(precision)) return precision;
  throw Error(TW_UNSUPPORTED_TYPE,
              fmt::format("nets are of floats or of halfs: of {} there are none",
                          is_complex(type) ? "complex numbers" : elements_text(precision)));
}

std::vector<MlpStage> checked_stages(const MlpModel& model) {
  check_model(model);
  return make_stages(model);
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
  step.layout = to_text(planned.made.layout);
  step.columns = static_cast<std::size_t>(planned.columns);
  const double elements = static_cast<double>(step.batch) * static_cast<double>(step.outputs);
  if (!planned.product) {
    step.kernels.push_back(planned.layer.kernel->record().name);
    const auto& rate = planned.layer.ns_per_element;
    if (rate) step.predicted_ns = *rate * elements;
    return step;
  }
  const Route& route = planned.product->route;
  for (const LoadedKernel* kernel : route.in_order()) {
    if (kernel != route.kernels[CallStep::kPackB]) step.kernels.push_back(kernel->record().name);
  }
  step.flops = 2.0 * elements * static_cast<double>(step.inputs);
  if (route.plan.times.measured && !route.plan.times.guessed)
    step.predicted_ns = route.plan.times.total_ns();
  return step;
}

std::string describe_step(const MlpStep& step, Precision precision) {
  return fmt::format("planned {} of a net{} for a batch of {}: {}, {}", step.name,
                     of_elements(precision), step.batch, fmt::join(step.kernels, " + "),
                     predicted_text(step.predicted_ns));
}

}  // namespace

Mlp::State::State(std::shared_ptr<Library::State> library, const MlpModel& model, ElementType type)
    : library_(std::move(library)),
      precision_(checked_precision(type)),
      stages_(checked_stages(model)),
      weights_(*library_, model, precision_) {}

// As a product, for the checks of products: A is the input, C the output.
GemmCall Mlp::State::equivalent_gemm_call(std::size_t batch) const {
  return {.m = batch,
          .n = static_cast<std::size_t>(outputs()),
          .k = static_cast<std::size_t>(inputs()),
          .type = type()};
}

Mlp::State::Ends Mlp::State::checked_ends(std::size_t batch, const Matrix& input,
                                          const Matrix& output) const {
  if (batch > kMaxExtent) {
    throw Error(TW_INVALID_DIMENSION,
                fmt::format("the batch has {} rows: at most {} are served", batch, kMaxExtent));
  }
  const GemmCall call = equivalent_gemm_call(batch);
  const Matrix in{{}, input.offset, input.ld == 0 ? call.k : input.ld};
  const Matrix out{{}, output.offset, output.ld == 0 ? call.n : output.ld};
  check_as("input (A) or output (C)", [&] { resolve(call, in, {{}, 0, call.n}, out); });
  const std::size_t bytes = bytes_per_element(precision_);
  // Buffers of an empty batch may be anything.
  const auto start = [&](const Matrix& matrix) {
    return batch == 0 ? 0 : buffer_alignment(matrix.buffer(), bytes);
  };
  return {{nullptr, in.offset, in.ld, start(input)}, {nullptr, out.offset, out.ld, start(output)}};
}

MlpKey Mlp::State::make_plan_key(std::size_t batch, const Ends& ends) const {
  const std::size_t most = library_->max_alignment();
  return {static_cast<std::int64_t>(batch), common_alignment(ends.in, most),
          common_alignment(ends.out, most), has_gaps(ends.in, inputs()),
          has_gaps(ends.out, outputs())};
}

// A stage as the chain has it; nullopt if a kernel does not load.
std::optional<PlannedStage> Mlp::State::load_stage(const ChainQuestion& question,
                                                   const MlpStage& stage, const HeldBatch& from,
                                                   ChainLink& link) {
  PlannedStage planned;
  planned.columns = link.to.columns;
  planned.along_memory = link.along_memory;
  if (!link.product) {
    planned.layer = library_->load(link.kernels);
    if (planned.layer.kernel == nullptr) return std::nullopt;
    return planned;
  }
  planned.product = library_->load(*link.product);
  if (planned.product == nullptr) return std::nullopt;
  planned.problem = layer_problem(question, stage, from, link.to);
  planned.problem.bias = weights_.bias(stage.product);
  return planned;
}

// All stages as the chain has them; nullopt if a kernel does not load.
std::optional<std::vector<PlannedStage>> Mlp::State::load_chain(const ChainQuestion& question,
                                                                std::vector<ChainLink>& links) {
  const std::vector<Storage> storages = held_storages(question, links);
  std::vector<PlannedStage> planned;
  HeldBatch from{Layout::R(), inputs()};
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    auto stage = load_stage(question, stages_[i], from, links[i]);
    if (!stage) return std::nullopt;
    stage->made = storages[i];
    planned.push_back(std::move(*stage));
    from = links[i].to;
  }
  return planned;
}

// Asks for each stage by itself, with the batch row by row: what the net cannot have is said.
void Mlp::State::refuse(const ChainQuestion& question) {
  const DeviceInfo& device = library_->plan_basis().device;
  for (const MlpStage& stage : stages_) {
    if (is_between_layers(stage.to) && !can_hold(device, question, {Layout::R(), stage.outputs})) {
      throw Error(
          TW_OUT_OF_MEMORY,
          fmt::format("{} makes {} x {} {}, more than the device holds in one buffer", stage.name,
                      question.batch, stage.outputs, elements_text(precision_)));
    }
    if (stage.kind == MlpStage::Kind::kSoftmax) {
      library_->softmax_kernel(precision_, stage.epilogue.activation);
    } else if (stage.kind == MlpStage::Kind::kActivation) {
      library_->activation_kernel(precision_, stage.epilogue, false);
    } else {
      library_->route(layer_problem(question, stage, {Layout::R(), stage.inputs},
                                    {Layout::R(), stage.outputs}));
    }
  }
  throw Error(TW_BUILD_FAILURE, "no chain of kernels can serve the net");
}

std::shared_ptr<MlpPlan> Mlp::State::plan(const MlpKey& key, const Ends& ends) {
  auto plan = std::make_shared<MlpPlan>();
  plan->key = key;
  if (key.batch == 0) return plan;
  const ChainQuestion question{stages_, key.batch, ends.in, ends.out, precision_};
  PlanBasis basis = library_->plan_basis();
  if (key.small) {
    basis.misses = [misses = std::move(basis.misses)](const KernelRecord& record) {
      return record.role == Role::kPack || record.split_k > 1 || misses(record);
    };
  }
  // Each time a kernel more is known not to load.
  while (plan->stages.empty()) {
    auto links = plan_chain(basis, question);
    if (!links) refuse(question);
    if (auto stages = load_chain(question, *links)) plan->stages = std::move(*stages);
  }
  plan->workspace = lay_out(stages_, plan->stages);
  if (library_->log()) {
    for (const MlpStep& step : describe(*plan))
      write_log(library_->log(), describe_step(step, precision_));
  }
  return plan;
}

void Mlp::State::pack(MlpPlan& plan) {
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    PlannedStage& stage = plan.stages[i];
    if (!stage.product) continue;
    stage.weights = &weights_.packed(stages_[i].product, stage.product->route);
    if (stage.weights->ready() != nullptr) plan.packing.push_back(stage.weights->ready);
  }
  plan.is_packed = plan.packing.empty();
}

std::shared_ptr<const MlpPlan> Mlp::State::prepared(std::size_t batch, const Matrix& input,
                                                    const Matrix& output) {
  const Ends ends = checked_ends(batch, input, output);
  MlpKey key = make_plan_key(batch, ends);
  if (auto known = plans_.find(key)) return known;
  const std::lock_guard lock(planning_);
  if (auto known = plans_.find(key)) return known;
  std::shared_ptr<MlpPlan> made = plan(key, ends);
  const std::vector<std::size_t> copies = weights_.copies();
  try {
    pack(*made);
  } catch (const Error& error) {
    if (error.status() != TW_OUT_OF_MEMORY) throw;
    weights_.free_since(copies);
    // A workspace of the caller's has the size that the first plan asks for.
    const std::shared_ptr<MlpPlan> small = small_plan(key, ends);
    if (!small || small->workspace.whole.elements > made->workspace.whole.elements) throw;
    write_log(library_->log(), fmt::format("no memory for packed weights: {}", error.what()));
    small->key = key;  // later forwards of such a batch run it, too
    made = small;
  }
  plans_.insert(made);
  return made;
}

// The plan that packs nothing; null if there is none.
std::shared_ptr<MlpPlan> Mlp::State::small_plan(MlpKey key, const Ends& ends) {
  key.small = true;
  try {
    std::shared_ptr<MlpPlan> made = plan(key, ends);
    pack(*made);
    return made;
  } catch (const Error&) {
    return nullptr;  // the caller has an error that says more
  }
}

std::shared_ptr<const MlpPlan> Mlp::State::smaller(const MlpPlan& than, const Matrix& input,
                                                   const Matrix& output) {
  const Ends ends = checked_ends(static_cast<std::size_t>(than.key.batch), input, output);
  MlpKey key = than.key;
  key.small = true;
  const std::lock_guard lock(planning_);
  std::shared_ptr<const MlpPlan> known = plans_.find(key);
  if (!known) {
    const std::shared_ptr<MlpPlan> made = small_plan(key, ends);
    if (!made) return nullptr;
    plans_.insert(made);
    known = made;
  }
  return known->workspace.whole.elements < than.workspace.whole.elements ? known : nullptr;
}

std::shared_ptr<const MlpPlan> Mlp::State::planned(std::size_t batch, const Matrix& input,
                                                   const Matrix& output) {
  const Ends ends = checked_ends(batch, input, output);
  const MlpKey key = make_plan_key(batch, ends);
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
  const GemmCall call = equivalent_gemm_call(batch);
  const cl_context context = library_->executor().context()();
  check_as("input", [&] { check_matrix(call, 'A', input, context); });
  check_as("output", [&] { check_matrix(call, 'C', output, context); });
}

void Mlp::State::check_workspace(const Workspace& workspace, const MlpPlan& plan) const {
  if (workspace.offset % Plan::offset_multiple() != 0) {
    throw Error(TW_INVALID_VALUE,
                fmt::format("the workspace begins at offset {}: it must be a multiple of {} "
                            "floats",
                            workspace.offset, Plan::offset_multiple()));
  }
  check_as("workspace", [&] {
    check_buffer_size('C', workspace.buffer, workspace.offset, plan.workspace.whole.elements,
                      sizeof(float), library_->executor().context()());
  });
}

}  // namespace tilewright
