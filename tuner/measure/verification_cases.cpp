#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>

#include "profiles/round_up.hpp"
#include "tuner/measure/verification.hpp"

namespace tilewright {
namespace {

// m, n, k by class: see awkward_shapes().
constexpr GemmShape kAwkwardShapes[] = {
    {1, 1, 1},       // least
    {5, 3, 7},       // below every vector
    {17, 19, 13},    // primes
    {33, 65, 31},    // powers of two, one more and one less
    {130, 10, 5},    // tall, narrow, shallow k
    {6, 131, 67},    // flat, wide
    {4, 4, 301},     // deep k
    {3, 34, 4099},   // so deep that whoever shares k has a part of it
    {70, 100, 128},  // k a multiple of every tile_k
    {9, 20, 0},      // no k: C = beta C
};

// More elements than the widest vector, and odd.
constexpr std::size_t kOffset = 67;  // before the matrix
constexpr std::size_t kGap = 5;      // between rows
constexpr std::size_t kGuard = 67;   // behind the matrix

HostMatrix random_matrix(std::int64_t rows, std::int64_t columns, int alignment, double gaps,
                         Precision precision, std::mt19937_64& random, bool whole_numbers = false) {
  HostMatrix matrix;
  matrix.offset = round_up(kOffset, alignment);
  matrix.ld = round_up(static_cast<std::size_t>(columns) + kGap, alignment);
  matrix.data.assign(matrix.offset + static_cast<std::size_t>(rows) * matrix.ld + kGuard, gaps);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      matrix.data[matrix.offset + static_cast<std::size_t>(i) * matrix.ld +
                  static_cast<std::size_t>(j)] =
          whole_numbers ? whole_element(random) : uniform_element(precision, random);
    }
  }
  return matrix;
}

void expect(VerificationCase& test) {
  test.expected.clear();
  for (std::int64_t i = 0; i < test.shape.m; ++i) {
    for (std::int64_t j = 0; j < test.shape.n; ++j) {
      test.expected.push_back(host_product(test.op, test.shape, test.alpha, test.a, test.b,
                                           test.beta, test.c, i, j, sums_of(test.precision)));
    }
  }
}

VerificationCase make_case(Precision precision, Op op, const GemmShape& shape, double alpha,
                           double beta, int alignment, std::mt19937_64& random,
                           bool whole_numbers = false) {
  VerificationCase test;
  test.precision = precision;
  test.whole_numbers = whole_numbers;
  test.op = op;
  test.shape = shape;
  test.alpha = alpha;
  test.beta = beta;
  const bool at = layout_a_of(op) == Layout::C();
  const bool bt = layout_b_of(op) == Layout::C();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  test.a = random_matrix(at ? shape.k : shape.m, at ? shape.m : shape.k, alignment, kNan, precision,
                         random, whole_numbers);
  test.b = random_matrix(bt ? shape.n : shape.k, bt ? shape.k : shape.n, alignment, kNan, precision,
                         random, whole_numbers);
  test.c = random_matrix(shape.m, shape.n, alignment, kUntouchedNan, precision, random);
  if (beta == 0.0) std::fill(test.c.data.begin(), test.c.data.end(), kUntouchedNan);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  test.bias.resize(static_cast<std::size_t>(std::max(shape.m, shape.n)));
  for (float& element : test.bias) element = uniform(random);
  expect(test);
  return test;
}

// Multiples of the alignment, and not larger than a narrow kernel serves.
std::int64_t extent(std::int64_t wanted, int alignment, std::int64_t most) {
  const auto aligned =
      static_cast<std::int64_t>(round_up(static_cast<std::size_t>(wanted), alignment));
  return most > 0 ? std::min(aligned, most) : aligned;
}

double& element(HostMatrix& matrix, bool transposed, std::int64_t i, std::int64_t j) {
  if (transposed) std::swap(i, j);
  return matrix
      .data[matrix.offset + static_cast<std::size_t>(i) * matrix.ld + static_cast<std::size_t>(j)];
}

// A row of C gets NaN from A, another one and a column infinities; one element NaN from C.
void spoil(VerificationCase& test) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto& [m, n, k] = test.shape;
  const bool at = layout_a_of(test.op) == Layout::C();
  const bool bt = layout_b_of(test.op) == Layout::C();
  element(test.a, at, 0, 0) = kInfinity;
  // In a row of its own: the first has an infinity.
  if (m > 1) element(test.a, at, m / 2, k / 2) = std::numeric_limits<double>::quiet_NaN();
  element(test.b, bt, k - 1, n - 1) = -kInfinity;
  if (test.beta != 0.0) {
    element(test.c, false, m - 1, 0) = std::numeric_limits<double>::quiet_NaN();
  }
  expect(test);
}

// A foreign kernel takes whole multiples of its tiles; squares, if it wants them.
GemmShape foreign_shape(const KernelRecord& record, std::int64_t m, std::int64_t n,
                        std::int64_t k) {
  const Tile& of = record.multiples;
  if (!wants_squares(record)) return {m * of.m, n * of.n, k * of.k};
  const std::int64_t extent = m * std::lcm(std::lcm(of.m, of.n), of.k);
  return {extent, extent, extent};
}

// Of kernels that cannot scale: alpha 1, beta 0. The others read C whatever beta is.
std::vector<VerificationCase> foreign_cases(const KernelRecord& record, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const bool scales = record.epilogue == Epilogue::kAlphaBeta;
  std::vector<VerificationCase> cases;
  for (const GemmShape& shape : {foreign_shape(record, 1, 1, 1), foreign_shape(record, 2, 3, 5)}) {
    cases.push_back(make_case(Precision::kSingle, op_of(record.layout_a, *record.layout_b), shape,
                              scales ? -1.5 : 1.0, scales ? 0.75 : 0.0, 1, random));
  }
  return cases;
}

}  // namespace

std::span<const GemmShape> awkward_shapes() {
  return kAwkwardShapes;
}

std::vector<VerificationCase> verification_cases(Op op, std::uint64_t seed, int alignment,
                                                 std::int64_t most_m, std::int64_t most_n,
                                                 std::span<const GemmShape> shapes,
                                                 Precision precision, bool half_sums) {
  std::mt19937_64 random(seed);
  std::vector<VerificationCase> cases;
  for (const GemmShape& wanted : shapes) {
    const GemmShape shape{extent(wanted.m, alignment, most_m), extent(wanted.n, alignment, most_n),
                          wanted.k};
    cases.push_back(make_case(precision, op, shape, 1.25, 0.0, alignment, random, half_sums));
    cases.push_back(make_case(precision, op, shape, -1.5, 0.75, alignment, random));
  }
  return cases;
}

std::vector<VerificationCase> nonfinite_cases(Op op, std::uint64_t seed, int alignment,
                                              std::int64_t most_m, std::int64_t most_n,
                                              Precision precision) {
  constexpr GemmShape kShapes[] = {{17, 19, 13}, {70, 100, 131}};
  auto cases = verification_cases(op, seed, alignment, most_m, most_n, kShapes, precision);
  for (VerificationCase& test : cases) spoil(test);
  return cases;
}

const std::vector<VerificationCase>& VerificationCases::of(const KernelRecord& record) {
  if (record.is_foreign()) return foreign_[record.name] = foreign_cases(record, seed_);
  const std::tuple key(
      record.precision, op_of(record.layout_a, record.layout_b.value_or(Layout::R())),
      record.alignment, record.narrow == Dimension::kM ? std::int64_t{record.tile.m} : 0,
      record.narrow == Dimension::kN ? std::int64_t{record.tile.n} : 0,
      // What activations make of NaN is not specified.
      may_ignore_nan(record) && record.activation == Activation::kIdentity,
      record.accumulate_k > 0);
  const auto known = cases_.find(key);
  if (known != cases_.end()) return known->second;
  const auto& [precision, op, alignment, most_m, most_n, with_nan, half_sums] = key;
  auto cases =
      verification_cases(op, seed_, alignment, most_m, most_n, shapes_, precision, half_sums);
  if (with_nan) {
    auto more = nonfinite_cases(op, seed_, alignment, most_m, most_n, precision);
    std::move(more.begin(), more.end(), std::back_inserter(cases));
  }
  return cases_.emplace(key, std::move(cases)).first->second;
}

}  // namespace tilewright
