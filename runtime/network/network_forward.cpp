// Enqueues the commands of a forward pass.
#include <algorithm>
#include <span>
#include <vector>

#include "runtime/network/network.hpp"
#include "runtime/plan/layer_kernels.hpp"

namespace tilewright {
namespace {

// Is the event complete, without error? A failed event stays in the wait list, so that commands
// that depend on it fail, too.
bool is_complete(const cl::Event& event) {
  cl_int code = CL_SUCCESS;
  return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(&code) == CL_COMPLETE &&
         code == CL_SUCCESS;
}

// Must a forward pass wait for the packing of weights?
bool is_packing(const NetworkPlan& plan) {
  if (plan.is_packed) return false;
  if (!std::all_of(plan.packing.begin(), plan.packing.end(), is_complete)) return true;
  plan.is_packed = true;
  return false;
}

}  // namespace

// One forward pass. Each command waits for the previous one.
class Network::Run {
 public:
  Run(const Network& state, const NetworkPlan& plan, const cl::CommandQueue& queue, Matrices inputs,
      Matrices outputs, std::span<const cl::Event> wait_list, const NetworkForward& with)
      : state_(state),
        library_(*state.library_),
        plan_(plan),
        queue_(queue),
        inputs_(inputs),
        outputs_(outputs),
        waits_(wait_list),
        with_(with),
        temporaries_(library_.temporaries(), queue, wait_list) {}

  // Must be called first. Throws Error TW_OUT_OF_MEMORY.
  void take_workspace() {
    const Storage& whole = plan_.workspace.whole;
    if (whole.elements == 0) return;
    workspace_.buffer = with_.workspace.buffer();
    workspace_.offset = with_.workspace.offset / sizeof(float);
    if (workspace_.buffer != nullptr) return;
    workspace_ = {temporaries_.take(whole), 0, 0};
  }

  cl::Event enqueue_all() {
    const std::vector<NetworkStep>& steps = state_.steps_.steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (const auto* chain = std::get_if<ChainStep>(&steps[i])) {
        enqueue_chain(*chain);
      } else {
        const CommandObserver observe = observer(described_++);
        enqueued(enqueue_step(i, std::get<KernelStep>(steps[i]), observe));
      }
    }
    return last_;
  }

 private:
  // The closure is so small that std::function does not allocate memory.
  CommandObserver observer(std::size_t step) const {
    if (!with_.observer) return nullptr;
    return [this, step](const KernelRecord& record, const cl::Event& event) {
      with_.observer({step, record.name, event});
    };
  }
  // Offsets in the workspace count floats; kernels count elements.
  MatrixArgument within(std::size_t offset, const Storage& storage) const {
    const std::size_t bytes = (workspace_.offset + offset) * sizeof(float);
    return {workspace_.buffer, bytes / bytes_per_element(storage.precision), storage.ld};
  }
  // Returns the row-major matrix of a value.
  MatrixArgument at(NetworkValue value) const {
    const int output = state_.output_index(value);
    if (state_.is_input(value) || output >= 0) {
      const Matrix& matrix =
          output < 0 ? inputs_[value_index(value)] : outputs_[static_cast<std::size_t>(output)];
      return {matrix.buffer(), matrix.offset, matrix.ld};
    }
    const ValuePlace& place = plan_.values[value_index(value)];
    const std::size_t bytes =
        (workspace_.offset + plan_.workspace.values + place.offset) * sizeof(float);
    const Precision precision = state_.steps_.precision(value, state_.precision_);
    return {workspace_.buffer, bytes / bytes_per_element(precision), place.ld};
  }
  MatrixArgument at(const ChainStep& chain, NetworkPlace place, const Storage& storage) const {
    if (place == NetworkPlace::kInput) return at(chain.from);
    if (place == NetworkPlace::kOutput) return at(chain.to);
    return within(place == NetworkPlace::kEven ? plan_.workspace.even : plan_.workspace.odd,
                  storage);
  }
  // Makes the next command wait for this one.
  void enqueued(cl::Event event) {
    last_ = std::move(event);
    waits_ = std::span(&last_, 1);
    temporaries_.enqueued(last_);
  }
  void enqueue_chain(const ChainStep& chain);
  cl::Event enqueue_part(const ChainStep& chain, std::size_t index, const CommandObserver& observe);
  cl::Event enqueue_step(std::size_t index, const KernelStep& step, const CommandObserver& observe);
  cl::Event enqueue_product(const PlannedPart& planned, const MatrixArgument& from,
                            const MatrixArgument& to, const CommandObserver& observe);
  cl::Event enqueue_layer(const ChainPart& part, const PlannedPart& planned,
                          const MatrixArgument& from, const MatrixArgument& to,
                          const CommandObserver& observe);
  ActivationProblem make_activation_problem(const ChainPart& part, const PlannedPart& planned,
                                            const MatrixArgument& from,
                                            const MatrixArgument& to) const;

  const Network& state_;
  Library& library_;
  const NetworkPlan& plan_;
  const cl::CommandQueue& queue_;
  const Matrices inputs_;
  const Matrices outputs_;
  std::span<const cl::Event> waits_;  // wait list of the next command: the caller's, later last_
  const NetworkForward& with_;
  TemporaryLease temporaries_;
  MatrixArgument workspace_;
  cl::Event last_;
  std::size_t described_ = 0;  // number of enqueued steps, as describe() counts them
};

void Network::Run::enqueue_chain(const ChainStep& chain) {
  for (std::size_t i = 0; i < chain.num_parts; ++i) {
    const CommandObserver observe = observer(described_++);
    enqueued(enqueue_part(chain, i, observe));
  }
}

cl::Event Network::Run::enqueue_part(const ChainStep& chain, std::size_t index,
                                     const CommandObserver& observe) {
  const std::size_t number = chain.first_part + index;
  const ChainPart& part = state_.steps_.parts[number];
  const PlannedPart& planned = plan_.parts[number];
  // The first part reads the input of the chain, for which the storage is not used.
  const MatrixArgument from =
      at(chain, part.from, plan_.parts[index == 0 ? number : number - 1].made);
  const MatrixArgument to = at(chain, part.to, planned.made);
  if (planned.product) return enqueue_product(planned, from, to, observe);
  return enqueue_layer(part, planned, from, to, observe);
}

cl::Event Network::Run::enqueue_step(std::size_t index, const KernelStep& step,
                                     const CommandObserver& observe) {
  LoadedKernel& kernel = *plan_.kernels[index];
  const auto shifted = [&](NetworkValue value, std::int64_t first_column) {
    MatrixArgument matrix = at(value);
    matrix.offset += static_cast<std::size_t>(first_column);
    return matrix;
  };
  KernelLaunch launch(global_size(kernel.record(), plan_.key.batch, step.columns));
  launch.extents({plan_.key.batch, step.columns, step.terms})
      .matrix(shifted(step.to, step.first_column));
  const auto length = static_cast<std::size_t>(step.columns * step.terms);
  const StepConstants& constants = state_.constants_;
  if (!step.rows.empty()) {
    launch.matrix({constants.rows(), constants.first_row[index], length});
  }
  if (!step.tables.empty()) {
    launch.matrix({constants.tables(), constants.first_table[index], length});
  }
  for (const KernelStep::Source& source : step.from) {
    launch.matrix(shifted(source.value, source.first_column));
  }
  cl::Event done = require_event(launch_with_retry(library_.temporaries(), [&] {
    return library_.executor().launch(queue_, kernel, launch, waits_);
  }));
  if (observe) observe(kernel.record(), done);
  return done;
}

cl::Event Network::Run::enqueue_product(const PlannedPart& planned, const MatrixArgument& from,
                                        const MatrixArgument& to, const CommandObserver& observe) {
  GemmProblem problem = planned.problem;
  problem.a = from;
  problem.b = planned.weights->argument();
  problem.c = to;
  EnqueueOptions enqueue_options;
  enqueue_options.packed_b = true;
  const OperandStorage& storage = planned.product->route.storage;
  if (storage.between)
    enqueue_options.workspace = within(plan_.workspace.between, *storage.between);
  enqueue_options.pack_a_to = within(plan_.workspace.packed, storage.a);
  if (observe) enqueue_options.observer = &observe;
  enqueue_options.c_elements = planned.made.elements;
  return enqueue(library_.executor(), &library_.temporaries(), queue_, planned.product->route,
                 problem, waits_, enqueue_options);
}

ActivationProblem Network::Run::make_activation_problem(const ChainPart& part,
                                                        const PlannedPart& planned,
                                                        const MatrixArgument& from,
                                                        const MatrixArgument& to) const {
  ActivationProblem problem = planned.along_memory
                                  ? along_memory(to, planned.made.elements)
                                  : padded_activation(planned.layer.kernel->record(),
                                                      plan_.key.batch, planned.columns, from, to);
  problem.bias = planned.zeros;
  problem.arguments = part.arguments;
  return problem;
}

cl::Event Network::Run::enqueue_layer(const ChainPart& part, const PlannedPart& planned,
                                      const MatrixArgument& from, const MatrixArgument& to,
                                      const CommandObserver& observe) {
  LoadedKernel& kernel = *planned.layer.kernel;
  const Executor& executor = library_.executor();
  cl::Event done = require_event(launch_with_retry(library_.temporaries(), [&] {
    if (part.kind == ChainPart::Kind::kSoftmax) {
      return executor.launch(
          queue_, kernel,
          padded_softmax(kernel.record(), plan_.key.batch, part.outputs, planned.columns, from, to),
          waits_);
    }
    return executor.launch(queue_, kernel, make_activation_problem(part, planned, from, to),
                           waits_);
  }));
  if (observe) observe(kernel.record(), done);
  return done;
}

cl::Event Network::forward_all(const cl::CommandQueue& queue, Matrices inputs, Matrices outputs,
                               std::size_t batch, const std::vector<cl::Event>& wait_list,
                               const NetworkForward& with) const {
  check_count("inputs", num_inputs(), inputs.size());
  check_count("outputs", num_outputs(), outputs.size());
  checked_key(batch, inputs, outputs);
  if (batch > 0) check_buffers(batch, inputs, outputs);
  library_->check(queue, wait_list);
  const bool has_workspace = with.workspace.buffer() != nullptr && batch > 0;
  std::shared_ptr<const NetworkPlan> plan =
      has_workspace ? prepared_within(with.workspace, batch, inputs, outputs)
                    : prepared(batch, inputs, outputs);
  if (batch == 0) return library_->enqueue_marker(queue, wait_list);
  std::vector<cl::Event> waits;
  if (is_packing(*plan)) {
    waits = plan->packing;
    waits.insert(waits.end(), wait_list.begin(), wait_list.end());
  }
  for (;;) {
    Run run(*this, *plan, queue, inputs, outputs, waits.empty() ? wait_list : waits, with);
    try {
      run.take_workspace();
    } catch (const Error& error) {
      if (error.status() != TW_OUT_OF_MEMORY) throw;
      const std::shared_ptr<const NetworkPlan> less = smaller(*plan, inputs, outputs);
      if (less == nullptr) throw;
      plan = less;
      continue;
    }
    return run.enqueue_all();
  }
}

}  // namespace tilewright
