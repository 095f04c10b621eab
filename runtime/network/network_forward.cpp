// Enqueues the commands of a forward pass.
#include <algorithm>
#include <span>
#include <vector>

#include "runtime/network/network.hpp"

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
      const CommandObserver observe = observer(i);
      const auto* layer = std::get_if<LayerStep>(&steps[i]);
      enqueued(layer != nullptr ? enqueue_layer(*layer, plan_.steps[i], observe)
                                : enqueue_kernel(i, std::get<KernelStep>(steps[i]), observe));
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
  MatrixArgument within(std::size_t offset, Precision precision, std::size_t ld) const {
    const std::size_t bytes = (workspace_.offset + offset) * sizeof(float);
    return {workspace_.buffer, bytes / bytes_per_element(precision), ld};
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
    return within(place.offset, state_.steps_.precision(value, state_.precision_), place.ld);
  }
  // Makes the next command wait for this one.
  void enqueued(cl::Event event) {
    last_ = std::move(event);
    waits_ = std::span(&last_, 1);
    temporaries_.enqueued(last_);
  }
  cl::Event enqueue_layer(const LayerStep& step, const PlannedStep& planned,
                          const CommandObserver& observe);
  cl::Event enqueue_product(const PlannedStep& planned, const MatrixArgument& from,
                            const MatrixArgument& to, const CommandObserver& observe);
  cl::Event enqueue_kernel(std::size_t index, const KernelStep& step,
                           const CommandObserver& observe);
  // Launches one kernel. `problem` is what it computes.
  template <class Problem>
  cl::Event launch(LoadedKernel& kernel, const Problem& problem, const CommandObserver& observe);

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
};

template <class Problem>
cl::Event Network::Run::launch(LoadedKernel& kernel, const Problem& problem,
                               const CommandObserver& observe) {
  cl::Event done = require_event(launch_with_retry(library_.temporaries(), [&] {
    return library_.executor().launch(queue_, kernel, problem, waits_);
  }));
  if (observe) observe(kernel.record(), done);
  return done;
}

cl::Event Network::Run::enqueue_layer(const LayerStep& step, const PlannedStep& planned,
                                      const CommandObserver& observe) {
  const MatrixArgument from = at(step.from);
  const MatrixArgument to = at(step.to);
  if (planned.product) return enqueue_product(planned, from, to, observe);
  LoadedKernel& kernel = *planned.kernel.kernel;
  const std::int64_t m = plan_.key.batch;
  const std::int64_t n = step.outputs;
  if (step.kind == LayerStep::Kind::kSoftmax) {
    return launch(kernel, SoftmaxProblem{m, n, m, n, from, to}, observe);
  }
  return launch(kernel, ActivationProblem{m, n, m, n, from, to, planned.zeros, step.arguments},
                observe);
}

cl::Event Network::Run::enqueue_product(const PlannedStep& planned, const MatrixArgument& from,
                                        const MatrixArgument& to, const CommandObserver& observe) {
  GemmProblem problem = planned.problem;
  problem.a = from;
  problem.b = planned.weights->argument();
  problem.c = to;
  EnqueueOptions enqueue_options;
  enqueue_options.packed_b = true;
  const OperandStorage& storage = planned.product->route.storage;
  if (storage.between) {
    enqueue_options.workspace =
        within(plan_.workspace.between, storage.between->precision, storage.between->ld);
  }
  enqueue_options.pack_a_to = within(plan_.workspace.packed, storage.a.precision, storage.a.ld);
  if (observe) enqueue_options.observer = &observe;
  return enqueue(library_.executor(), &library_.temporaries(), queue_, planned.product->route,
                 problem, waits_, enqueue_options);
}

cl::Event Network::Run::enqueue_kernel(std::size_t index, const KernelStep& step,
                                       const CommandObserver& observe) {
  LoadedKernel& kernel = *plan_.steps[index].kernel.kernel;
  const auto shifted = [&](NetworkValue value, std::int64_t first_column) {
    MatrixArgument matrix = at(value);
    matrix.offset += static_cast<std::size_t>(first_column);
    return matrix;
  };
  KernelLaunch problem(global_size(kernel.record(), plan_.key.batch, step.columns));
  problem.extents({plan_.key.batch, step.columns, step.terms})
      .matrix(shifted(step.to, step.first_column));
  const auto length = static_cast<std::size_t>(step.columns * step.terms);
  const StepConstants& constants = state_.constants_;
  if (!step.rows.empty()) {
    problem.matrix({constants.rows(), constants.first_row[index], length});
  }
  if (!step.tables.empty()) {
    problem.matrix({constants.tables(), constants.first_table[index], length});
  }
  for (const KernelStep::Source& source : step.from) {
    problem.matrix(shifted(source.value, source.first_column));
  }
  return launch(kernel, problem, observe);
}

cl::Event Network::forward_all(const cl::CommandQueue& queue, Matrices inputs, Matrices outputs,
                               std::size_t batch, const std::vector<cl::Event>& wait_list,
                               const NetworkForward& with) const {
  check_count("inputs", num_inputs(), inputs.size());
  check_count("outputs", num_outputs(), outputs.size());
  checked_key(batch, inputs, outputs);
  if (batch > 0) check_buffers(batch, inputs, outputs);
  library_->check(queue, wait_list);
  std::shared_ptr<const NetworkPlan> plan = prepared(batch, inputs, outputs, with.workspace);
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
      plan = smaller(*plan, inputs, outputs);
      if (plan == nullptr) throw;
      continue;
    }
    return run.enqueue_all();
  }
}

}  // namespace tilewright
