#include "runtime/check/auxiliary_check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "profiles/round_up.hpp"
#include "runtime/call/epilogue.hpp"
#include "runtime/check/check_extents.hpp"
#include "runtime/check/check_matrices.hpp"

namespace tilewright {
namespace {

constexpr int kParts = 5;  // that a reduce kernel adds up
constexpr CheckExtents kSmall{37, 53};

// Largest elements of X. exp() of the first overflows single precision. Powers of two: the product
// of a half-precision number and a power of two is exact.
constexpr float kLargestOfSoftmax = 128.0f;
constexpr float kLargestOfActivation = 4.0f;

// The extents of the matrices.
enum class Extents {
  kEdges,   // small, with incomplete vectors and tiles at the edges, padding and gaps
  kGroups,  // the same, in several work-groups, more along one dimension than along the other
  kGaps,    // whole vectors, gaps, no padding
  kDense,   // whole vectors, neither padding nor gaps
};

struct AuxiliaryCase {
  Role role;  // kActivation stands for kSoftmax, too
  Extents extents;
  bool in_place = false;  // Y is X
  bool on_lines = false;  // rows of Y begin on cache lines
  double alpha = 1.25;    // of a reduction, as beta
  double beta = 0.0;
};
constexpr AuxiliaryCase kCases[] = {
    {Role::kPack, Extents::kEdges},
    {Role::kPack, Extents::kEdges, false, true},
    {Role::kPack, Extents::kGroups},
    {Role::kPack, Extents::kGroups, false, true},
    {Role::kReduce, Extents::kEdges},
    {Role::kReduce, Extents::kGroups},
    {Role::kReduce, Extents::kEdges, false, false, -1.5, 0.75},
    {Role::kActivation, Extents::kEdges},
    {Role::kActivation, Extents::kEdges, true},
    {Role::kActivation, Extents::kGroups},
    {Role::kActivation, Extents::kGaps},
    {Role::kActivation, Extents::kGaps, true},
    {Role::kActivation, Extents::kDense},
    {Role::kActivation, Extents::kDense, true},
};

bool applies(const AuxiliaryCase& test, const KernelRecord& record) {
  // A layer of a network overwrites its results, so a kernel with a bias or an activation never
  // reads C.
  if (test.beta != 0.0 && !implements_epilogue(record, {})) return false;
  return test.role == (record.role == Role::kSoftmax ? Role::kActivation : record.role);
}

// The softmax of X's elements, or its logarithm. The relative error of x - largest grows with its
// magnitude; exp() and the division have errors of a few units in the last place, the sum one for
// each element. In half precision, the values that are kept in Y before the division are rounded,
// too.
class RightRows {
 public:
  // Keeps a reference to X, which has no gaps.
  RightRows(const HostOperand& x, const KernelRecord& record)
      : x_(element_reader(x)),
        columns_(static_cast<std::int64_t>(x.ld)),
        logarithm_(record.activation == Activation::kLogSoftmax),
        half_values_(stores_half(record)) {
    const auto num_rows = static_cast<std::int64_t>(x.data.size() / x.ld);
    for (std::int64_t i = 0; i < num_rows; ++i) {
      double largest = x_(i, 0);
      for (std::int64_t j = 1; j < columns_; ++j) largest = std::max(largest, x_(i, j));
      double sum = 0.0;
      for (std::int64_t j = 0; j < columns_; ++j) sum += std::exp(x_(i, j) - largest);
      rows_.emplace_back(largest, sum);
    }
  }
  ProductElement operator()(std::int64_t i, std::int64_t j) const {
    const auto& [largest, sum] = rows_[static_cast<std::size_t>(i)];
    const double below = x_(i, j) - largest;
    return logarithm_ ? logarithm(below, sum) : quotient(below, sum);
  }

 private:
  ProductElement logarithm(double below, double sum) const {
    ProductElement element{below};
    if (half_values_) round_to_half(element);
    element.value -= std::log(sum);
    const double units =
        std::abs(below) + std::abs(element.value) + static_cast<double>(columns_) + 16.0;
    element.bound += std::ldexp(units, -23);
    return stored(element);
  }
  ProductElement quotient(double below, double sum) const {
    ProductElement element{std::exp(below)};
    if (half_values_) round_to_half(element);
    element.value /= sum;
    element.bound /= sum;
    const double units = std::abs(below) + static_cast<double>(columns_) + 16.0;
    element.bound += units * std::ldexp(element.value, -23) +
                     2.0 * static_cast<double>(std::numeric_limits<float>::min());
    return stored(element);
  }
  ProductElement stored(ProductElement element) const {
    if (half_values_) round_to_half(element);
    return element;
  }

  ElementReader x_;
  std::int64_t columns_;
  bool logarithm_;
  bool half_values_;
  std::vector<std::pair<double, double>> rows_;  // maximum of the row, sum of its exponentials
};

// A sum of parts is a product of a row of ones and a matrix with one row for each part.
std::vector<ProductElement> add_parts(const HostOperand& parts, const AuxiliaryCase& test,
                                      const HostOperand& c, Precision precision) {
  const HostOperand ones{std::vector<double>(kParts, 1.0), 0, kParts};
  const auto elements = static_cast<std::int64_t>(c.data.size());
  const HostOperand terms{parts.data, 0, c.data.size()};
  return host_product_row(Op::kNN, {1, elements, kParts}, test.alpha, ones, terms, test.beta, c, 0,
                          0, elements, precision);
}

// The multiples of rows and columns, without padding, that a kernel supports.
CheckExtents alignment(const KernelRecord& record) {
  switch (record.role) {
    case Role::kPack:
      return {record.alignment, record.alignment};
    case Role::kReduce:
      return {1, record.alignment};
    default:
      return {};
  }
}

// The multiples that a matrix in this layout has with its padding.
CheckExtents whole(const KernelRecord& record, const Layout& layout) {
  CheckExtents extents = alignment(record);
  if (record.role == Role::kPack) {
    extents.m = std::lcm<std::int64_t>(extents.m, record.multiples.m);
    extents.n = std::lcm<std::int64_t>(extents.n, record.multiples.n);
  }
  return {std::lcm<std::int64_t>(extents.m, layout.chunk_rows()),
          std::lcm<std::int64_t>(extents.n, layout.chunk_columns())};
}

// One case on the device: Y = f(X). Keeps references to its arguments.
class AuxiliaryRun {
 public:
  AuxiliaryRun(const Executor& executor, const KernelRecord& record, const AuxiliaryCase& test);

  // Runs the kernel, and returns what is wrong with Y.
  std::optional<KernelError> check(const cl::CommandQueue& queue, LoadedKernel& kernel);

 private:
  bool is_layer() const { return test_.role == Role::kActivation; }
  bool is_padded() const {
    return test_.role != Role::kReduce && test_.extents != Extents::kGaps &&
           test_.extents != Extents::kDense;
  }
  CheckExtents extents() const;
  // Storage for this number of matrices below each other, with their padding.
  Storage storage(const Layout& layout, int matrices, bool image, Precision precision) const;
  Launched launch(const cl::CommandQueue& queue, LoadedKernel& kernel) const;
  std::function<ProductElement(std::int64_t, std::int64_t)> expected() const;

  const Executor& executor_;
  const KernelRecord& record_;
  const AuxiliaryCase& test_;
  const CheckExtents size_;  // without padding
  const BiasAndArguments given_;
  HostOperand x_;
  HostOperand c_;  // Y before, if beta is not 0
  Storage to_;
  DeviceMatrix source_;  // X, unless it is Y
  std::optional<ResultMatrix> y_;
};

CheckExtents AuxiliaryRun::extents() const {
  const CheckExtents aligned = alignment(record_);
  const Layout& layout = record_.layout_c;
  if (is_layer() && !is_padded()) {
    return {std::lcm<std::int64_t>(layout.chunk_rows(), 16),
            std::lcm<std::int64_t>(layout.chunk_columns(), 32)};
  }
  if (test_.extents == Extents::kEdges) {
    return {round_up(kSmall.m, aligned.m), round_up(kSmall.n, aligned.n)};
  }
  // With the padding, these need the work-groups of check_extents().
  const CheckExtents groups = check_extents(record_, whole(record_, layout));
  const int padding = is_padded() ? 1 : 0;
  return {std::max(aligned.m, (groups.m - padding) / aligned.m * aligned.m),
          std::max(aligned.n, (groups.n - padding) / aligned.n * aligned.n)};
}

Storage AuxiliaryRun::storage(const Layout& layout, int matrices, bool image,
                              Precision precision) const {
  const CheckExtents multiple = whole(record_, layout);
  const int padding = is_padded() ? 1 : 0;
  return whole_chunks(layout, image, matrices * round_up(size_.m + padding, multiple.m),
                      round_up(size_.n + padding, multiple.n), precision);
}

AuxiliaryRun::AuxiliaryRun(const Executor& executor, const KernelRecord& record,
                           const AuxiliaryCase& test)
    : executor_(executor),
      record_(record),
      test_(test),
      size_(extents()),
      given_(executor.context(), record, size_.m, size_.n),
      to_(storage(record.layout_c, 1, record.images.c, record.precision)) {
  const bool adds = record.role == Role::kReduce;
  const int matrices = adds ? kParts : 1;
  const Precision precision = adds ? sum_precision(record.precision) : record.precision;
  std::mt19937 random(1);
  x_ = random_matrix(matrices * size_.m, size_.n, random, precision);
  c_ = random_matrix(size_.m, size_.n, random, record.precision);
  if (is_layer()) {
    const float largest = record.role == Role::kSoftmax ? kLargestOfSoftmax : kLargestOfActivation;
    for (double& element : x_.data) element = static_cast<float>(element) * largest;
  }
  Placement placement = placement_for(record);
  if (test.extents == Extents::kDense) placement.gap = 0;
  // Layers do not read X's padding.
  const double padding = is_layer() ? surrounding_nan() : 0.0;
  const ElementReader x = [&, element = element_reader(x_)](std::int64_t i, std::int64_t j) {
    return i < matrices * size_.m && j < size_.n ? element(i, j) : padding;
  };
  const cl::Context& context = executor.context();
  if (!test.in_place) {
    const Storage from = storage(adds ? Layout::R() : record.layout_a, matrices, false, precision);
    source_ = upload(context, from,
                     lay_out(from, from.rows, from.columns, x, placement, surrounding_nan()));
  }
  y_.emplace(context, to_, to_.rows, to_.columns,
             test.in_place      ? x
             : test.beta == 0.0 ? untouched_elements()
                                : element_reader(c_),
             test.on_lines ? on_cache_lines(to_) : placement);
}

Launched AuxiliaryRun::launch(const cl::CommandQueue& queue, LoadedKernel& kernel) const {
  const auto& [m, n] = size_;
  const MatrixArgument y = y_->argument();
  const MatrixArgument x = test_.in_place ? y : source_.argument();
  switch (record_.role) {
    case Role::kPack:
      return executor_.launch(queue, kernel, PackProblem{m, n, to_.rows, to_.columns, x, y}, {});
    case Role::kReduce:
      return executor_.launch(queue, kernel,
                              ReduceProblem{m, n, kParts, test_.alpha, test_.beta, x, y,
                                            given_.bias(), given_.arguments()},
                              {});
    case Role::kSoftmax:
      return executor_.launch(queue, kernel, SoftmaxProblem{m, n, to_.rows, to_.columns, x, y}, {});
    default:
      return executor_.launch(
          queue, kernel,
          ActivationProblem{m, n, to_.rows, to_.columns, x, y, given_.bias(), given_.arguments()},
          {});
  }
}

std::function<ProductElement(std::int64_t, std::int64_t)> AuxiliaryRun::expected() const {
  switch (record_.role) {
    case Role::kPack:  // copies are exact
      return [x = element_reader(x_)](std::int64_t i, std::int64_t j) {
        return ProductElement{x(i, j)};
      };
    case Role::kReduce:
      return [this, sums = add_parts(x_, test_, c_, sum_precision(record_.precision))](
                 std::int64_t i, std::int64_t j) {
        return given_.applied(record_, sums[static_cast<std::size_t>(i * size_.n + j)], i, j);
      };
    case Role::kSoftmax:
      return RightRows(x_, record_);
    default:
      return [this, x = element_reader(x_)](std::int64_t i, std::int64_t j) {
        const double bound = static_cast<double>(std::numeric_limits<float>::min());
        return given_.applied(record_, ProductElement{x(i, j), bound}, i, j);
      };
  }
}

std::optional<KernelError> AuxiliaryRun::check(const cl::CommandQueue& queue,
                                               LoadedKernel& kernel) {
  const std::string& name = record_.name;
  const Launched launched = launch(queue, kernel);
  if (auto kernel_error = y_->read(queue, name, launched)) return kernel_error;
  const auto got = [&](std::int64_t i, std::int64_t j) { return y_->at(i, j); };
  const auto want = [&, inside = expected()](std::int64_t i, std::int64_t j) {
    return i < size_.m && j < size_.n ? inside(i, j) : ProductElement{};
  };
  const Verified verified = compare(name, to_.rows, to_.columns, got, want);
  if (const auto* kernel_error = std::get_if<KernelError>(&verified)) return *kernel_error;
  if (y_->only_within(to_.rows, to_.columns)) return std::nullopt;
  return wrote_outside(name);
}

}  // namespace

std::optional<KernelError> check_auxiliary(const Executor& executor, const cl::CommandQueue& queue,
                                           LoadedKernel& kernel) {
  for (const AuxiliaryCase& test : kCases) {
    if (!applies(test, kernel.record())) continue;
    AuxiliaryRun run(executor, kernel.record(), test);
    if (auto kernel_error = run.check(queue, kernel)) return kernel_error;
  }
  return std::nullopt;
}

}  // namespace tilewright
