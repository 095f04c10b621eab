#include "tuner/search/pack_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

#include "codelets/space/space.hpp"
#include "profiles/profile.hpp"
#include "tuner/search/pack_requirements.hpp"

namespace tilewright {
namespace {

constexpr int kDrawsPerRequirement = 24;  // candidates drawn at random for each requirement
constexpr int kSamples = 7;               // per candidate
constexpr GemmShape kMediumMoved{kMediumMovedExtent, kMediumMovedExtent, 1};
// Number of known points whose neighbours in late parameters are tried.
constexpr std::size_t kMaxVariedPoints = 2;

// Points that are fast on CPUs, the most likely ones first; the same for GPUs. Each device tries
// both lists, then random points of the space. A CPU compiles only two or three candidates for a
// requirement in its time, so that the first ones decide. On CPUs, a transposition is fastest with
// small tiles, in work-groups that are long in the direction in which the destination is contiguous
// and one tile wide in the other: they write whole cache lines, and the lines that they read stay
// in the L1 cache for the next work-group. Panels are fastest with tiles of whole lines. Matrices
// larger than all caches are fastest with whole lines written by streaming stores.
constexpr const char* kKnownPacksOfCpus[] = {
    "tile_m=16 tile_n=16 vector_width=16 work_group_m=8 work_group_n=32 streaming=yes",
    "tile_m=16 tile_n=32 vector_width=16 work_group_m=4 work_group_n=16 streaming=yes",
    "tile_m=16 tile_n=16 vector_width=16 work_group_m=4 work_group_n=16 streaming=yes",
    "tile_m=16 tile_n=16 vector_width=16 work_group_m=16 work_group_n=4 streaming=yes",
    "tile_m=16 tile_n=16 vector_width=16 streaming=yes",
    "tile_m=4 tile_n=64 vector_width=16 streaming=yes",
    "tile_m=4 tile_n=8 vector_width=4 work_group_m=128",
    "tile_m=16 tile_n=16 vector_width=16",
    "tile_m=16 tile_n=8 vector_width=8 work_group_m=8 id_order=mn",
    "tile_m=8 tile_n=4 vector_width=4 work_group_m=64",
    "tile_m=4 tile_n=4 vector_width=4 work_group_m=64"};
constexpr const char* kKnownPacksOfGpus[] = {
    "tile_m=4 work_group_m=8 work_group_n=32 local=yes",
    "tile_n=4 vector_width=4 work_group_m=8 work_group_n=4",
    "tile_n=4 vector_width=4 work_group_m=32 work_group_n=4",
    "tile_n=4 vector_width=4 work_group_m=16 work_group_n=8",
    "tile_m=4 tile_n=4 vector_width=4 work_group_m=128",
    "tile_m=4 tile_n=4 vector_width=4 work_group_n=128 id_order=mn",
    "tile_m=8 tile_n=4 vector_width=4 work_group_m=64",
    "tile_m=4 tile_n=4 vector_width=4 work_group_m=64",
    "tile_m=4 tile_n=8 vector_width=4 work_group_m=128",
    "tile_m=4 tile_n=8 vector_width=4 work_group_n=32 id_order=mn",
    "",
    "tile_m=8 tile_n=8 vector_width=8",
    "tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8",
    "tile_m=16 tile_n=16 vector_width=16",
    "tile_m=16 tile_n=8 vector_width=8 work_group_m=8 id_order=mn",
    "work_group_m=8 work_group_n=8",
    "work_group_m=16 work_group_n=16",
    "tile_m=4 tile_n=4 vector_width=4"};
constexpr const char* kKnownReductions[] = {"reduce vector_width=4 work_group_n=64",
                                            "reduce vector_width=4 work_group_n=16",
                                            "reduce work_group_n=256",
                                            "reduce vector_width=16",
                                            "reduce vector_width=8",
                                            "reduce"};

constexpr const char* kKnownActivations[] = {
    "activation tile_n=16 vector_width=16 work_group_n=4",
    "activation tile_m=4 tile_n=16 vector_width=16",
    "activation tile_n=4 vector_width=4 work_group_m=4 work_group_n=16",
    "activation tile_n=4 vector_width=4 work_group_n=64",
    "activation tile_n=8 vector_width=8 work_group_n=8",
    "activation work_group_n=64",
    "activation",
    "activation id_order=flat tile_n=16 vector_width=16",
    "activation id_order=flat tile_n=4 vector_width=4 work_group_n=64",
    "activation id_order=flat tile_n=8 vector_width=8 work_group_n=16",
    "activation id_order=flat work_group_n=64",
    "activation id_order=flat"};
constexpr const char* kKnownSoftmaxes[] = {"softmax vector_width=16",
                                           "softmax vector_width=4 work_group_m=16",
                                           "softmax vector_width=4 work_group_m=4 work_group_n=16",
                                           "softmax work_group_m=64",
                                           "softmax work_group_n=64",
                                           "softmax vector_width=8 work_group_m=4",
                                           "softmax"};

// Returns the corresponding point for a column-major source. Tiles taller than 16 are not swapped,
// because the space does not contain them.
PackPoint turned(PackPoint point) {
  if (point.tile_n <= 16) std::swap(point.tile_m, point.tile_n);
  std::swap(point.work_group_m, point.work_group_n);
  point.id_order = point.id_order == IdOrder::kNM ? IdOrder::kMN : IdOrder::kNM;
  return point;
}

// Returns a known point with the required parameters of `requirement`. If the required layouts need
// other vectors or larger tiles, it uses the widest vectors that are valid. Returns nullopt if no
// such point is valid.
std::optional<ParameterPoint> adjusted(PackPoint point, const PackPoint& requirement,
                                       const SpaceLimits& limits) {
  constexpr int kVectorWidths[] = {16, 8, 4, 2, 1};
  if (point.streaming && !requirement.large) return std::nullopt;
  if (point.streaming && requirement.from == Layout::C()) point = turned(point);
  point.precision = requirement.precision;
  point.from = requirement.from;
  point.to = requirement.to;
  point.image = requirement.image;
  point.large = requirement.large;
  for (const int min_tile : {1, 4, 8}) {
    point.tile_m = std::max(point.tile_m, min_tile);
    point.tile_n = std::max(point.tile_n, min_tile);
    PackPoint narrower = point;
    if (broken_rule(narrower, limits) == nullptr) return narrower;
    for (const int width : kVectorWidths) {
      narrower.vector_width = width;
      if (broken_rule(narrower, limits) == nullptr) return narrower;
    }
  }
  return std::nullopt;
}

std::vector<const char*> all(const auto& texts) {
  return {std::begin(texts), std::end(texts)};
}

// CPUs keep the values of a work-group on a stack, GPUs have no such limit.
bool is_cpu(const SpaceLimits& limits) {
  return limits.group_floats != SpaceLimits().group_floats;
}

std::vector<const char*> known_packs(const SpaceLimits& limits) {
  std::vector<const char*> points = all(kKnownPacksOfCpus);
  const std::vector<const char*> others = all(kKnownPacksOfGpus);
  points.insert(is_cpu(limits) ? points.end() : points.begin(), others.begin(), others.end());
  return points;
}

std::vector<const char*> known_points(Codelet codelet) {
  switch (codelet) {
    case Codelet::kReduce:
      return all(kKnownReductions);
    case Codelet::kActivation:
      return all(kKnownActivations);
    case Codelet::kSoftmax:
      return all(kKnownSoftmaxes);
    case Codelet::kPack:
    case Codelet::kGemm:
    case Codelet::kGemv:
      break;
  }
  return {};
}

// Returns `point` with the required parameters of `requirement`.
ParameterPoint with_requirement(ParameterPoint point, const ParameterPoint& requirement) {
  for (const Field& field : fields(point_codelet(requirement))) {
    if (field.required) field.parse(point, field.text(requirement));
  }
  return point;
}

bool moves_late(const ParameterPoint& from, const ParameterPoint& to) {
  const std::vector<Field>& table = fields(point_codelet(from));
  return std::any_of(table.begin(), table.end(), [&](const Field& field) {
    return field.late && field.index(from) != field.index(to);
  });
}

// Returns the neighbours of a point that differ in a late parameter (one that searches try only
// late).
std::vector<ParameterPoint> late_neighbours(const Space& space, const ParameterPoint& point) {
  std::vector<ParameterPoint> neighbours = space.neighbours(point);
  std::erase_if(neighbours, [&](const auto& other) { return !moves_late(point, other); });
  return neighbours;
}

}  // namespace

std::vector<ParameterPoint> auxiliary_candidates(const ParameterPoint& requirement,
                                                 const std::vector<KernelId>& first,
                                                 const SpaceLimits& limits) {
  std::vector<ParameterPoint> points;
  std::vector<ParameterPoint> late;
  SpaceOptions options;
  const auto add = [&](const std::optional<ParameterPoint>& point) {
    if (point && std::find(points.begin(), points.end(), *point) == points.end()) {
      points.push_back(*point);
    }
  };
  for (const KernelId& kernel : first) add(kernel.point());
  if (const auto* pack = std::get_if<PackPoint>(&requirement)) {
    for (const char* known : known_packs(limits)) {
      const auto point = std::get<PackPoint>(parse_point(fmt::format("pack {}", known)));
      add(adjusted(point, *pack, limits));
    }
  }
  if (const auto* activation = std::get_if<ActivationPoint>(&requirement)) {
    const bool flat = activation->id_order == IdOrder::kFlat;
    options.only["id_order"] =
        flat ? std::vector<std::string>{"flat"} : std::vector<std::string>{"nm", "mn"};
  }
  const Space space(requirement, limits, options);
  if (point_codelet(requirement) != Codelet::kPack) {
    std::size_t tried = 0;
    for (const char* known : known_points(point_codelet(requirement))) {
      const ParameterPoint point = with_requirement(parse_point(known), requirement);
      if (!space.contains(point)) continue;
      add(point);
      if (++tried > kMaxVariedPoints) continue;
      for (const ParameterPoint& neighbour : late_neighbours(space, point))
        late.push_back(neighbour);
    }
  }
  for (const ParameterPoint& point : late) add(point);
  std::mt19937_64 random(1);
  for (int i = 0; i < kDrawsPerRequirement; ++i) add(space.draw(random));
  return points;
}

MeasureRequest auxiliary_request(const AuxiliaryRequirement& requirement, const SpaceLimits& limits,
                                 const MeasureOptions& options) {
  const Codelet codelet = point_codelet(requirement.requirement);
  if (codelet == Codelet::kGemm || codelet == Codelet::kGemv) {
    throw std::invalid_argument("not an auxiliary kernel but a product: " +
                                to_text(requirement.requirement));
  }
  MeasureRequest request;
  request.task = kPacking;
  for (const ParameterPoint& point :
       auxiliary_candidates(requirement.requirement, requirement.first, limits)) {
    KernelId kernel(point);
    const auto& excluded = requirement.excluded;
    if (std::find(excluded.begin(), excluded.end(), kernel) != excluded.end()) continue;
    request.kernels.push_back(std::move(kernel));
  }
  const int extent = moved_extent(requirement.requirement);
  request.shapes = {{extent, extent, 1}};
  if (codelet == Codelet::kPack && extent == kMovedExtent && is_cpu(limits)) {
    request.shapes.push_back(kMediumMoved);
  }
  request.max_kernels = requirement.most;
  request.trying_s = requirement.seconds;
  request.options = options;
  request.options.samples = kSamples;
  return request;
}

}  // namespace tilewright
