#include "runtime/complex/complex_product.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "runtime/call/opencl_error.hpp"
#include "runtime/plan/batch.hpp"
#include "runtime/plan/operands.hpp"

namespace tilewright {
namespace {

// The matrix as a real one, in which the parts alternate.
MatrixArgument in_reals(const MatrixArgument& matrix) {
  return {matrix.buffer, 2 * matrix.offset, 2 * matrix.ld, matrix.start_alignment};
}

// True if every complex number is aligned to its size. Its parts always are.
bool has_aligned_pairs(const MatrixArgument& matrix) {
  return matrix.start_alignment % 2 == 0;
}

void place_operand(const ComplexOperand& operand, MatrixArgument& matrix, std::size_t& distance) {
  if (operand.conversion == Conversion::kNone) {
    matrix = in_reals(matrix);
    distance *= 2;
    return;
  }
  matrix = {nullptr, 0, row_distance(operand.real_columns())};
  // An operand that all products share is converted once.
  if (distance != 0) distance = matrix_elements(operand.real_rows(), operand.real_columns());
}

cl::Event launch_with(const ComplexHost& host, const cl::CommandQueue& queue, LoadedKernel& kernel,
                      const KernelLaunch& launch, const std::vector<cl::Event>& wait_list) {
  return require_event(launch_with_retry(
      host.temporaries, [&] { return host.executor.launch(queue, kernel, launch, wait_list); }));
}

// The result of the real product, and the distance of the results in a batch.
struct RealResult {
  MatrixArgument matrix;
  std::size_t apart = 0;
};

// C = alpha result + beta C. C is read if beta is not 0, the result if alpha is not 0.
cl::Event combine(const ComplexHost& host, const cl::CommandQueue& queue,
                  const GemmProblem& problem, const ComplexSteps& steps, const RealResult& result,
                  const std::vector<cl::Event>& wait_list) {
  const ComplexPart& complex = *problem.complex;
  const GemmShape& shape = problem.shape;
  LoadedKernel& kernel = host.kernels.get(
      {to_complex_kernel(steps.form), problem.precision, shape.n, has_aligned_pairs(problem.c)});
  KernelLaunch launch(global_size(kernel.record(), shape.m, shape.n));
  launch.extents({shape.m, shape.n}).matrix(result.matrix).matrix(problem.c);
  for (const double scalar : {complex.alpha.real(), complex.alpha.imag(), complex.beta.real(),
                              complex.beta.imag(), steps.sign_a, steps.sign_b}) {
    launch.scalar(scalar, problem.precision);
  }
  launch.products({problem.batch.count, result.apart, problem.batch.c, 0});
  return launch_with(host, queue, kernel, launch, wait_list);
}

// The commands of one product, or of as many as one launch can compute.
class ComplexCommands {
 public:
  ComplexCommands(const ComplexHost& host, const cl::CommandQueue& queue,
                  const GemmProblem& problem, const ComplexSteps& steps,
                  const std::vector<cl::Event>& wait_list)
      : host_(host),
        queue_(queue),
        problem_(problem),
        steps_(steps),
        wait_list_(wait_list),
        waits_(wait_list),
        lease_(host.temporaries, queue, wait_list) {}

  cl::Event enqueue(const ConvertedOperands& given) {
    GemmProblem real = real_problem(problem_, steps_);
    const Distances& from = problem_.batch;
    bring(steps_.a, given.a, problem_.a, from.a, real.a, real.batch.a);
    bring(steps_.b, given.b, problem_.b, from.b, real.b, real.batch.b);
    if (steps_.combines) {
      real.c.buffer = lease_.take(
          temporary_storage(real.precision, real.shape.m, real.shape.n, problem_.batch.count));
    }
    const cl::Event product = multiply(real);
    lease_.enqueued(product);
    if (!steps_.combines) return product;
    cl::Event done = combine(host_, queue_, problem_, steps_, {real.c, real.batch.c}, {product});
    lease_.enqueued(done);
    host_.temporaries.join({&product, 1}, done);
    return done;
  }

 private:
  void bring(const ComplexOperand& operand, const std::optional<MatrixArgument>& given,
             const MatrixArgument& from, std::size_t from_apart, MatrixArgument& to,
             std::size_t to_apart) {
    if (given) {
      to = *given;
      return;
    }
    if (operand.conversion == Conversion::kNone) return;
    const std::size_t count = from_apart == 0 ? 1 : problem_.batch.count;
    to.buffer = lease_.take(converted_storage(operand, problem_.precision, count));
    // Each waits for the one before, so that the last event of the lease covers all of them.
    waits_ = {enqueue_conversion(
        host_, queue_, {operand, problem_.precision, from, to, count, from_apart, to_apart},
        waits_)};
    lease_.enqueued(waits_.front());
  }
  // If this fails, some products of a batch may already be enqueued and use the temporaries until
  // they are complete.
  cl::Event multiply(const GemmProblem& real) {
    try {
      return host_.multiply(real, product_waits());
    } catch (...) {
      mark_temporaries();
      throw;
    }
  }
  // Keeps the temporaries until everything that was enqueued is complete.
  void mark_temporaries() {
    try {
      lease_.enqueued(host_.enqueue_marker(queue_));
    } catch (const Error&) {
      // A queue that accepts no marker runs no commands either.
    }
  }
  // The events that the real product waits for. After a conversion this includes the call's own
  // wait list, because it determines which temporaries of earlier calls may be reused.
  std::vector<cl::Event> product_waits() {
    std::vector<cl::Event> waits = waits_;
    const bool converts =
        steps_.a.conversion != Conversion::kNone || steps_.b.conversion != Conversion::kNone;
    if (converts) waits.insert(waits.end(), wait_list_.begin(), wait_list_.end());
    return waits;
  }

  const ComplexHost& host_;
  const cl::CommandQueue& queue_;
  const GemmProblem& problem_;
  const ComplexSteps& steps_;
  const std::vector<cl::Event>& wait_list_;
  std::vector<cl::Event> waits_;  // events that the next command waits for
  TemporaryLease lease_;
};

// C = beta C as a real product that does not read operands.
GemmProblem real_scaling(const GemmProblem& problem) {
  GemmProblem real = problem;
  real.complex.reset();
  real.shape.n *= 2;
  real.beta = problem.complex->beta.real();
  real.c = in_reals(problem.c);
  real.a = real.b = real.c;
  const std::size_t apart = 2 * problem.batch.c;
  if (problem.batch.count > 1) real.batch = {problem.batch.count, apart, apart, apart};
  return real;
}

// The same for a beta that is not real. C is passed as the result, which is not read because alpha
// = 0.
cl::Event scale(const ComplexHost& host, const cl::CommandQueue& queue, const GemmProblem& problem,
                const std::vector<cl::Event>& wait_list) {
  return combine(host, queue, problem, ComplexSteps{}, {in_reals(problem.c), 2 * problem.batch.c},
                 wait_list);
}

// True if the problem is C = beta C.
bool scales(const GemmProblem& problem) {
  return problem.shape.k == 0;
}

// Number of products of a batch that one chain of commands computes.
std::size_t max_products_at_once(const TemporaryPool& temporaries, const GemmProblem& real,
                                 const ComplexSteps& steps) {
  std::size_t elements = 1;
  for (const ComplexOperand* operand : {&steps.a, &steps.b}) {
    if (operand->conversion == Conversion::kNone) continue;
    elements += matrix_elements(operand->real_rows(), operand->real_columns());
  }
  if (steps.combines) elements += matrix_elements(real.shape.m, real.shape.n);
  const std::size_t fits =
      temporaries.bytes_per_call() / bytes_per_element(real.precision) / elements;
  return std::clamp<std::size_t>(fits, 1, kMaxProductsPerLaunch);
}

ComplexSteps best_steps(const GemmProblem& problem, std::uint64_t max_buffer_bytes) {
  return ranked_steps(problem, max_buffer_bytes).front();
}

// Enqueues some products of a batch in the first form for which there is enough memory.
cl::Event enqueue_part(const ComplexHost& host, const cl::CommandQueue& queue,
                       const GemmProblem& part, std::span<const ComplexSteps> forms,
                       const std::vector<cl::Event>& wait_list) {
  try {
    return enqueue_steps(host, queue, part, forms.front(), {}, wait_list);
  } catch (const Error& error) {
    // If the products update C, some of them may already be done, so they must not be repeated.
    const bool repeats = part.batch.count == 1 || part.beta == 0.0 || forms.front().combines;
    if (forms.size() == 1 || !repeats || !lacks_memory(error.opencl_code())) throw;
  }
  // Waits for everything that the first form has enqueued, because it may write C, too.
  std::vector<cl::Event> waits = wait_list;
  waits.push_back(host.enqueue_marker(queue));
  return enqueue_part(host, queue, part, forms.subspan(1), waits);
}

}  // namespace

GemmProblem real_problem(const GemmProblem& problem, const ComplexSteps& steps) {
  GemmProblem real = problem;
  real.complex.reset();
  real.shape = steps.real;
  place_operand(steps.a, real.a, real.batch.a);
  place_operand(steps.b, real.b, real.batch.b);
  if (steps.combines) {
    real.alpha = 1.0;
    real.beta = 0.0;
    real.c = {nullptr, 0, row_distance(real.shape.n)};
    real.batch.c = matrix_elements(real.shape.m, real.shape.n);
  } else {
    real.alpha = problem.complex->alpha.real();
    real.beta = problem.complex->beta.real();
    real.c = in_reals(problem.c);
    real.batch.c *= 2;
  }
  if (real.batch.count == 1) real.batch = {};
  return real;
}

cl::Event enqueue_conversion(const ComplexHost& host, const cl::CommandQueue& queue,
                             const ConversionWork& work, const std::vector<cl::Event>& wait_list) {
  const ComplexOperand& operand = work.operand;
  const bool expands = operand.conversion == Conversion::kExpand;
  const std::size_t unit = expands ? 2 : 1;  // reals per element of the output
  LoadedKernel& kernel = host.kernels.get({to_complex_kernel(operand.conversion), work.precision,
                                           operand.columns, has_aligned_pairs(work.from)});
  KernelLaunch launch(global_size(kernel.record(), operand.rows, operand.columns));
  launch.extents({operand.rows, operand.columns})
      .matrix(work.from)
      .matrix({work.to.buffer, work.to.offset / unit, work.to.ld / unit});
  if (expands) {
    launch.scalar(operand.conjugate ? -1.0 : 1.0, work.precision)
        .scalar(operand.sign, work.precision);
  }
  launch.products({work.count, work.from_apart, work.to_apart / unit, 0});
  return launch_with(host, queue, kernel, launch, wait_list);
}

cl::Event enqueue_steps(const ComplexHost& host, const cl::CommandQueue& queue,
                        const GemmProblem& problem, const ComplexSteps& steps,
                        const ConvertedOperands& given, const std::vector<cl::Event>& wait_list) {
  return ComplexCommands(host, queue, problem, steps, wait_list).enqueue(given);
}

std::vector<cl::Event> enqueue_complex(const ComplexHost& host, const cl::CommandQueue& queue,
                                       const GemmProblem& problem,
                                       const std::vector<cl::Event>& wait_list) {
  if (scales(problem) && problem.complex->has_real_scalars()) {
    return {host.multiply(real_scaling(problem), wait_list)};
  }
  std::array<ComplexSteps, 3> forms;
  std::size_t most = kMaxProductsPerLaunch;
  if (!scales(problem)) {
    forms = ranked_steps(problem, host.temporaries.largest_buffer());
    for (const ComplexSteps& form : forms) {
      most =
          std::min(most, max_products_at_once(host.temporaries, real_problem(problem, form), form));
    }
  }
  std::vector<cl::Event> written;
  for (std::size_t first = 0; first < problem.batch.count; first += most) {
    const GemmProblem part =
        slice_batch(problem, first, std::min(most, problem.batch.count - first));
    written.push_back(scales(problem) ? scale(host, queue, part, wait_list)
                                      : enqueue_part(host, queue, part, forms, wait_list));
  }
  return written;
}

std::optional<GemmProblem> equivalent_real_product(const GemmProblem& problem,
                                                   std::uint64_t max_buffer_bytes) {
  if (!scales(problem)) return real_problem(problem, best_steps(problem, max_buffer_bytes));
  if (!problem.complex->has_real_scalars()) return std::nullopt;
  return real_scaling(problem);
}

std::vector<GemmProblem> real_parts(const TemporaryPool& temporaries, const GemmProblem& problem) {
  const std::optional<GemmProblem> whole =
      equivalent_real_product(problem, temporaries.largest_buffer());
  if (!whole) return {};
  if (scales(problem)) return {*whole};
  const ComplexSteps steps = best_steps(problem, temporaries.largest_buffer());
  const std::size_t count = problem.batch.count;
  const std::size_t most = std::min(max_products_at_once(temporaries, *whole, steps), count);
  std::vector<GemmProblem> parts{real_problem(slice_batch(problem, 0, most), steps)};
  if (count % most != 0) {
    parts.push_back(real_problem(slice_batch(problem, count - count % most, count % most), steps));
  }
  return parts;
}

std::string complex_text(const GemmProblem& problem, std::uint64_t max_buffer_bytes) {
  if (scales(problem)) return "complex; A and B are not read";
  return to_text(best_steps(problem, max_buffer_bytes));
}

ComplexConversions complex_conversions(const GemmProblem& problem, std::uint64_t max_buffer_bytes) {
  ComplexConversions conversions;
  if (scales(problem)) {
    if (!equivalent_real_product(problem))
      conversions.after.push_back(to_complex_kernel(ComplexForm::kExpandB));
    return conversions;
  }
  const ComplexSteps steps = best_steps(problem, max_buffer_bytes);
  for (const ComplexOperand* operand : {&steps.a, &steps.b}) {
    if (operand->conversion == Conversion::kNone) continue;
    conversions.before.push_back(to_complex_kernel(operand->conversion));
  }
  if (steps.combines) conversions.after.push_back(to_complex_kernel(steps.form));
  return conversions;
}

void load_kernels(ComplexKernels& kernels, const GemmProblem& problem, bool planned,
                  std::uint64_t max_buffer_bytes) {
  const ComplexSteps steps =
      scales(problem) ? ComplexSteps{} : best_steps(problem, max_buffer_bytes);
  const std::pair<const ComplexOperand*, const MatrixArgument*> operands[] = {
      {&steps.a, &problem.a}, {&steps.b, &problem.b}};
  for (const auto& [operand, matrix] : operands) {
    if (operand->conversion == Conversion::kNone) continue;
    kernels.get({to_complex_kernel(operand->conversion), problem.precision, operand->columns,
                 has_aligned_pairs(*matrix)});
  }
  if (steps.combines || planned || (scales(problem) && !equivalent_real_product(problem))) {
    kernels.get({to_complex_kernel(steps.form), problem.precision, problem.shape.n,
                 has_aligned_pairs(problem.c)});
  }
}

}  // namespace tilewright
