// How does a product of complex matrices become commands?
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

// What it uses of a library.
struct ComplexHost {
  const Executor& executor;
  TemporaryPool& temporaries;
  ComplexKernels& kernels;
  // Multiplies real matrices: a problem that was checked, with a batch of products.
  std::function<cl::Event(const GemmProblem&, const std::vector<cl::Event>&)> multiply;
};

// What the real product is asked for. Operands that are converted, and C where it is put together,
// have no buffer yet, no offset, and the leading dimension and distances that their temporaries
// have.
GemmProblem real_problem(const GemmProblem& problem, const ComplexSteps& steps);

// Enqueues bringing an operand, or several that lie at distances, into its converted form: `to` and
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

// Operands that lie as the real product reads them.
struct ConvertedOperands {
  std::optional<MatrixArgument> a;
  std::optional<MatrixArgument> b;
};
// Enqueues a problem of one product, or as many as temporaries may be had for, by these steps.
cl::Event enqueue_steps(const ComplexHost& host, const cl::CommandQueue& queue,
                        const GemmProblem& problem, const ComplexSteps& steps,
                        const ConvertedOperands& given, const std::vector<cl::Event>& wait_list);

// Enqueues a problem that was checked in full, maybe of a batch of products, after the events of
// wait_list. Temporaries come from the pool; without memory for those of the best form, the next is
// tried. Returns the events of its parts: when all are complete, C is written. Throws Error.
std::vector<cl::Event> enqueue_complex(const ComplexHost& host, const cl::CommandQueue& queue,
                                       const GemmProblem& problem,
                                       const std::vector<cl::Event>& wait_list);

// The real product that such a problem has as one step; nullopt: it is none but C = beta C with a
// beta that is not real, which no real product is.
std::optional<GemmProblem> real_twin(const GemmProblem& problem,
                                     std::uint64_t max_buffer_bytes = kAnyBufferBytes);
// All that enqueue_complex() multiplies, as far as it is planned apart: a batch is done in parts.
std::vector<GemmProblem> real_parts(const TemporaryPool& temporaries, const GemmProblem& problem);
// The steps as a sentence, for people.
std::string complex_text(const GemmProblem& problem,
                         std::uint64_t max_buffer_bytes = kAnyBufferBytes);

// The kernels around the real product, in order: before it, after it.
struct ComplexAround {
  std::vector<ComplexKernel> before;
  std::vector<ComplexKernel> after;
};
ComplexAround complex_around(const GemmProblem& problem, std::uint64_t max_buffer_bytes);
// Loads them, so that nothing fails for want of one half-way. `planned`: alpha and beta may be any.
// Throws Error.
void load_kernels(ComplexKernels& kernels, const GemmProblem& problem, bool planned,
                  std::uint64_t max_buffer_bytes);

}  // namespace tilewright
