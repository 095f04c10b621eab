#include "runtime/check/product_check.hpp"

#include <fmt/format.h>

namespace tilewright {
namespace {

GemmProblem in_halves(GemmProblem whole, const KernelRecord& record, CheckBatch batch) {
  const auto distance = [](const MatrixArgument& matrix, const Layout& layout, std::int64_t lines,
                           const Layout& by_lines) {
    return static_cast<std::size_t>(lines) * (layout == by_lines ? matrix.ld : 1);
  };
  if (batch == CheckBatch::kAlongM) {
    const std::int64_t m = whole.shape.m /= 2;
    whole.batch = {2, distance(whole.a, record.layout_a, m, Layout::R()), 0,
                   distance(whole.c, record.layout_c, m, Layout::R())};
  }
  if (batch == CheckBatch::kAlongN) {
    const std::int64_t n = whole.shape.n /= 2;
    whole.batch = {2, 0, distance(whole.b, *record.layout_b, n, Layout::C()),
                   distance(whole.c, record.layout_c, n, Layout::C())};
  }
  return whole;
}

std::string case_name(const KernelRecord& record, const ProductCase& test) {
  return fmt::format("{} on {} with alpha = {}, beta = {}", record.name, to_text(test.shape),
                     test.alpha, test.beta);
}

}  // namespace

Verified check_product(const Executor& executor, const cl::CommandQueue& queue,
                       LoadedKernel& kernel, const ProductCase& test, const ProductData& product) {
  const KernelRecord& record = kernel.record();
  const GemmShape& shape = test.shape;
  const std::string name = case_name(record, test);
  const Storage a_storage = storage_a(record, shape);
  const Storage b_storage = storage_b(record, shape);
  for (const Storage& storage : {a_storage, b_storage}) {
    if (const auto shortage = memory_shortage(executor.device(), storage)) {
      return KernelError{FailureKind::kLimits, fmt::format("{} needs {}", name, *shortage)};
    }
  }
  const DeviceMatrix a =
      upload_surrounded(executor.context(), a_storage, shape.m, shape.k, product.a, record);
  const DeviceMatrix b =
      upload_surrounded(executor.context(), b_storage, shape.k, shape.n, product.b, record);
  const bool split = record.split_k > 1;
  const Storage storage = split ? storage_parts(record, shape) : storage_c(record, shape);
  // The parts of a split k are added to C later.
  const double beta = split ? 0.0 : test.beta;
  // Without beta, C is never read: its NaN must not reach the result.
  ResultMatrix result(executor.context(), storage, split ? storage.rows : shape.m, shape.n,
                      beta == 0.0 ? untouched_elements() : element_reader(product.c),
                      test.odd_c ? c_placement(record) : placement_for(record));
  const BiasAndArguments given(executor.context(), record, shape.m, shape.n);
  const GemmProblem problem{op_from_layouts(record.layout_a, *record.layout_b),
                            shape,
                            split ? 1.0 : test.alpha,
                            beta,
                            a.argument(),
                            b.argument(),
                            result.argument(),
                            given.bias(),
                            given.arguments(),
                            {},
                            false,
                            {},
                            record.precision};
  const Launched launched =
      executor.launch(queue, kernel, in_halves(problem, record, test.batch), {});
  if (auto kernel_error = result.read(queue, name, launched)) return *kernel_error;
  const auto got = [&](std::int64_t i, std::int64_t j) {
    if (!split) return result.at(i, j);
    double sum = 0.0;
    for (int part = 0; part < record.split_k; ++part) sum += result.at(part * shape.m + i, j);
    return test.alpha * sum;
  };
  const int half_sums = test.data == CheckData::kWhole ? 0 : record.accumulate_k;
  const auto expected = [&](std::int64_t i, std::int64_t j) {
    const ProductElement& sum = product.expected[static_cast<std::size_t>(i * shape.n + j)];
    return given.applied(record, with_half_sums(sum, half_sums, shape.k, test.alpha), i, j);
  };
  Verified verified = compare(name, shape.m, shape.n, got, expected);
  if (std::holds_alternative<KernelError>(verified)) return verified;
  if (!result.only_within(storage.rows, storage.columns)) return wrote_outside(name);
  return verified;
}

}  // namespace tilewright
