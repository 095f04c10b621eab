#include "runtime/network/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "profiles/base/printable.hpp"
#include "runtime/call/buffer_alignment.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "runtime/device/log.hpp"
#include "runtime/network/model/model_rules.hpp"
#include "runtime/network/steps/step_kernel.hpp"

namespace tilewright {
namespace {

// "the input", or "input 2 ('action')" if the network has several.
std::string port_title(const char* kind, std::size_t index, const std::vector<NetworkPort>& ports) {
  if (ports.size() == 1) return fmt::format("the {}", kind);
  return fmt::format("{} {} ({})", kind, index + 1, in_quotes(ports[index].name));
}

Precision checked_precision(ElementType type) {
  check_element_type(type);
  const Precision precision = element_precision(type);
  if (!is_complex(type) && is_network_type(precision)) return precision;
  throw Error(TW_UNSUPPORTED_TYPE,
              fmt::format("networks support single and half precision, not {}",
                          is_complex(type) ? "complex numbers" : elements_text(precision)));
}

NetworkSteps checked_steps(const NetworkModel& model) {
  static_assert(kMaxLayerExtent == kMaxExtent);
  const auto fault = find_fault(model);
  if (!fault) return network_steps(model);
  throw Error(
      fault->is_too_large ? TW_INVALID_DIMENSION : TW_INVALID_NETWORK,
      fmt::format("{} {}", fault->place.empty() ? "the network" : fault->place, fault->reason));
}

StepDescription make_step(const LayerStep& layer, const PlannedStep& planned, std::int64_t batch) {
  StepDescription step;
  step.name = layer.name;
  step.batch = static_cast<std::size_t>(batch);
  step.inputs = static_cast<std::size_t>(layer.inputs);
  step.outputs = static_cast<std::size_t>(layer.outputs);
  const double elements = static_cast<double>(step.batch) * static_cast<double>(step.outputs);
  if (!planned.product) {
    step.kernels.push_back(planned.kernel.kernel->record().name);
    const auto& rate = planned.kernel.ns_per_element;
    if (rate) step.predicted_ns = *rate * elements;
    return step;
  }
  const Route& route = planned.product->route;
  for (const LoadedKernel* kernel : route.in_order()) {
    if (kernel != route.kernels[CallStep::kPackB]) step.kernels.push_back(kernel->record().name);
  }
  step.flops = 2.0 * elements * static_cast<double>(step.inputs);
  if (route.plan.times.evidence < TimeEvidence::kGuessed)
    step.predicted_ns = route.plan.times.total_ns();
  return step;
}

StepDescription make_step(const KernelStep& kernel, const KernelRecord& record, std::int64_t batch,
                          const std::vector<std::int64_t>& widths) {
  StepDescription step;
  step.name = kernel.name;
  step.kernels.push_back(record.name);
  step.batch = static_cast<std::size_t>(batch);
  for (const KernelStep::Source& source : kernel.from) {
    step.inputs += static_cast<std::size_t>(widths[static_cast<std::size_t>(source.value)]);
  }
  step.outputs = static_cast<std::size_t>(kernel.columns);
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

// Returns the library if the process may use it.
LibraryHandle checked_library(LibraryHandle library) {
  library->require_same_process();
  return library;
}

}  // namespace

void Network::check_count(const char* what, std::size_t count, std::size_t given) {
  if (given == count) return;
  throw Error(TW_INVALID_VALUE,
              fmt::format("the network has {} {}, but {} matrices are given", count, what, given));
}

std::vector<Matrix> Network::for_ports(const char* what, std::size_t count, Matrices given) {
  if (given.empty()) return std::vector<Matrix>(count);
  check_count(what, count, given.size());
  return {given.begin(), given.end()};
}

Network::Network(LibraryHandle library, const NetworkModel& model, ElementType type)
    : library_(checked_library(std::move(library))),
      precision_(checked_precision(type)),
      steps_(checked_steps(model)),
      output_indices_(steps_.widths.size(), -1),
      constants_(make_constants(library_->executor().context(), steps_)),
      weights_(*library_, model, precision_) {
  const auto columns = [&](NetworkValue value) { return static_cast<std::size_t>(width(value)); };
  for (int i = 0; i < steps_.num_inputs; ++i) {
    inputs_.push_back({model.inputs.empty() ? "" : model.inputs[value_index(i)].name, columns(i)});
  }
  for (const NetworkOutput& output : numbered_outputs(model)) {
    const NetworkValue value = steps_.outputs[outputs_.size()];
    output_indices_[value_index(value)] = static_cast<int>(outputs_.size());
    outputs_.push_back({output.name, columns(value)});
  }
  const int vector_width = step_vector_width(library_->plan_basis().device);
  for (const NetworkStep& any : steps_.steps) {
    const auto* step = std::get_if<KernelStep>(&any);
    records_.push_back(step == nullptr ? KernelRecord{}
                                       : step_kernel(*step, steps_, precision_, vector_width));
  }
  if (!library_->log()) return;
  for (const NetworkOutput& output : model.outputs) {
    if (!output.is_transposed) continue;
    write_log(library_->log(), Severity::kInfo,
              fmt::format("the output {} is transposed in the file: here it has one row per sample",
                          in_quotes(output.name)));
  }
  for (const NetworkSkippedOutput& output : model.skipped_outputs) {
    write_log(
        library_->log(), Severity::kInfo,
        fmt::format("the network has no output {}: {}", in_quotes(output.name), output.reason));
  }
}

// Some drivers complete a binary only when its kernel first runs, so binaries are stored here
// again.
Network::~Network() {
  try {
    for (const auto& [source, kernel] : kernels_) library_->executor().store(*kernel);
  } catch (const std::exception&) {
  }
}

OperandRole Network::role(Side side, std::size_t batch, std::size_t index) const {
  const bool is_input = side == Side::kInput;
  return {is_input ? port_title("input", index, inputs_) : port_title("output", index, outputs_),
          "leading dimension",
          is_input ? TW_INVALID_LD_INPUT : TW_INVALID_LD_OUTPUT,
          is_input ? TW_INVALID_BUFFER_INPUT : TW_INVALID_BUFFER_OUTPUT,
          is_input ? TW_INSUFFICIENT_BUFFER_INPUT : TW_INSUFFICIENT_BUFFER_OUTPUT,
          batch,
          (is_input ? inputs_ : outputs_)[index].columns,
          bytes_per_element(precision_),
          kMaxExtent,
          true,  // a layer may read what another one has written to an output
          !is_input};
}

NetworkKey Network::checked_key(std::size_t batch, Matrices inputs, Matrices outputs) const {
  if (batch > kMaxExtent) {
    throw Error(TW_INVALID_DIMENSION,
                fmt::format("the batch has {} rows, but the maximum is {}", batch, kMaxExtent));
  }
  NetworkKey key;
  key.batch = static_cast<std::int64_t>(batch);
  key.alignment_in = key.alignment_out = library_->max_alignment();
  const auto add = [&](Side side, Matrices matrices, std::size_t& alignment, bool& gaps) {
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      const Matrix& matrix = matrices[i];
      const OperandRole role = this->role(side, batch, i);
      if (matrix.ld != 0) check_ld(role, matrix.ld);
      const std::size_t ld = matrix.ld == 0 ? role.length : matrix.ld;
      // Buffers of an empty batch are not accessed and not checked.
      const std::size_t start =
          batch == 0 ? 0 : buffer_alignment(matrix.buffer(), role.element_bytes);
      alignment = common_alignment({nullptr, matrix.offset, ld, start}, alignment);
      gaps = gaps || ld != role.length;
    }
  };
  add(Side::kInput, inputs, key.alignment_in, key.gaps_in);
  add(Side::kOutput, outputs, key.alignment_out, key.gaps_out);
  return key;
}

void Network::prepare_all(const cl::CommandQueue& queue, std::size_t batch, Matrices inputs,
                          Matrices outputs) const {
  const std::vector<Matrix> in = for_ports("inputs", num_inputs(), inputs);
  const std::vector<Matrix> out = for_ports("outputs", num_outputs(), outputs);
  library_->check(queue, {});
  const std::shared_ptr<const NetworkPlan> plan = prepared(batch, in, out);
  // Later commands on the queue wait until the weights are packed.
  if (!plan->packing.empty()) library_->enqueue_marker(queue, plan->packing);
}

std::size_t Network::workspace_bytes_all(std::size_t batch, Matrices inputs,
                                         Matrices outputs) const {
  return planned(batch, for_ports("inputs", num_inputs(), inputs),
                 for_ports("outputs", num_outputs(), outputs))
             ->workspace.whole.elements *
         sizeof(float);
}

std::vector<StepDescription> Network::describe(const NetworkPlan& plan) const {
  std::vector<StepDescription> steps;
  if (plan.key.batch == 0) return steps;
  for (std::size_t i = 0; i < steps_.steps.size(); ++i) {
    if (const auto* layer = std::get_if<LayerStep>(&steps_.steps[i])) {
      steps.push_back(make_step(*layer, plan.steps[i], plan.key.batch));
    } else {
      steps.push_back(make_step(std::get<KernelStep>(steps_.steps[i]), records_[i], plan.key.batch,
                                steps_.widths));
    }
  }
  return steps;
}

void Network::check_buffers(std::size_t batch, Matrices inputs, Matrices outputs) const {
  const cl_context context = library_->executor().context()();
  const auto check = [&](Side side, Matrices matrices) {
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      const OperandRole role = this->role(side, batch, i);
      check_ld(role, matrices[i].ld);
      check_buffer(role, matrices[i], context);
    }
  };
  check(Side::kInput, inputs);
  check(Side::kOutput, outputs);
}

bool Network::fits_into(const NetworkPlan& plan, const Workspace& workspace) {
  const std::size_t bytes = workspace.buffer.getInfo<CL_MEM_SIZE>();
  return workspace.offset <= bytes &&
         plan.workspace.whole.elements <= (bytes - workspace.offset) / sizeof(float);
}

void Network::check_workspace(const Workspace& workspace, const NetworkPlan& plan) const {
  check_caller_memory(workspace_memory(), workspace.buffer, workspace.offset,
                      plan.workspace.whole.elements * sizeof(float), sizeof(float),
                      library_->executor().context()());
}

}  // namespace tilewright
