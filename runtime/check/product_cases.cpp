#include "runtime/check/product_cases.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "profiles/round_up.hpp"
#include "runtime/call/epilogue.hpp"
#include "runtime/check/check_extents.hpp"
#include "runtime/check/check_matrices.hpp"

namespace tilewright {
namespace {

constexpr double kOtherAlpha = -1.5;
constexpr double kOtherBeta = 0.75;

constexpr std::int64_t kMaxExtent = 67;
constexpr std::int64_t kDepth = 37;
// Large enough for whole iterations of any loop: unrolled k tiles, and blocks between barriers.
constexpr std::int64_t kDeep = 517;
constexpr std::int64_t kMaxShares = 64;  // bounds the duration of a check
constexpr std::int64_t kShallow = 3;     // for cases in which only the extents of C matter

constexpr GemmShape kAwkwardShapes[] = {
    {1, 1, 1},       // smallest
    {5, 3, 7},       // smaller than every vector
    {17, 19, 13},    // primes
    {33, 65, 31},    // one more and one less than powers of two
    {130, 10, 5},    // tall, narrow, small k
    {6, 131, 67},    // flat, wide
    {4, 4, 301},     // large k
    {3, 34, 4099},   // k so large that all work-items that share k have a part of it
    {70, 100, 128},  // k a multiple of every tile_k
    {9, 20, 0},      // no k: C = beta C
};
constexpr GemmShape kNonfiniteShapes[] = {{17, 19, 13}, {70, 100, 131}};

// A kernel for narrow products computes at most as many rows or columns as its tile has.
GemmShape within_tile(GemmShape shape, const KernelRecord& record) {
  if (record.narrow == Dimension::kM) shape.m = std::min<std::int64_t>(shape.m, record.tile.m);
  if (record.narrow == Dimension::kN) shape.n = std::min<std::int64_t>(shape.n, record.tile.n);
  return shape;
}

// Slightly more than one work-group, if that is small.
std::int64_t extent(int tile, int group, int alignment) {
  const std::int64_t reach = std::int64_t{tile} * std::max(group, 1);
  return round_up(std::min(reach + 5, kMaxExtent), alignment);
}

// Three work-groups along each extent, the last of which are incomplete, and enough k steps for
// three parts of a tile: a kernel with stream_k shares some of the tiles (checked_division()).
GemmShape shared_tiles_shape(const KernelRecord& record) {
  constexpr std::int64_t kGroups = 3;
  constexpr std::int64_t kStepsOfParts = 197;
  const bool nm = record.id_order == IdOrder::kNM;
  const auto extent = [&](int tile, int group) {
    const std::int64_t reach = std::int64_t{tile} * std::max(group, 1);
    return round_up(reach > 1 ? kGroups * reach - 1 : kGroups, record.alignment_c());
  };
  return within_tile({extent(record.tile.m, record.work_group[nm ? 1 : 0]),
                      extent(record.tile.n, record.work_group[nm ? 0 : 1]), kStepsOfParts},
                     record);
}

// True if the two products of such a batch need no packing. All products of a batch have the same
// bias.
bool can_halve(const KernelRecord& record, CheckBatch batch) {
  if (!record.batched || record.edges == Edges::kPadded || !record.layout_c.is_plain()) {
    return false;
  }
  const bool along_m = batch == CheckBatch::kAlongM;
  const Dimension cut = along_m ? Dimension::kM : Dimension::kN;
  return (along_m ? record.layout_a : *record.layout_b).is_plain() && record.narrow != cut &&
         record.bias != cut;
}

// Adds NaN and infinity: one row of C gets NaN from A, another row and a column get infinities, and
// one element gets NaN from C.
void add_nonfinite(ProductData& product, const GemmShape& shape) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto element = [](HostOperand& matrix, std::int64_t i, std::int64_t j) -> double& {
    return matrix.data[static_cast<std::size_t>(i) * matrix.ld + static_cast<std::size_t>(j)];
  };
  element(product.a, 0, 0) = kInfinity;
  // In another row, because the first one has an infinity.
  if (shape.m > 1) element(product.a, shape.m / 2, shape.k / 2) = surrounding_nan();
  element(product.b, shape.k - 1, shape.n - 1) = -kInfinity;
  element(product.c, shape.m - 1, 0) = surrounding_nan();
}

}  // namespace

ProductData make_product(const ProductCase& test, Precision precision) {
  const GemmShape& shape = test.shape;
  std::mt19937 random(1);
  const auto operand = [&](std::int64_t rows, std::int64_t columns) {
    return test.data == CheckData::kWhole ? whole_matrix(rows, columns, random)
                                          : random_matrix(rows, columns, random, precision);
  };
  ProductData product;
  product.a = operand(shape.m, shape.k);
  product.b = operand(shape.k, shape.n);
  product.c = random_matrix(shape.m, shape.n, random, precision);
  if (test.data == CheckData::kNonfinite) add_nonfinite(product, shape);
  for (std::int64_t i = 0; i < shape.m; ++i) {
    const auto row = host_product_row(Op::kNN, shape, test.alpha, product.a, product.b, test.beta,
                                      product.c, i, 0, shape.n, sum_precision(precision));
    product.expected.insert(product.expected.end(), row.begin(), row.end());
  }
  return product;
}

std::vector<ProductCase> first_use_cases(const KernelRecord& record) {
  const bool nm = record.id_order == IdOrder::kNM;
  const int whole = record.alignment_c();
  const GemmShape edges{extent(record.tile.m, record.work_group[nm ? 1 : 0], whole),
                        extent(record.tile.n, record.work_group[nm ? 0 : 1], whole), kDepth};
  std::vector<ProductCase> cases{{within_tile(edges, record)}};
  ProductCase loop = cases[0];
  loop.shape.k = kDeep * std::min(std::int64_t{record.split_k} * record.work_group_k, kMaxShares);
  // The error bound of long sums in half precision is too wide to detect errors.
  if (record.accumulate_k > 0) loop.data = CheckData::kWhole;
  loop.odd_c = false;
  cases.push_back(loop);
  cases.push_back({within_tile({whole, whole, kDepth}, record)});
  const std::int64_t halves = 2 * std::int64_t{record.alignment};
  for (const CheckBatch batch : {CheckBatch::kAlongM, CheckBatch::kAlongN}) {
    if (!can_halve(record, batch)) continue;
    GemmShape shape = edges;
    std::int64_t& cut = batch == CheckBatch::kAlongM ? shape.m : shape.n;
    cut = round_up(cut, halves);
    cases.push_back({within_tile(shape, record)});
    cases.back().batch = batch;
  }
  const CheckExtents groups = check_extents(record, {whole, whole});
  cases.push_back({within_tile({groups.m, groups.n, kShallow}, record)});
  if (record.stream_k > 0) {
    cases.push_back({shared_tiles_shape(record), kOtherAlpha, kOtherBeta, loop.data, false});
  }
  // Kernels with a bias or an activation run in networks, which overwrite their results.
  if (record.split_k == 1 && implements_epilogue(record, {})) {
    cases.push_back({cases[0].shape, kOtherAlpha, kOtherBeta});
  }
  return cases;
}

std::span<const GemmShape> awkward_shapes() {
  return kAwkwardShapes;
}

std::vector<ProductCase> awkward_cases(const KernelRecord& record,
                                       std::span<const GemmShape> shapes) {
  std::vector<ProductCase> cases;
  const auto add = [&](const GemmShape& shape, CheckData overwritten, CheckData read) {
    const int whole = record.alignment_c();
    const GemmShape fit =
        within_tile({round_up(shape.m, whole), round_up(shape.n, whole), shape.k}, record);
    cases.push_back({fit, 1.25, 0.0, overwritten});
    // The parts of a split k are scaled by the reduction.
    if (record.split_k == 1) cases.push_back({fit, kOtherAlpha, kOtherBeta, read, false});
  };
  for (const GemmShape& shape : shapes) {
    add(shape, record.accumulate_k > 0 ? CheckData::kWhole : CheckData::kUniform,
        CheckData::kUniform);
  }
  if (record.stream_k > 0) {
    const CheckData data = record.accumulate_k > 0 ? CheckData::kWhole : CheckData::kUniform;
    add(shared_tiles_shape(record), data, data);
  }
  // The effect of activations on NaN is not specified.
  if (may_ignore_nan(record) && record.activation == Activation::kIdentity) {
    for (const GemmShape& shape : kNonfiniteShapes) {
      add(shape, CheckData::kNonfinite, CheckData::kNonfinite);
    }
  }
  return cases;
}

const ProductData& Products::get(const ProductCase& test, Precision precision) {
  const Key key{precision,  test.shape.m, test.shape.n, test.shape.k,
                test.alpha, test.beta,    test.data};
  const auto known = products_.find(key);
  if (known != products_.end()) return known->second;
  return products_.emplace(key, make_product(test, precision)).first->second;
}

}  // namespace tilewright
