#include "runtime/plan/operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "runtime/call/storage.hpp"

namespace tilewright {
namespace {

// The commands of one call. Each waits for the previous one.
class CallCommands {
 public:
  CallCommands(const Executor& executor, TemporaryPool& pool, const cl::CommandQueue& queue,
               const Route& route, const GemmProblem& call, std::span<const cl::Event> wait_list,
               const EnqueueOptions& enqueue_options)
      : executor_(executor),
        pool_(pool),
        queue_(queue),
        route_(route),
        call_(call),
        waits_(wait_list),
        at_hand_(enqueue_options),
        temporaries_(pool, queue, wait_list),
        a_(call.a),
        b_(call.b) {}

  void run(CallStep step, LoadedKernel& kernel);
  const cl::Event& last() const { return last_; }

 private:
  MatrixArgument place(const Storage& storage, const MatrixArgument& given) {
    if (given.buffer != nullptr && !storage.image) return {given.buffer, given.offset, storage.ld};
    return {temporaries_.take(storage), 0, storage.ld};
  }
  // The temporary between the product and C.
  const MatrixArgument& between() {
    if (between_.buffer == nullptr) between_ = place(*route_.storage.between, at_hand_.workspace);
    return between_;
  }
  void pack(LoadedKernel& kernel, const Storage& to, std::int64_t rows, std::int64_t columns,
            const MatrixArgument& from, const MatrixArgument& at);
  void multiply(LoadedKernel& kernel);
  void unpack(LoadedKernel& kernel);
  void add_parts(LoadedKernel& kernel);
  void finish(LoadedKernel& kernel);
  template <class Problem>
  void launch(LoadedKernel& kernel, const Problem& problem);

  const Executor& executor_;
  TemporaryPool& pool_;
  const cl::CommandQueue& queue_;
  const Route& route_;
  const GemmProblem& call_;
  // Events that the next command waits for: the call's, then last_.
  std::span<const cl::Event> waits_;
  cl::Event last_;
  const EnqueueOptions& at_hand_;
  TemporaryLease temporaries_;
  MatrixArgument a_;  // A in the storage that the product reads
  MatrixArgument b_;
  MatrixArgument between_;  // null: not needed yet
};

template <class Problem>
void CallCommands::launch(LoadedKernel& kernel, const Problem& problem) {
  last_ = require_event(
      launch_with_retry(pool_, [&] { return executor_.launch(queue_, kernel, problem, waits_); }));
  waits_ = std::span(&last_, 1);
  temporaries_.enqueued(last_);
  if (at_hand_.observer != nullptr) (*at_hand_.observer)(kernel.record(), last_);
}

void CallCommands::run(CallStep step, LoadedKernel& kernel) {
  const GemmShape& shape = call_.shape;
  const OperandStorage& storage = route_.storage;
  switch (step) {
    case CallStep::kPackA:
      if (at_hand_.packed_a) return;
      a_ = place(storage.a, at_hand_.pack_a_to);
      return pack(kernel, storage.a, shape.m, shape.k, call_.a, a_);
    case CallStep::kPackB:
      if (at_hand_.packed_b) return;
      b_ = place(storage.b, at_hand_.pack_b_to);
      return pack(kernel, storage.b, shape.k, shape.n, call_.b, b_);
    case CallStep::kPackC:
      if (call_.beta == 0.0) return;
      return pack(kernel, *storage.between, shape.m, shape.n, call_.c, between());
    case CallStep::kGemm:
      return multiply(kernel);
    case CallStep::kUnpackC:
      return unpack(kernel);
    case CallStep::kReduce:
      return add_parts(kernel);
    case CallStep::kFinish:
      return finish(kernel);
  }
}

void CallCommands::pack(LoadedKernel& kernel, const Storage& to, std::int64_t rows,
                        std::int64_t columns, const MatrixArgument& from,
                        const MatrixArgument& at) {
  PackProblem problem = pack_problem(to, rows, columns, from);
  problem.to = at;
  launch(kernel, problem);
}

void CallCommands::multiply(LoadedKernel& kernel) {
  GemmProblem problem = call_;
  problem.a = a_;
  problem.b = b_;
  const bool has_parts = route_.kernels[CallStep::kReduce] != nullptr;
  problem.division = route_.plan.division;
  problem.parts = call_.c;
  if (route_.storage.between) {
    (problem.division && has_parts ? problem.parts : problem.c) = between();
  }
  if (has_parts && !problem.division) {
    // The parts are not scaled; the reduce kernel scales their sum.
    problem.alpha = 1.0;
    problem.beta = 0.0;
  }
  launch(kernel, problem);
}

void CallCommands::unpack(LoadedKernel& kernel) {
  PackProblem problem =
      unpack_problem(*route_.storage.between, call_.shape.m, call_.shape.n, call_.c);
  problem.from = between();
  launch(kernel, problem);
}

void CallCommands::add_parts(LoadedKernel& kernel) {
  const PartialProducts& parts = route_.plan.parts;
  ReduceProblem sum;
  sum.m = call_.shape.m - parts.first_row;
  sum.n = call_.shape.n;
  sum.num_parts = parts.count;
  sum.alpha = call_.alpha;
  sum.beta = call_.beta;
  sum.c = call_.c;
  sum.c.offset += static_cast<std::size_t>(parts.first_row) * sum.c.ld;
  sum.bias = call_.bias;
  sum.arguments = call_.arguments;
  sum.parts = between();
  if (parts.first_row == 0 || sum.beta == 0.0) return launch(kernel, sum);
  try {
    launch(kernel, sum);
  } catch (const Error& error) {
    // No other plan may be tried, and the caller must not repeat the call.
    throw PartialResultError(TW_OPENCL_ERROR,
                             fmt::format("{}; the first {} rows of C have already been computed",
                                         error.what(), parts.first_row));
  }
}

// Applies the epilogue in place.
void CallCommands::finish(LoadedKernel& kernel) {
  const MatrixArgument& c = call_.c;
  const GemmShape& shape = call_.shape;
  launch(kernel,
         ActivationProblem{shape.m, shape.n, shape.m, shape.n, c, c, call_.bias, call_.arguments});
}

}  // namespace

cl::Event require_event(Launched launched) {
  if (const auto* kernel_error = std::get_if<KernelError>(&launched)) {
    throw Error(to_status(kernel_error->opencl_code), kernel_error->reason,
                kernel_error->opencl_code);
  }
  return std::move(std::get<cl::Event>(launched));
}

std::vector<const LoadedKernel*> Route::in_order() const {
  std::vector<const LoadedKernel*> loaded;
  std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(loaded),
               [](const LoadedKernel* kernel) { return kernel != nullptr; });
  return loaded;
}

std::optional<Route> load_route(GemmPlan plan,
                                const std::function<LoadedKernel*(const KernelRecord&)>& load) {
  Route route;
  // Loads the first choice that works and removes the others.
  const auto load_any = [&](CallStep step) {
    GemmPlan::Choices& choices = plan.choices[step];
    if (choices.empty()) return true;
    for (const KernelRecord* record : choices) {
      route.kernels[step] = load(*record);
      if (route.kernels[step] == nullptr) continue;
      choices = {record};
      return true;
    }
    return false;
  };
  // The product's kernel comes first: without it, the others need not be built.
  if (!load_any(CallStep::kGemm)) return std::nullopt;
  for (const StepFacts& facts : kCallSteps) {
    if (facts.step != CallStep::kGemm && !load_any(facts.step)) return std::nullopt;
  }
  route.plan = std::move(plan);
  route.storage = operand_storage(route, route.plan.shape);
  return route;
}

bool does_batches(const Route& route) {
  return route.in_order().size() == 1 && route.kernels[CallStep::kGemm]->record().batched;
}

OperandStorage operand_storage(const Route& route, const GemmShape& shape) {
  const KernelRecord& record = route.kernels[CallStep::kGemm]->record();
  OperandStorage storage{storage_a(record, shape), storage_b(record, shape), std::nullopt};
  if (route.kernels[CallStep::kReduce] != nullptr) {
    storage.between = storage_parts(record, shape, route.plan.parts);
  }
  if (route.kernels[CallStep::kUnpackC] != nullptr) storage.between = storage_c(record, shape);
  return storage;
}

cl::Event enqueue(const Executor& executor, TemporaryPool* pool, const cl::CommandQueue& queue,
                  const Route& route, const GemmProblem& problem,
                  std::span<const cl::Event> wait_list, const EnqueueOptions& enqueue_options) {
  std::optional<TemporaryPool> none;
  if (pool == nullptr) pool = &none.emplace(allocate_in(executor.context()), 0, 0);
  CallCommands commands(executor, *pool, queue, route, problem, wait_list, enqueue_options);
  for (const StepFacts& facts : kCallSteps) {
    LoadedKernel* kernel = route.kernels[facts.step];
    if (kernel != nullptr) commands.run(facts.step, *kernel);
  }
  return commands.last();
}

}  // namespace tilewright
