// Checks that a library runs every call with a profile, whatever the profile was tuned for.
#pragma once

#include "catch.hpp"
#include "runtime/check/check_matrices.hpp"
#include "tuner/bench/competitors/competitors.hpp"
#include "tuner/measure/device/device_choice.hpp"

namespace tilewright {

// Returns what is wrong with the product of a call on matrices with gaps, surrounded by NaN; "" if
// it is correct.
inline std::string fault_of_call(LibraryHandle& library, const cl::Context& context,
                                 const cl::CommandQueue& queue, Op op, const CheckCase& test) {
  const auto& [m, n, k] = test.shape;
  const CaseData product = make_data(test, KernelRecord{});
  const Placement odd{67, 5, 67};
  const auto matrix = [](const MatrixArgument& argument) {
    return Matrix{cl::Buffer(argument.buffer, true), argument.offset, argument.ld};
  };
  const auto bring = [&](const Layout& layout, std::int64_t rows, std::int64_t columns,
                         const std::vector<double>& host) {
    const Storage storage = whole_chunks(layout, false, rows, columns);
    return upload(
        context, storage,
        lay_out(storage, rows, columns, element_reader(host, columns), odd, surrounding_nan()));
  };
  const DeviceMatrix a = bring(op_layout_a(op), m, k, product.a);
  const DeviceMatrix b = bring(op_layout_b(op), k, n, product.b);
  ResultMatrix c(context, whole_chunks(Layout::R(), false, m, n),
                 test.beta == 0.0 ? untouched_elements() : element_reader(product.c, n), odd);
  GemmProblem problem;
  problem.op = op;
  problem.shape = test.shape;
  problem.alpha = test.alpha;
  problem.beta = test.beta;
  const cl::Event done = library->gemm(queue, to_gemm_call(problem), matrix(a.argument()),
                                       matrix(b.argument()), matrix(c.argument()));
  const std::string name = std::string(to_text(op)) + " " + to_text(test.shape);
  if (const auto kernel_error = c.read(queue, name, done)) return kernel_error->reason;
  const Verified verified = compare(
      name, m, n, [&](std::int64_t i, std::int64_t j) { return c.at(i, j); },
      [&](std::int64_t i, std::int64_t j) {
        return product.expected[static_cast<std::size_t>(i * test.shape.n + j)];
      });
  if (const auto* kernel_error = std::get_if<KernelError>(&verified)) return kernel_error->reason;
  return c.only_within(m, n) ? "" : wrote_outside(name).reason;
}

// For unusual shapes, in all ops.
inline void check_runs_all(LibraryHandle& library, const cl::Context& context,
                           const cl::CommandQueue& queue) {
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
    for (const CheckCase& test : awkward_cases(KernelRecord{}, awkward_shapes())) {
      CHECK(fault_of_call(library, context, queue, op, test) == "");
    }
  }
}

// With a profile from a file, on the device with index 0.
inline void check_runs_all(const std::string& profile) {
  const cl::Device device = enumerate_devices().devices.at(0).device;
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  LibraryHandle library = Library::open(context, device, ProfileSource::file(profile));
  CHECK(library->origin().find(profile) == 0);
  check_runs_all(library, context, queue);
}

}  // namespace tilewright
