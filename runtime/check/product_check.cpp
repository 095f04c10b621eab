#include "runtime/check/product_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

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

// The division for a device that runs so few work-groups at a time that small products have shared
// tiles: if possible, also whole ones, and parts that do not end with their tile.
std::optional<StreamDivision> checked_division(const KernelRecord& record, const GemmShape& shape) {
  if (record.stream_k == 0) return std::nullopt;
  constexpr std::int64_t kMaxCaseGroups = 64;  // no more cases with more work-groups
  const std::int64_t tiles = undivided(record, shape).whole_tiles();
  StreamDivision best = divide(record, shape, 1 + 2 * std::int64_t{record.stream_k});
  int best_cases = 0;
  for (std::int64_t groups = 2; groups < std::min(tiles, kMaxCaseGroups); ++groups) {
    const StreamDivision division = divide(record, shape, groups);
    if (division.shared_tiles() == 0) continue;
    const bool crosses = division.sharing_groups < division.shared_tiles() * division.num_parts;
    const int cases = 1 + int{division.direct_tiles_m > 0} + int{crosses};
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

// What a kernel writes: C, or partial sums that a reduce kernel would add up.
class ProductResult {
 public:
  // Keeps references to the record, the case and the data.
  ProductResult(const cl::Context& context, const KernelRecord& record, const ProductCase& test,
                const ProductData& product);

  // Sets the matrices that the kernel writes, with alpha and beta.
  void set(GemmProblem& problem) const;
  // Waits, then reads the matrices. Returns the error, or nullopt. `name` is used in the message.
  std::optional<KernelError> read(const cl::CommandQueue& queue, const std::string& name,
                                  const Launched& launched);
  // Element (i, j) of C, with the sum of its parts.
  double at(std::int64_t i, std::int64_t j) const;
  // True if no element outside of the result has changed.
  bool only_within() const;

 private:
  // The parts of a split k are added to C later.
  bool is_split() const { return record_.split_k > 1; }
  double beta() const { return is_split() ? 0.0 : test_.beta; }

  const KernelRecord& record_;
  const ProductCase& test_;
  const ElementReader old_c_;
  const std::optional<StreamDivision> division_;
  const PartialProducts parts_;
  const Storage storage_;
  const std::int64_t part_rows_;
  ResultMatrix result_;
  std::optional<ResultMatrix> shared_;  // the parts of shared tiles
};

ProductResult::ProductResult(const cl::Context& context, const KernelRecord& record,
                             const ProductCase& test, const ProductData& product)
    : record_(record),
      test_(test),
      old_c_(element_reader(product.c)),
      division_(checked_division(record, test.shape)),
      parts_(division_ ? partial_products(*division_)
                       : PartialProducts{0, is_split() ? record.split_k : 0}),
      storage_(is_split() ? storage_parts(record, test.shape, parts_)
                          : storage_c(record, test.shape)),
      part_rows_(test.shape.m - parts_.first_row),
      // Without beta, C is never read: its NaN must not reach the result.
      result_(context, storage_, is_split() ? storage_.rows : test.shape.m, test.shape.n,
              beta() == 0.0 ? untouched_elements() : old_c_,
              test.odd_c ? c_placement(record) : placement_for(record)) {
  if (!division_) return;
  shared_.emplace(context, storage_parts(record, test.shape, parts_), part_rows_ * parts_.count,
                  test.shape.n, untouched_elements(), placement_for(record));
}

void ProductResult::set(GemmProblem& problem) const {
  problem.alpha = is_split() ? 1.0 : test_.alpha;
  problem.beta = beta();
  problem.c = result_.argument();
  problem.division = division_;
  if (shared_) problem.parts = shared_->argument();
}

std::optional<KernelError> ProductResult::read(const cl::CommandQueue& queue,
                                               const std::string& name, const Launched& launched) {
  if (auto kernel_error = result_.read(queue, name, launched)) return kernel_error;
  if (shared_) return shared_->read(queue, name, launched);
  return std::nullopt;
}

double ProductResult::at(std::int64_t i, std::int64_t j) const {
  if (parts_.count == 0 || i < parts_.first_row) return result_.at(i, j);
  const ResultMatrix& stored = shared_ ? *shared_ : result_;
  double sum = 0.0;
  for (int part = 0; part < parts_.count; ++part) {
    sum += stored.at(part * part_rows_ + i - parts_.first_row, j);
  }
  // A reduce kernel would add beta C.
  return test_.alpha * sum + (beta() == 0.0 ? 0.0 : beta() * old_c_(i, j));
}

bool ProductResult::only_within() const {
  const std::int64_t written_rows = shared_ && parts_.count > 0 ? parts_.first_row : storage_.rows;
  return result_.only_within(written_rows, storage_.columns) &&
         (!shared_ || shared_->only_within(part_rows_ * parts_.count, test_.shape.n));
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
  ProductResult result(executor.context(), record, test, product);
  const BiasAndArguments given(executor.context(), record, shape.m, shape.n);
  GemmProblem problem;
  problem.op = op_from_layouts(record.layout_a, *record.layout_b);
  problem.shape = shape;
  problem.a = a.argument();
  problem.b = b.argument();
  problem.bias = given.bias();
  problem.arguments = given.arguments();
  problem.precision = record.precision;
  result.set(problem);
  const Launched launched =
      executor.launch(queue, kernel, in_halves(problem, record, test.batch), {});
  if (auto kernel_error = result.read(queue, name, launched)) return *kernel_error;
  const auto got = [&](std::int64_t i, std::int64_t j) { return result.at(i, j); };
  const int half_sums = test.data == CheckData::kWhole ? 0 : record.accumulate_k;
  const auto expected = [&](std::int64_t i, std::int64_t j) {
    const ProductElement& sum = product.expected[static_cast<std::size_t>(i * shape.n + j)];
    return given.applied(record, with_half_sums(sum, half_sums, shape.k, test.alpha), i, j);
  };
  Verified verified = compare(name, shape.m, shape.n, got, expected);
  if (std::holds_alternative<KernelError>(verified)) return verified;
  if (!result.only_within()) return wrote_outside(name);
  return verified;
}

}  // namespace tilewright
