// Enqueues products of complex matrices.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/complex/complex_form.hpp"
#include "runtime/complex/complex_kernels.hpp"
#include "runtime/complex/complex_memory.hpp"
#include "runtime/device/temporary_pool.hpp"

namespace tilewright {

// The parts of a library that complex products use.
struct ComplexHost {
  const Executor& executor;
  TemporaryPool& temporaries;
  ComplexKernels& kernels;
  // Multiplies real matrices. The problem has been checked; it may be a batch.
  std::function<cl::Event(const GemmProblem&, const std::vector<cl::Event>&)> multiply;
  // Returns an event that completes after all earlier commands of the queue. Throws Error.
  std::function<cl::Event(const cl::CommandQueue&)> enqueue_marker;
};

// The problem of the real product. Converted operands, and a C that is combined later, have no
// buffer yet and no offset, but the leading dimension and distances of their temporaries.
GemmProblem real_problem(const GemmProblem& problem, const ComplexSteps& steps);

// Enqueues the conversion of an operand, or of several operands at equal distances. `to` and
// `to_apart` count reals. Throws Error.
struct ConversionWork {
  const ComplexOperand& operand;
  Precision precision = Precision::kSingle;
  MatrixArgument from;
  MatrixArgument to;
  std::size_t count = 1;
  std::size_t from_apart = 0;
  std::size_t to_apart = 0;
};
cl::Event enqueue_conversion(const ComplexHost& host, const cl::CommandQueue& queue,
                             const ConversionWork& work, const std::vector<cl::Event>& wait_list);

// Operands that are already converted for the real product.
struct ConvertedOperands {
  std::optional<MatrixArgument> a;
  std::optional<MatrixArgument> b;
};
// Enqueues a problem of one product, or of as many as there may be temporaries for, with the given
// steps.
cl::Event enqueue_steps(const ComplexHost& host, const cl::CommandQueue& queue,
                        const GemmProblem& problem, const ComplexSteps& steps,
                        const ConvertedOperands& given, const std::vector<cl::Event>& wait_list);

// Enqueues a checked problem, which may be a batch, after the events of wait_list. Temporaries come
// from the pool; if there is not enough memory for those of the best form, the next form is tried.
// Returns one event for each part: C is written when all are complete. Throws Error.
std::vector<cl::Event> enqueue_complex(const ComplexHost& host, const cl::CommandQueue& queue,
                                       const GemmProblem& problem,
                                       const std::vector<cl::Event>& wait_list);

// The real product that is one step of the problem; nullopt if there is none, which is the case for
// C = beta C with a beta that is not real.
std::optional<GemmProblem> equivalent_real_product(
    const GemmProblem& problem, std::uint64_t max_buffer_bytes = kAnyBufferBytes);
// All real products of enqueue_complex() that are planned separately, because a batch is computed
// in parts.
std::vector<GemmProblem> real_parts(const TemporaryPool& temporaries, const GemmProblem& problem);
// Describes the steps in a sentence.
std::string complex_text(const GemmProblem& problem,
                         std::uint64_t max_buffer_bytes = kAnyBufferBytes);

// The kernels that run before and after the real product, in order.
struct ComplexConversions {
  std::vector<ComplexKernel> before;
  std::vector<ComplexKernel> after;
};
ComplexConversions complex_conversions(const GemmProblem& problem, std::uint64_t max_buffer_bytes);
// Loads these kernels, so that a call does not fail half-way for lack of one. `planned`: alpha and
// beta may have any value. Throws Error.
void load_kernels(ComplexKernels& kernels, const GemmProblem& problem, bool planned,
                  std::uint64_t max_buffer_bytes);

}  // namespace tilewright
