#include "runtime/check/product_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

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

// The division for a device that runs so few work-groups at a time that small products have whole
// tiles and shared ones: if possible, also rows of whole tiles, whole tiles in the row of a shared
// one, and parts that do not end with their tile.
std::optional<StreamDivision> checked_division(const KernelRecord& record, const GemmShape& shape) {
  if (record.stream_k == 0) return std::nullopt;
  constexpr std::int64_t kMaxGroups = 64;  // no more cases with more work-groups
  const std::int64_t tiles = undivided(record, shape).whole_tiles;
  StreamDivision best = divide(record, shape, 1 + 2 * std::int64_t{record.stream_k});
  int best_cases = 0;
  for (std::int64_t groups = 2; groups < std::min(tiles, kMaxGroups); ++groups) {
    const StreamDivision division = divide(record, shape, groups);
    if (division.shared_tiles() == 0) continue;
    const bool crosses = division.sharing_groups < division.shared_tiles() * division.num_parts;
    const int cases = 1 + int{division.direct_tiles_m > 0} +
                      int{division.whole_tiles % division.tiles_n > 0} + int{crosses};
    if (cases > best_cases) {
      best = division;
      best_cases = cases;
    }
  }
  return best;
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
  const std::optional<StreamDivision> division = checked_division(record, shape);
  const PartialProducts parts =
      division ? partial_products(*division) : PartialProducts{0, split ? record.split_k : 0};
  const Storage storage = split ? storage_parts(record, shape, parts) : storage_c(record, shape);
  // The parts of a split k are added to C later.
  const double beta = split ? 0.0 : test.beta;
  // Without beta, C is never read: its NaN must not reach the result.
  ResultMatrix result(executor.context(), storage, split ? storage.rows : shape.m, shape.n,
                      beta == 0.0 ? untouched_elements() : element_reader(product.c),
                      test.odd_c ? c_placement(record) : placement_for(record));
  const std::int64_t part_rows = shape.m - parts.first_row;
  std::optional<ResultMatrix> shared;  // the parts of shared tiles
  if (division) {
    shared.emplace(executor.context(), storage_parts(record, shape, parts), part_rows * parts.count,
                   shape.n, untouched_elements(), placement_for(record));
  }
  const BiasAndArguments given(executor.context(), record, shape.m, shape.n);
  GemmProblem problem;
  problem.op = op_from_layouts(record.layout_a, *record.layout_b);
  problem.shape = shape;
  problem.alpha = split ? 1.0 : test.alpha;
  problem.beta = beta;
  problem.a = a.argument();
  problem.b = b.argument();
  problem.c = result.argument();
  problem.bias = given.bias();
  problem.arguments = given.arguments();
  problem.division = division;
  if (shared) problem.parts = shared->argument();
  problem.precision = record.precision;
  const Launched launched =
      executor.launch(queue, kernel, in_halves(problem, record, test.batch), {});
  if (auto kernel_error = result.read(queue, name, launched)) return *kernel_error;
  if (shared) {
    if (auto kernel_error = shared->read(queue, name, launched)) return *kernel_error;
  }
  const ElementReader old_c = element_reader(product.c);
  const auto got = [&](std::int64_t i, std::int64_t j) {
    if (parts.count == 0 || i < parts.first_row) return result.at(i, j);
    const ResultMatrix& stored = shared ? *shared : result;
    double sum = 0.0;
    for (int part = 0; part < parts.count; ++part) {
      sum += stored.at(part * part_rows + i - parts.first_row, j);
    }
    // A reduce kernel would add beta C.
    return test.alpha * sum + (beta == 0.0 ? 0.0 : beta * old_c(i, j));
  };
  const int half_sums = test.data == CheckData::kWhole ? 0 : record.accumulate_k;
  const auto expected = [&](std::int64_t i, std::int64_t j) {
    const ProductElement& sum = product.expected[static_cast<std::size_t>(i * shape.n + j)];
    return given.applied(record, with_half_sums(sum, half_sums, shape.k, test.alpha), i, j);
  };
  Verified verified = compare(name, shape.m, shape.n, got, expected);
  if (std::holds_alternative<KernelError>(verified)) return verified;
  const std::int64_t written_rows = shared && parts.count > 0 ? parts.first_row : storage.rows;
  if (!result.only_within(written_rows, storage.columns) ||
      (shared && !shared->only_within(part_rows * parts.count, shape.n))) {
    return wrote_outside(name);
  }
  return verified;
}

}  // namespace tilewright
