#include "runtime/check/kernel_check.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "profiles/round_up.hpp"
#include "runtime/call/epilogue.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/check/check_extents.hpp"
#include "runtime/check/check_matrices.hpp"
#include "runtime/check/layer_check.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kMost = 67;  // of m and n
constexpr std::int64_t kDepth = 37;
// Deep enough for whole turns of any loop: of unrolled k tiles, of blocks between barriers.
constexpr std::int64_t kDeep = 517;
constexpr std::int64_t kMostShares = 64;
constexpr std::int64_t kShallow = 3;  // where the extents of C are what counts
constexpr int kParts = 5;             // for a reduce kernel

// A little more than one work-group, if that is small.
std::int64_t extent(int tile, int group, int alignment) {
  const std::int64_t reach = std::int64_t{tile} * std::max(group, 1);
  return round_up(std::min(reach + 5, kMost), alignment);
}

// What each product looks at.
enum class ProductCase {
  kEdges,   // more than a work-group, ragged edges, a loop's rest
  kLoop,    // the loop itself, for each part of a split k
  kNarrow,  // a C that is narrower than any vector
  kGroups,  // several work-groups, more along one dimension than along the other
  kTwoOfM,  // two products, of the upper and the lower half of A and C
  kTwoOfN,  // of the left and the right half of B and C
};

GemmShape shape_for(const KernelRecord& record, ProductCase product_case) {
  const bool nm = record.id_order == IdOrder::kNM;
  const int whole = record.alignment_c();
  GemmShape shape{extent(record.tile.m, record.work_group[nm ? 1 : 0], whole),
                  extent(record.tile.n, record.work_group[nm ? 0 : 1], whole), kDepth};
  if (product_case == ProductCase::kLoop) {
    // Several turns for each share of k; but a check may not take seconds.
    shape.k = kDeep * std::min(std::int64_t{record.split_k} * record.work_group_k, kMostShares);
  }
  if (product_case == ProductCase::kNarrow) shape.m = shape.n = whole;
  if (product_case == ProductCase::kGroups) {
    const CheckExtents extents = check_extents(record, {whole, whole});
    shape = {extents.m, extents.n, kShallow};
  }
  const std::int64_t halves = 2 * std::int64_t{record.alignment};
  if (product_case == ProductCase::kTwoOfM) shape.m = round_up(shape.m, halves);
  if (product_case == ProductCase::kTwoOfN) shape.n = round_up(shape.n, halves);
  if (record.narrow == Dimension::kM) shape.m = record.tile.m;
  if (record.narrow == Dimension::kN) shape.n = record.tile.n;
  return shape;
}

// A layer of a network overwrites what it makes: a kernel with a bias or an activation never serves
// where C is read.
bool may_read_c(const KernelRecord& record) {
  return meets(record, {});
}

const ElementOf kNothing = [](std::int64_t, std::int64_t) { return kUntouchedNan; };

// What is wrong with the rows x columns elements that a kernel made, if they are to be `right`.
template <class Got, class Right>
std::optional<Rejection> compare(const KernelRecord& record, std::int64_t rows,
                                 std::int64_t columns, const Got& got, const Right& right) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const ProductElement want = right(i, j);
      const double element = got(i, j);
      if (!(std::abs(element - want.value) < want.bound)) {
        return wrong_element(record, i, j, element, want);
      }
    }
  }
  return std::nullopt;
}

// A batch of two products side by side that together are the problem, whose C has 2 m rows or 2 n
// columns.
GemmProblem in_halves(GemmProblem whole, const KernelRecord& record, ProductCase product_case) {
  const auto distance = [](const MatrixArgument& matrix, const Layout& layout, std::int64_t lines,
                           const Layout& by_lines) {
    return static_cast<std::size_t>(lines) * (layout == by_lines ? matrix.ld : 1);
  };
  if (product_case == ProductCase::kTwoOfM) {
    const std::int64_t m = whole.shape.m /= 2;
    whole.batch = {2, distance(whole.a, record.layout_a, m, Layout::R()), 0,
                   distance(whole.c, record.layout_c, m, Layout::R())};
  }
  if (product_case == ProductCase::kTwoOfN) {
    const std::int64_t n = whole.shape.n /= 2;
    whole.batch = {2, 0, distance(whole.b, *record.layout_b, n, Layout::C()),
                   distance(whole.c, record.layout_c, n, Layout::C())};
  }
  return whole;
}

// What can be cut in halves without packing it anew. A batch has one bias for all its products.
std::vector<ProductCase> batches_of(const KernelRecord& record) {
  std::vector<ProductCase> cases;
  if (!record.batched || record.edges == Edges::kPadded || !record.layout_c.is_plain())
    return cases;
  const auto uncut = [&](Dimension d) { return record.narrow != d && record.bias != d; };
  if (record.layout_a.is_plain() && uncut(Dimension::kM)) {
    cases.push_back(ProductCase::kTwoOfM);
  }
  if (record.layout_b->is_plain() && uncut(Dimension::kN)) {
    cases.push_back(ProductCase::kTwoOfN);
  }
  return cases;
}

std::optional<Rejection> check_product(const Executor& executor, const cl::CommandQueue& queue,
                                       LoadedKernel& kernel, ProductCase product_case, double alpha,
                                       double beta) {
  const KernelRecord& record = kernel.record();
  const GemmShape shape = shape_for(record, product_case);
  const bool split = record.split_k > 1;
  std::mt19937 random(1);
  // The room that long sums in halfs have for rounding would hide what is wrong with them.
  const bool whole = record.accumulate_k > 0 && product_case == ProductCase::kLoop;
  const auto operand = [&](std::int64_t rows, std::int64_t columns) {
    return whole ? whole_matrix(rows, columns, random)
                 : random_matrix(rows, columns, random, record.precision);
  };
  const HostMatrix a = operand(shape.m, shape.k);
  const HostMatrix b = operand(shape.k, shape.n);
  const HostMatrix c = random_matrix(shape.m, shape.n, random, record.precision);
  const auto bring = [&](const Storage& storage, std::int64_t rows, std::int64_t columns,
                         const HostMatrix& matrix) {
    return upload(executor.context(), storage,
                  lay_out(storage, rows, columns, elements_of(matrix), placement_for(record),
                          surrounding_nan()));
  };
  const DeviceMatrix left = bring(storage_a(record, shape), shape.m, shape.k, a);
  const DeviceMatrix right = bring(storage_b(record, shape), shape.k, shape.n, b);
  const Storage storage = split ? storage_parts(record, shape) : storage_c(record, shape);
  // Without beta, C is never read: a NaN must not reach the result. A kernel that writes any C
  // meets one that its vectors fit into, and others.
  const bool on_vectors = product_case == ProductCase::kLoop;
  Written result(executor, storage, split ? storage.rows : shape.m, shape.n,
                 beta == 0.0 ? kNothing : elements_of(c),
                 on_vectors ? placement_for(record) : placement_of_c(record));
  const BiasAndArguments given(executor, shape.m, shape.n);
  const GemmProblem problem{op_of(record.layout_a, *record.layout_b),
                            shape,
                            alpha,
                            beta,
                            left.argument(),
                            right.argument(),
                            result.argument(),
                            given.bias(),
                            given.arguments(),
                            {},
                            false,
                            {},
                            record.precision};
  const Launched launched =
      executor.launch(queue, kernel, in_halves(problem, record, product_case), {});
  if (auto rejection = result.read(queue, record, launched)) return rejection;
  const auto got = [&](std::int64_t i, std::int64_t j) {
    double sum = 0.0;
    for (int part = 0; part < record.split_k; ++part) sum += result.at(part * shape.m + i, j);
    return sum;
  };
  const auto expected = [&](std::int64_t i, std::int64_t j) {
    const ProductElement want =
        host_product(Op::kNN, shape, alpha, a, b, beta, c, i, j, sums_of(record.precision));
    const int half_sums = whole ? 0 : record.accumulate_k;
    return given.applied(record, with_half_sums(want, half_sums, shape.k, alpha), i, j);
  };
  if (auto rejection = compare(record, shape.m, shape.n, got, expected)) return rejection;
  if (result.only_within(storage.rows, storage.columns)) return std::nullopt;
  return wrote_beside(record);
}

// The parts of a split k are scaled when they are added up.
double alpha_for(const KernelRecord& record) {
  return record.split_k > 1 ? 1.0 : 1.25;
}

std::optional<Rejection> check_gemm(const Executor& executor, const cl::CommandQueue& queue,
                                    LoadedKernel& kernel) {
  const bool split = kernel.record().split_k > 1;
  const double alpha = alpha_for(kernel.record());
  std::vector<ProductCase> cases = {ProductCase::kEdges, ProductCase::kLoop, ProductCase::kNarrow};
  for (const ProductCase batch : batches_of(kernel.record())) cases.push_back(batch);
  for (const ProductCase product_case : cases) {
    if (auto rejection = check_product(executor, queue, kernel, product_case, alpha, 0.0)) {
      return rejection;
    }
  }
  if (auto rejection = check_groups(executor, queue, kernel)) return rejection;
  if (split || !may_read_c(kernel.record())) return std::nullopt;
  return check_product(executor, queue, kernel, ProductCase::kEdges, -1.5, 0.75);
}

// Whole chunks and tiles of a pack kernel.
CheckExtents whole_tiles(const KernelRecord& record, const Layout& layout) {
  const std::int64_t aligned = record.alignment;
  return {std::lcm(aligned, std::lcm<std::int64_t>(record.multiples.m, layout.chunk_rows())),
          std::lcm(aligned, std::lcm<std::int64_t>(record.multiples.n, layout.chunk_columns()))};
}

// They hold rows x columns and something beyond.
Storage padded_storage(const KernelRecord& record, const Layout& layout, bool image,
                       std::int64_t rows, std::int64_t columns) {
  const CheckExtents whole = whole_tiles(record, layout);
  return whole_chunks(layout, image, round_up(rows + 1, whole.m), round_up(columns + 1, whole.n),
                      record.precision);
}

// Small ones of a pack or a reduce kernel, whatever its work-group.
constexpr CheckExtents kSmall{37, 53};

// A matrix that needs the work-groups of check_extents() with its padding: at least a row and a
// column, whole rows and columns of the alignment.
CheckExtents packed_groups(const KernelRecord& record) {
  const std::int64_t aligned = record.alignment;
  CheckExtents extents = check_extents(record, whole_tiles(record, record.layout_c));
  extents.m = std::max(aligned, (extents.m - 1) / aligned * aligned);
  extents.n = std::max(aligned, (extents.n - 1) / aligned * aligned);
  return extents;
}

std::optional<Rejection> check_pack(const Executor& executor, const cl::CommandQueue& queue,
                                    LoadedKernel& kernel, CheckExtents extents, bool on_lines) {
  const KernelRecord& record = kernel.record();
  const std::int64_t rows = round_up(extents.m, record.alignment);
  const std::int64_t columns = round_up(extents.n, record.alignment);
  std::mt19937 random(1);
  const HostMatrix matrix = random_matrix(rows, columns, random, record.precision);
  const Storage from = padded_storage(record, record.layout_a, false, rows, columns);
  const DeviceMatrix source = upload(
      executor.context(), from,
      lay_out(from, rows, columns, elements_of(matrix), placement_for(record), surrounding_nan()));
  const Storage to = padded_storage(record, record.layout_c, record.images.c, rows, columns);
  Written result(executor, to, to.rows, to.columns, kNothing,
                 on_lines ? on_cache_lines(to) : placement_for(record));
  const PackProblem problem{rows,       columns,           to.rows,
                            to.columns, source.argument(), result.argument()};
  const Launched launched = executor.launch(queue, kernel, problem, {});
  if (auto rejection = result.read(queue, record, launched)) return rejection;
  for (std::int64_t i = 0; i < to.rows; ++i) {
    for (std::int64_t j = 0; j < to.columns; ++j) {
      const bool inside = i < rows && j < columns;
      const double want = inside ? elements_of(matrix)(i, j) : 0.0;
      // Copies are exact.
      if (!(result.at(i, j) == want)) {
        return wrong_element(record, i, j, result.at(i, j), {want, 0.0});
      }
    }
  }
  if (result.only_within(to.rows, to.columns)) return std::nullopt;
  return wrote_beside(record);
}

std::optional<Rejection> check_sum(const Executor& executor, const cl::CommandQueue& queue,
                                   LoadedKernel& kernel, CheckExtents extents, double alpha,
                                   double beta) {
  const KernelRecord& record = kernel.record();
  const std::int64_t rows = extents.m;
  const std::int64_t columns = round_up(extents.n, record.alignment);
  const auto plain = [&](std::int64_t lines, Precision precision) {
    return Storage{Layout::R(), false,    lines, columns, static_cast<std::size_t>(columns),
                   0,           precision};
  };
  std::mt19937 random(1);
  const HostMatrix in = random_matrix(rows * kParts, columns, random, sums_of(record.precision));
  const HostMatrix c = random_matrix(rows, columns, random, record.precision);
  const Storage from = plain(rows * kParts, sums_of(record.precision));
  const DeviceMatrix parts = upload(
      executor.context(), from,
      lay_out(from, from.rows, columns, elements_of(in), placement_for(record), surrounding_nan()));
  Written result(executor, plain(rows, record.precision), rows, columns,
                 beta == 0.0 ? kNothing : elements_of(c), placement_for(record));
  const BiasAndArguments given(executor, rows, columns);
  const ReduceProblem problem{
      rows,         columns,          kParts, alpha, beta, parts.argument(), result.argument(),
      given.bias(), given.arguments()};
  const Launched launched = executor.launch(queue, kernel, problem, {});
  if (auto rejection = result.read(queue, record, launched)) return rejection;
  // A sum of parts is a product of a row of ones and a matrix with a row for each part.
  const HostMatrix ones{std::vector<double>(kParts, 1.0), 0, kParts};
  const std::int64_t elements = rows * columns;
  const HostMatrix terms{in.data, 0, static_cast<std::size_t>(elements)};
  const auto got = [&](std::int64_t i, std::int64_t j) { return result.at(i, j); };
  const auto expected = [&](std::int64_t i, std::int64_t j) {
    const ProductElement want =
        host_product(Op::kNN, {1, elements, kParts}, alpha, ones, terms, beta, c, 0,
                     i * columns + j, sums_of(record.precision));
    return given.applied(record, want, i, j);
  };
  if (auto rejection = compare(record, rows, columns, got, expected)) return rejection;
  if (result.only_within(rows, columns)) return std::nullopt;
  return wrote_beside(record);
}

std::optional<Rejection> check_reduce(const Executor& executor, const cl::CommandQueue& queue,
                                      LoadedKernel& kernel) {
  const CheckExtents groups = check_extents(kernel.record(), {1, kernel.record().alignment});
  for (const CheckExtents extents : {kSmall, groups}) {
    if (auto rejection = check_sum(executor, queue, kernel, extents, 1.25, 0.0)) return rejection;
  }
  if (!may_read_c(kernel.record())) return std::nullopt;
  return check_sum(executor, queue, kernel, kSmall, -1.5, 0.75);
}

std::optional<Rejection> check_packs(const Executor& executor, const cl::CommandQueue& queue,
                                     LoadedKernel& kernel) {
  for (const CheckExtents extents : {kSmall, packed_groups(kernel.record())}) {
    for (const bool on_lines : {false, true}) {
      if (auto rejection = check_pack(executor, queue, kernel, extents, on_lines)) return rejection;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Rejection> check_groups(const Executor& executor, const cl::CommandQueue& queue,
                                      LoadedKernel& kernel) {
  return check_product(executor, queue, kernel, ProductCase::kGroups, alpha_for(kernel.record()),
                       0.0);
}

std::optional<Rejection> check_kernel(const Executor& executor, const cl::CommandQueue& queue,
                                      LoadedKernel& kernel) {
  try {
    switch (kernel.record().role) {
      case Role::kPack:
        return check_packs(executor, queue, kernel);
      case Role::kReduce:
        return check_reduce(executor, queue, kernel);
      case Role::kActivation:
        return check_activation(executor, queue, kernel);
      case Role::kSoftmax:
        return check_softmax(executor, queue, kernel);
      case Role::kGemm:
      case Role::kGemv:
        break;
    }
    return check_gemm(executor, queue, kernel);
  } catch (const Error& error) {
    return Rejection{Stage::kLaunch, error.what(), error.opencl_code()};
  } catch (const std::bad_alloc&) {
    // A damaged record may ask for matrices of any size.
    return Rejection{Stage::kLimits, "checking it takes more memory than the host has"};
  }
}

}  // namespace tilewright
