#include "runtime/network/mlp_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiles/base/printable.hpp"
#include "runtime/api/explanation.hpp"
#include "runtime/call/buffer_alignment.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/call/operand_check.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "runtime/device/log.hpp"
#include "runtime/network/step_kernel.hpp"

namespace tilewright {
namespace {

// Prepends the name of the matrix to the message of an Error, because the checks call it A or C.
template <class Check>
void check_as(const char* what, const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    throw Error(error.status(), fmt::format("the {}: {}", what, error.what()), error.opencl_code());
  }
}

// The same for one of the matrices of a network, which has these ports of its kind.
template <class Port, class Check>
void check_port(const char* kind, std::size_t index, const std::vector<Port>& ports,
                const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    const std::string title = ports.size() == 1 ? kind
                                                : fmt::format("{} {} ({})", kind, index + 1,
                                                              in_quotes(ports[index].name));
    throw Error(error.status(), fmt::format("the {}: {}", title, error.what()),
                error.opencl_code());
  }
}

Precision checked_precision(ElementType type) {
  check_element_type(type);
  const Precision precision = element_precision(type);
  if (!is_complex(type) && is_network_type(precision)) return precision;
  throw Error(TW_UNSUPPORTED_TYPE,
              fmt::format("networks support single and half precision, not {}",
                          is_complex(type) ? "complex numbers" : elements_text(precision)));
}

NetworkSteps checked_steps(const MlpModel& model) {
  check_model(model);
  return network_steps(model);
}

// Describes the first output of the model's file if the model does not have it; otherwise "".
std::string find_missing_output(const MlpModel& model) {
  for (const MlpSkippedOutput& skipped : model.skipped_outputs) {
    if (skipped.is_first) return fmt::format("{}: {}", in_quotes(skipped.name), skipped.reason);
  }
  return "";
}

bool has_gaps(const MatrixArgument& matrix, std::int64_t columns) {
  return std::cmp_not_equal(matrix.ld, columns);
}

MlpStep make_step(const ChainPart& part, const PlannedPart& planned, std::int64_t batch) {
  MlpStep step;
  step.name = part.name;
  step.batch = static_cast<std::size_t>(batch);
  step.inputs = static_cast<std::size_t>(part.inputs);
  step.outputs = static_cast<std::size_t>(part.outputs);
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

MlpStep make_step(const KernelStep& kernel, const KernelRecord& record, std::int64_t batch,
                  const std::vector<std::int64_t>& widths) {
  MlpStep step;
  step.name = kernel.name;
  step.kernels.push_back(record.name);
  step.batch = static_cast<std::size_t>(batch);
  for (const KernelStep::Source& source : kernel.from) {
    step.inputs += static_cast<std::size_t>(widths[static_cast<std::size_t>(source.value)]);
  }
  step.outputs = step.columns = static_cast<std::size_t>(kernel.columns);
  step.layout = to_text(Layout::R());
  return step;
}

// Concatenates the constants of all steps.
StepConstants make_constants(const cl::Context& context, const NetworkSteps& steps) {
  StepConstants constants;
  std::vector<float> rows;
  std::vector<int> tables;
  for (const NetworkStep& any : steps.steps) {
    constants.first_row.push_back(rows.size());
    constants.first_table.push_back(tables.size());
    const auto* step = std::get_if<KernelStep>(&any);
    if (step == nullptr) continue;
    for (const auto& row : step->rows) rows.insert(rows.end(), row.begin(), row.end());
    for (const auto& table : step->tables) tables.insert(tables.end(), table.begin(), table.end());
  }
  if (!rows.empty()) {
    constants.rows =
        allocate_buffer(context, CL_MEM_READ_ONLY, std::span<const float>(rows), "constants");
  }
  if (!tables.empty()) {
    constants.tables =
        allocate_buffer(context, CL_MEM_READ_ONLY, std::as_bytes(std::span(tables)), "constants");
  }
  return constants;
}

std::string describe_step(const MlpStep& step, Precision precision) {
  return fmt::format("planned {} of a network{} for a batch of {}: {}, {}", step.name,
                     of_elements(precision), step.batch, fmt::join(step.kernels, " + "),
                     predicted_text(step.predicted_ns));
}

}  // namespace

Mlp::State::State(std::shared_ptr<Library::State> library, const MlpModel& model, ElementType type)
    : library_(std::move(library)),
      precision_(checked_precision(type)),
      steps_(checked_steps(model)),
      inputs_(model.inputs),
      outputs_(numbered_outputs(model)),
      missing_output_(find_missing_output(model)),
      output_indices_(steps_.widths.size(), -1),
      constants_(make_constants(library_->executor().context(), steps_)),
      weights_(*library_, model, precision_) {
  if (inputs_.empty()) inputs_.emplace_back();
  for (std::size_t i = 0; i < steps_.outputs.size(); ++i) {
    output_indices_[static_cast<std::size_t>(steps_.outputs[i])] = static_cast<int>(i);
  }
  for (const NetworkStep& any : steps_.steps) {
    const auto* step = std::get_if<KernelStep>(&any);
    records_.push_back(step == nullptr ? KernelRecord{} : step_kernel(*step, steps_, precision_));
  }
}

// Some drivers complete a binary only when its kernel first runs, so binaries are stored here
// again.
Mlp::State::~State() {
  try {
    for (const auto& [source, kernel] : kernels_) library_->executor().store(*kernel);
  } catch (const std::exception&) {
  }
}

// Describes the network as a product, so that the checks of products apply: A is the input, C the
// output.
GemmCall Mlp::State::equivalent_gemm_call(std::size_t batch, std::int64_t inputs,
                                          std::int64_t outputs) const {
  return {.m = batch,
          .n = static_cast<std::size_t>(outputs),
          .k = static_cast<std::size_t>(inputs),
          .type = type()};
}

MlpKey Mlp::State::checked_key(std::size_t batch, Matrices inputs, Matrices outputs) const {
  if (batch > kMaxExtent) {
    throw Error(TW_INVALID_DIMENSION,
                fmt::format("the batch has {} rows, but the maximum is {}", batch, kMaxExtent));
  }
  MlpKey key;
  key.batch = static_cast<std::int64_t>(batch);
  key.alignment_in = key.alignment_out = library_->max_alignment();
  const std::size_t bytes = bytes_per_element(precision_);
  const auto add = [&](const Matrix& matrix, std::int64_t columns, std::size_t& alignment,
                       bool& gaps) {
    const std::size_t ld = matrix.ld == 0 ? static_cast<std::size_t>(columns) : matrix.ld;
    // Buffers of an empty batch are not accessed and not checked.
    const std::size_t start = batch == 0 ? 0 : buffer_alignment(matrix.buffer(), bytes);
    const MatrixArgument argument{nullptr, matrix.offset, ld, start};
    alignment = common_alignment(argument, alignment);
    gaps = gaps || has_gaps(argument, columns);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const GemmCall call = equivalent_gemm_call(batch, this->inputs(i), 1);
    const Matrix in{{}, inputs[i].offset, inputs[i].ld == 0 ? call.k : inputs[i].ld};
    check_port("input", i, inputs_, [&] { resolve(call, in, {{}, 0, 1}, {{}, 0, 1}); });
    add(inputs[i], this->inputs(i), key.alignment_in, key.gaps_in);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const GemmCall call = equivalent_gemm_call(batch, 1, this->outputs(i));
    const Matrix out{{}, outputs[i].offset, outputs[i].ld == 0 ? call.n : outputs[i].ld};
    check_port("output", i, outputs_, [&] { resolve(call, {{}, 0, 1}, {{}, 0, call.n}, out); });
    add(outputs[i], this->outputs(i), key.alignment_out, key.gaps_out);
  }
  return key;
}

// With several inputs or outputs, the plan must be valid for all of them, so it uses the alignment
// and gaps in the key.
MatrixArgument Mlp::State::end(const MlpPlan& plan, MlpValue value, Matrices inputs,
                               Matrices outputs) const {
  const auto columns = static_cast<std::size_t>(width(value));
  const bool is_of_caller = is_input(value) || output_index(value) >= 0;
  if (!is_of_caller) return {nullptr, 0, plan.values[static_cast<std::size_t>(value)].ld};
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
std::optional<PlannedPart> Mlp::State::load_part(const ChainQuestion& question,
                                                 const ChainPart& part, const BatchFormat& from,
                                                 ChainLink& link) {
  PlannedPart planned;
  planned.columns = link.to.columns;
  planned.along_memory = link.along_memory;
  if (!link.product) {
    planned.layer = library_->load(link.kernels);
    if (planned.layer.kernel == nullptr) return std::nullopt;
    return planned;
  }
  planned.product = library_->load(*link.product);
  if (planned.product == nullptr) return std::nullopt;
  planned.problem = layer_problem(question, part, from, link.to);
  planned.problem.bias = weights_.bias(part.product);
  return planned;
}

// Loads the kernels of all parts of a chain; nullopt if one cannot be loaded.
std::optional<std::vector<PlannedPart>> Mlp::State::load_chain(const ChainQuestion& question,
                                                               std::vector<ChainLink>& links) {
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
void Mlp::State::refuse(const ChainQuestion& question) {
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

std::vector<PlannedPart> Mlp::State::plan_chain_step(const PlanBasis& basis,
                                                     const ChainQuestion& question) {
  // Each iteration excludes at least one more kernel that cannot be loaded.
  for (;;) {
    auto links = plan_chain(basis, question);
    if (!links) refuse(question);
    if (auto parts = load_chain(question, *links)) return std::move(*parts);
  }
}

LoadedKernel* Mlp::State::load_step(std::size_t step) {
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

std::shared_ptr<MlpPlan> Mlp::State::plan(const MlpKey& key, Matrices inputs, Matrices outputs) {
  auto plan = std::make_shared<MlpPlan>();
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
    const auto number = static_cast<MlpValue>(value);
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
    for (const MlpStep& step : describe(*plan))
      write_log(library_->log(), describe_step(step, precision_));
  }
  return plan;
}

void Mlp::State::pack(MlpPlan& plan) {
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    PlannedPart& part = plan.parts[i];
    if (!part.product) continue;
    part.weights = &weights_.packed(steps_.parts[i].product, part.product->route);
    if (part.weights->ready() != nullptr) plan.packing.push_back(part.weights->ready);
  }
  plan.is_packed = plan.packing.empty();
}

std::shared_ptr<const MlpPlan> Mlp::State::prepared(std::size_t batch, Matrices inputs,
                                                    Matrices outputs) {
  const MlpKey key = checked_key(batch, inputs, outputs);
  if (auto known = plans_.find(key)) return known;
  const std::lock_guard lock(planning_);
  if (auto known = plans_.find(key)) return known;
  std::shared_ptr<MlpPlan> made = plan(key, inputs, outputs);
  const std::vector<std::size_t> copies = weights_.copies();
  try {
    pack(*made);
  } catch (const Error& error) {
    if (error.status() != TW_OUT_OF_MEMORY) throw;
    weights_.free_since(copies);
    // A workspace of the caller's has the size that the first plan asks for.
    const std::shared_ptr<MlpPlan> small = small_plan(key, inputs, outputs);
    if (!small || small->workspace.whole.elements > made->workspace.whole.elements) throw;
    write_log(library_->log(), fmt::format("no memory for packed weights: {}", error.what()));
    small->key = key;  // later forward passes with this key use it, too
    made = small;
  }
  plans_.insert(made);
  return made;
}

// Makes a plan without packing; null if there is none.
std::shared_ptr<MlpPlan> Mlp::State::small_plan(MlpKey key, Matrices inputs, Matrices outputs) {
  key.small = true;
  try {
    std::shared_ptr<MlpPlan> made = plan(key, inputs, outputs);
    pack(*made);
    return made;
  } catch (const Error&) {
    return nullptr;  // the caller throws the original error
  }
}

std::shared_ptr<const MlpPlan> Mlp::State::smaller(const MlpPlan& than, Matrices inputs,
                                                   Matrices outputs) {
  MlpKey key = than.key;
  key.small = true;
  const std::lock_guard lock(planning_);
  std::shared_ptr<const MlpPlan> known = plans_.find(key);
  if (!known) {
    const std::shared_ptr<MlpPlan> made = small_plan(key, inputs, outputs);
    if (!made) return nullptr;
    plans_.insert(made);
    known = made;
  }
  return known->workspace.whole.elements < than.workspace.whole.elements ? known : nullptr;
}

std::shared_ptr<const MlpPlan> Mlp::State::planned(std::size_t batch, Matrices inputs,
                                                   Matrices outputs) {
  const MlpKey key = checked_key(batch, inputs, outputs);
  if (auto known = plans_.find(key)) return known;
  const std::lock_guard lock(planning_);
  return plan(key, inputs, outputs);
}

std::vector<MlpStep> Mlp::State::describe(const MlpPlan& plan) const {
  std::vector<MlpStep> steps;
  if (plan.key.batch == 0) return steps;
  for (std::size_t i = 0; i < steps_.steps.size(); ++i) {
    if (const auto* kernel = std::get_if<KernelStep>(&steps_.steps[i])) {
      steps.push_back(make_step(*kernel, records_[i], plan.key.batch, steps_.widths));
      continue;
    }
    const auto& chain = std::get<ChainStep>(steps_.steps[i]);
    for (std::size_t j = 0; j < chain.num_parts; ++j) {
      const std::size_t part = chain.first_part + j;
      steps.push_back(make_step(steps_.parts[part], plan.parts[part], plan.key.batch));
    }
  }
  return steps;
}

void Mlp::State::check_buffers(std::size_t batch, Matrices inputs, Matrices outputs) const {
  const cl_context context = library_->executor().context()();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_port("input", i, inputs_, [&] {
      check_matrix(equivalent_gemm_call(batch, this->inputs(i), 1), 'A', inputs[i], context);
    });
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    check_port("output", i, outputs_, [&] {
      check_matrix(equivalent_gemm_call(batch, 1, this->outputs(i)), 'C', outputs[i], context);
    });
  }
}

// Small plans need a workspace that grows with the batch: rows x (columns rounded up to whole
// vectors) for the results between layers, and nothing else. So the small plan of the largest batch
// bounds those of all others. The workspaces of the fastest plans have no such bound: these plans
// differ from batch to batch. Where one does not fit, forward() uses the small plan.
std::size_t Mlp::State::max_workspace_floats(std::size_t max_batch) {
  const std::vector<Matrix> inputs(num_inputs());
  const std::vector<Matrix> outputs(num_outputs());
  MlpKey key = checked_key(max_batch, inputs, outputs);
  std::size_t floats = planned(max_batch, inputs, outputs)->workspace.whole.elements;
  for (std::size_t batch = 1; batch < max_batch; batch *= 2) {
    floats = std::max(floats, planned(batch, inputs, outputs)->workspace.whole.elements);
  }
  key.small = true;
  const std::lock_guard lock(planning_);
  return std::max(floats, plan(key, inputs, outputs)->workspace.whole.elements);
}

bool Mlp::State::fits_into(const MlpPlan& plan, const Workspace& workspace) {
  const std::size_t bytes = workspace.buffer.getInfo<CL_MEM_SIZE>();
  const std::size_t floats = bytes / sizeof(float);
  return workspace.offset <= floats && plan.workspace.whole.elements <= floats - workspace.offset;
}

void Mlp::State::check_workspace(const Workspace& workspace, const MlpPlan& plan) const {
  if (workspace.offset % Plan::offset_multiple() != 0) {
    throw Error(TW_INVALID_VALUE,
                fmt::format("the offset of the workspace is {}, but must be a multiple of {} "
                            "floats",
                            workspace.offset, Plan::offset_multiple()));
  }
  check_as("workspace", [&] {
    check_buffer_size('C', workspace.buffer, workspace.offset, plan.workspace.whole.elements,
                      sizeof(float), library_->executor().context()());
  });
}

}  // namespace tilewright
