// A net's forward: one chain of commands.
#include <algorithm>
#include <span>
#include <vector>

#include "runtime/net/mlp_state.hpp"
#include "runtime/plan/layer_kernels.hpp"

namespace tilewright {
namespace {

// Is the event complete, without error? Packing that has failed makes what waits for it fail, too.
bool is_complete(const cl::Event& event) {
  cl_int code = CL_SUCCESS;
  return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(&code) == CL_COMPLETE &&
         code == CL_SUCCESS;
}

// Does a forward have to wait for weights to be packed?
bool is_packing(const MlpPlan& plan) {
  if (plan.is_packed) return false;
  if (!std::all_of(plan.packing.begin(), plan.packing.end(), is_complete)) return true;
  plan.is_packed = true;
  return false;
}

}  // namespace

// The commands of one forward, each of which waits for the one before it.
class Mlp::State::Run {
 public:
  Run(State& state, const MlpPlan& plan, const cl::CommandQueue& queue, const MatrixArgument& input,
      const MatrixArgument& output, std::span<const cl::Event> wait_list, const MlpForward& with)
      : state_(state),
        library_(*state.library_),
        plan_(plan),
        queue_(queue),
        input_(input),
        output_(output),
        waits_(wait_list),
        with_(with),
        temporaries_(library_.temporaries(), queue, wait_list) {}

  // Throws Error TW_OUT_OF_MEMORY before anything is enqueued.
  void take_workspace() {
    const Storage& whole = plan_.workspace.whole;
    if (whole.elements == 0) return;
    workspace_.buffer = with_.workspace.buffer();
    workspace_.offset = with_.workspace.offset;
    if (workspace_.buffer != nullptr) return;
    workspace_ = {temporaries_.take(whole), 0, 0};
    waits_ = temporaries_.waits_with_users(waits_);
  }

  cl::Event enqueue_all() {
    for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
      const CommandObserver observe = observer(i);
      last_ = enqueue_stage(i, observe);
      waits_ = std::span(&last_, 1);
      temporaries_.enqueued(last_);
    }
    return last_;
  }

 private:
  // Small enough that std::function allocates nothing.
  CommandObserver observer(std::size_t step) const {
    if (!with_.observer) return nullptr;
    return [this, step](const KernelRecord& record, const cl::Event& event) {
      with_.observer({step, record.name, event});
    };
  }
  // Kernels count offsets in elements of what lies there.
  MatrixArgument within(std::size_t offset, const Storage& storage) const {
    const std::size_t bytes = (workspace_.offset + offset) * sizeof(float);
    return {workspace_.buffer, bytes / bytes_per_element(storage.precision), storage.ld};
  }
  MatrixArgument at(MlpPlace place, const Storage& held) const {
    if (place == MlpPlace::kInput) return input_;
    if (place == MlpPlace::kOutput) return output_;
    return within(place == MlpPlace::kEven ? plan_.workspace.even : plan_.workspace.odd, held);
  }
  cl::Event enqueue_stage(std::size_t index, const CommandObserver& observe);
  cl::Event enqueue_product(const PlannedStage& planned, const MatrixArgument& from,
                            const MatrixArgument& to, const CommandObserver& observe);
  cl::Event enqueue_layer(const MlpStage& stage, const PlannedStage& planned,
                          const MatrixArgument& from, const MatrixArgument& to,
                          const CommandObserver& observe);
  ActivationProblem make_activation_problem(const MlpStage& stage, const PlannedStage& planned,
                                            const MatrixArgument& from,
                                            const MatrixArgument& to) const;

  State& state_;
  Library::State& library_;
  const MlpPlan& plan_;
  const cl::CommandQueue& queue_;
  const MatrixArgument input_;
  const MatrixArgument output_;
  std::span<const cl::Event> waits_;  // of the next command: the call's, then last_
  const MlpForward& with_;
  TemporaryLease temporaries_;
  MatrixArgument workspace_;
  cl::Event last_;
};

cl::Event Mlp::State::Run::enqueue_stage(std::size_t index, const CommandObserver& observe) {
  const MlpStage& stage = state_.stages_[index];
  const PlannedStage& planned = plan_.stages[index];
  // The first stage reads the caller's matrix.
  const MatrixArgument from = at(stage.from, plan_.stages[index == 0 ? 0 : index - 1].made);
  const MatrixArgument to = at(stage.to, planned.made);
  if (planned.product) return enqueue_product(planned, from, to, observe);
  return enqueue_layer(stage, planned, from, to, observe);
}

cl::Event Mlp::State::Run::enqueue_product(const PlannedStage& planned, const MatrixArgument& from,
                                           const MatrixArgument& to,
                                           const CommandObserver& observe) {
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

ActivationProblem Mlp::State::Run::make_activation_problem(const MlpStage& stage,
                                                           const PlannedStage& planned,
                                                           const MatrixArgument& from,
                                                           const MatrixArgument& to) const {
  ActivationProblem problem = planned.along_memory
                                  ? along_memory(to, planned.made.elements)
                                  : padded_activation(planned.layer.kernel->record(),
                                                      plan_.key.batch, planned.columns, from, to);
  problem.bias = state_.weights_.zeros();
  problem.arguments = stage.arguments;
  return problem;
}

cl::Event Mlp::State::Run::enqueue_layer(const MlpStage& stage, const PlannedStage& planned,
                                         const MatrixArgument& from, const MatrixArgument& to,
                                         const CommandObserver& observe) {
  LoadedKernel& kernel = *planned.layer.kernel;
  const Executor& executor = library_.executor();
  cl::Event done = require_event(launch_with_retry(library_.temporaries(), [&] {
    if (stage.kind == MlpStage::Kind::kSoftmax) {
      return executor.launch(queue_, kernel,
                             padded_softmax(kernel.record(), plan_.key.batch, stage.outputs,
                                            planned.columns, from, to),
                             waits_);
    }
    return executor.launch(queue_, kernel, make_activation_problem(stage, planned, from, to),
                           waits_);
  }));
  if (observe) observe(kernel.record(), done);
  return done;
}

cl::Event Mlp::State::forward(const cl::CommandQueue& queue, const Matrix& input,
                              const Matrix& output, std::size_t batch,
                              const std::vector<cl::Event>& wait_list, const MlpForward& with) {
  checked_ends(batch, input, output);
  if (batch > 0) check_buffers(batch, input, output);
  library_->check(queue, wait_list);
  std::shared_ptr<const MlpPlan> plan = prepared(batch, input, output);
  if (batch == 0) return library_->enqueue_marker(queue, wait_list);
  if (with.workspace.buffer() != nullptr) check_workspace(with.workspace, *plan);
  std::vector<cl::Event> waits;
  if (is_packing(*plan)) {
    waits = plan->packing;
    waits.insert(waits.end(), wait_list.begin(), wait_list.end());
  }
  for (;;) {
    Run run(*this, *plan, queue, {input.buffer(), input.offset, input.ld},
            {output.buffer(), output.offset, output.ld}, waits.empty() ? wait_list : waits, with);
    try {
      run.take_workspace();
    } catch (const Error& error) {
      if (error.status() != TW_OUT_OF_MEMORY) throw;
      const std::shared_ptr<const MlpPlan> less = smaller(*plan, input, output);
      if (less == nullptr) throw;
      plan = less;
      continue;
    }
    return run.enqueue_all();
  }
}

}  // namespace tilewright
