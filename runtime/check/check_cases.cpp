#include "runtime/check/check_cases.hpp"

#include <algorithm>
#include <numeric>

#include "profiles/round_up.hpp"
#include "runtime/call/epilogue.hpp"
#include "runtime/call/group_tile.hpp"

namespace tilewright {
namespace {

constexpr double kOtherAlpha = -1.5;
constexpr double kOtherBeta = 0.75;

constexpr CheckExtents kSmall{37, 53};
constexpr std::int64_t kMaxEdge = 67;
constexpr std::int64_t kDepth = 37;
// Large enough for whole iterations of any loop: unrolled k tiles, and blocks between barriers.
constexpr std::int64_t kLongK = 517;
constexpr std::int64_t kMaxShares = 64;       // bounds the duration of a check
constexpr std::int64_t kShallow = 3;          // for cases in which only the extents of C matter
constexpr std::int64_t kStepsOfShares = 197;  // enough for three parts of a tile
constexpr std::int64_t kParts = 5;            // that a reduce kernel adds up

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

constexpr unsigned bit(Role role) {
  return 1U << static_cast<unsigned>(role);
}
constexpr unsigned kProducts = bit(Role::kGemm) | bit(Role::kGemv);
constexpr unsigned kSums = kProducts | bit(Role::kReduce);
constexpr unsigned kPacks = bit(Role::kPack);
constexpr unsigned kLayers = bit(Role::kActivation) | bit(Role::kSoftmax);
constexpr unsigned kAll = kSums | kPacks | kLayers;

// The extents of a case.
enum class CaseExtents {
  kEdges,         // small, with incomplete vectors and tiles at the edges
  kDeep,          // the same, with a large k
  kSmallest,      // as small as the kernel supports
  kGroups,        // several work-groups, more along one dimension than along the other
  kSharedTiles,   // three work-groups along each dimension, which share some of the tiles
  kWholeVectors,  // no incomplete vectors, no padding
};

struct Row {
  unsigned roles;
  CaseExtents extents;
  CheckCase test = {};  // without its shape
};
constexpr Row kFirstUse[] = {
    {kAll, CaseExtents::kEdges},
    {kProducts,
     CaseExtents::kDeep,
     {.data = CheckData::kWhole, .placement = CheckPlacement::kAligned}},
    {kProducts, CaseExtents::kSmallest},
    {kProducts, CaseExtents::kEdges, {.batch = CheckBatch::kAlongM}},
    {kProducts, CaseExtents::kEdges, {.batch = CheckBatch::kAlongN}},
    {kAll, CaseExtents::kGroups},
    {kProducts,
     CaseExtents::kSharedTiles,
     {.alpha = kOtherAlpha,
      .beta = kOtherBeta,
      .data = CheckData::kWhole,
      .placement = CheckPlacement::kAligned}},
    {kSums, CaseExtents::kEdges, {.alpha = kOtherAlpha, .beta = kOtherBeta}},
    {kPacks, CaseExtents::kEdges, {.placement = CheckPlacement::kOnLines}},
    {kPacks, CaseExtents::kGroups, {.placement = CheckPlacement::kOnLines}},
    {kLayers, CaseExtents::kEdges, {.in_place = true}},
    {kLayers, CaseExtents::kWholeVectors},
    {kLayers, CaseExtents::kWholeVectors, {.in_place = true}},
    {kLayers, CaseExtents::kWholeVectors, {.placement = CheckPlacement::kDense}},
    {kLayers, CaseExtents::kWholeVectors, {.placement = CheckPlacement::kDense, .in_place = true}},
};

// The extents that a kernel supports without padding are multiples of these.
CheckExtents alignment(const KernelRecord& record) {
  const std::int64_t whole = record.alignment_c();
  return {record.role == Role::kReduce ? 1 : whole, whole};
}

// The multiples that Y has with its padding.
CheckExtents padded_multiples(const KernelRecord& record) {
  const auto [m, n] = alignment(record);
  return {std::lcm(std::lcm(m, record.multiples.m), std::int64_t{record.layout_c.chunk_rows()}),
          std::lcm(std::lcm(n, record.multiples.n), std::int64_t{record.layout_c.chunk_columns()})};
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

bool applies(const Row& row, const KernelRecord& record) {
  if ((row.roles & bit(record.role)) == 0) return false;
  if (row.test.batch != CheckBatch::kNone && !can_halve(record, row.test.batch)) return false;
  if (row.extents == CaseExtents::kSharedTiles && record.stream_k == 0) return false;
  // The parts of a split k are scaled by the reduction. Kernels with a bias or an activation run in
  // networks, which overwrite their results.
  return row.test.beta == 0.0 || (record.split_k == 1 && implements_epilogue(record, {}));
}

// A kernel for narrow products computes at most as many rows or columns as its tile has.
GemmShape within_tile(GemmShape shape, const KernelRecord& record) {
  if (record.narrow == Dimension::kM) shape.m = std::min<std::int64_t>(shape.m, record.tile.m);
  if (record.narrow == Dimension::kN) shape.n = std::min<std::int64_t>(shape.n, record.tile.n);
  return shape;
}

// Small extents: for products slightly more than one work-group, if that is small.
CheckExtents edges(const KernelRecord& record, CheckBatch batch) {
  const CheckExtents aligned = alignment(record);
  if (!is_product(record.role))
    return {round_up(kSmall.m, aligned.m), round_up(kSmall.n, aligned.n)};
  CheckExtents small{round_up(std::min(group_tile_m(record) + 5, kMaxEdge), aligned.m),
                     round_up(std::min(group_tile_n(record) + 5, kMaxEdge), aligned.n)};
  const std::int64_t halves = 2 * std::int64_t{record.alignment};
  if (batch == CheckBatch::kAlongM) small.m = round_up(small.m, halves);
  if (batch == CheckBatch::kAlongN) small.n = round_up(small.n, halves);
  return small;
}

// Extents that need several work-groups, together with their padding if they have any.
CheckExtents several_groups(const KernelRecord& record, bool padded) {
  const CheckExtents aligned = alignment(record);
  if (!padded) return check_extents(record, aligned);
  const CheckExtents groups = check_extents(record, padded_multiples(record));
  return {std::max(aligned.m, (groups.m - 1) / aligned.m * aligned.m),
          std::max(aligned.n, (groups.n - 1) / aligned.n * aligned.n)};
}

// With kStepsOfShares, a kernel with stream_k shares some of the tiles.
CheckExtents shared_tiles(const KernelRecord& record) {
  const auto extent = [&](std::int64_t reach) {
    constexpr std::int64_t kGroups = 3;  // the last of which is incomplete
    return round_up(reach > 1 ? kGroups * reach - 1 : kGroups, record.alignment_c());
  };
  return {extent(group_tile_m(record)), extent(group_tile_n(record))};
}

CheckExtents result_extents(const KernelRecord& record, const Row& row, bool padded) {
  switch (row.extents) {
    case CaseExtents::kEdges:
    case CaseExtents::kDeep:
      return edges(record, row.test.batch);
    case CaseExtents::kSmallest:
      return alignment(record);
    case CaseExtents::kGroups:
      return several_groups(record, padded);
    case CaseExtents::kSharedTiles:
      return shared_tiles(record);
    case CaseExtents::kWholeVectors:
      break;
  }
  return {std::lcm<std::int64_t>(record.layout_c.chunk_rows(), 16),
          std::lcm<std::int64_t>(record.layout_c.chunk_columns(), 32)};
}

std::int64_t depth(const KernelRecord& record, CaseExtents extents) {
  if (!is_product(record.role)) return record.role == Role::kReduce ? kParts : 1;
  if (extents == CaseExtents::kDeep) {
    return kLongK * std::min(std::int64_t{record.split_k} * record.work_group_k, kMaxShares);
  }
  if (extents == CaseExtents::kSharedTiles) return kStepsOfShares;
  return extents == CaseExtents::kGroups ? kShallow : kDepth;
}

// The error bound of long sums in half precision is too wide to detect errors.
CheckData data_of_long_sums(const KernelRecord& record) {
  return record.accumulate_k > 0 ? CheckData::kWhole : CheckData::kUniform;
}

}  // namespace

std::vector<CheckCase> first_use_cases(const KernelRecord& record) {
  std::vector<CheckCase> cases;
  for (const Row& row : kFirstUse) {
    if (!applies(row, record)) continue;
    CheckCase& test = cases.emplace_back(row.test);
    const bool padded =
        (bit(record.role) & kSums) == 0 && row.extents != CaseExtents::kWholeVectors;
    const auto [m, n] = test.padded = result_extents(record, row, padded);
    test.shape = within_tile({m, n, depth(record, row.extents)}, record);
    if (padded) {
      const CheckExtents multiple = padded_multiples(record);
      test.padded = {round_up(m + 1, multiple.m), round_up(n + 1, multiple.n)};
    }
    if (test.data == CheckData::kWhole) test.data = data_of_long_sums(record);
  }
  return cases;
}

std::span<const GemmShape> awkward_shapes() {
  return kAwkwardShapes;
}

std::vector<CheckCase> awkward_cases(const KernelRecord& record,
                                     std::span<const GemmShape> shapes) {
  std::vector<CheckCase> cases;
  if (!is_product(record.role)) return cases;
  const auto add = [&](const GemmShape& shape, CheckData overwritten, CheckData read) {
    const auto [m, n] = alignment(record);
    const GemmShape fit =
        within_tile({round_up(shape.m, m), round_up(shape.n, n), shape.k}, record);
    cases.push_back({.shape = fit, .data = overwritten});
    // The parts of a split k are scaled by the reduction.
    if (record.split_k > 1) return;
    cases.push_back({fit, kOtherAlpha, kOtherBeta, read, CheckPlacement::kAligned});
  };
  const CheckData data = data_of_long_sums(record);
  for (const GemmShape& shape : shapes) add(shape, data, CheckData::kUniform);
  if (record.stream_k > 0) {
    const auto [m, n] = shared_tiles(record);
    add({m, n, kStepsOfShares}, data, data);
  }
  // The effect of activations on NaN is not specified.
  if (may_ignore_nan(record) && record.activation == Activation::kIdentity) {
    for (const GemmShape& shape : kNonfiniteShapes) {
      add(shape, CheckData::kNonfinite, CheckData::kNonfinite);
    }
  }
  return cases;
}

}  // namespace tilewright
