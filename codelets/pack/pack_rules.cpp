#include <algorithm>

#include "codelets/pack/pack_side.hpp"
#include "codelets/point/rules.hpp"

namespace tilewright {
namespace {

// Maximum number of loads and stores per tile. Compilers handle bodies of this length well.
constexpr int kMaxMoves = 256;
// Minimum number of elements in a vector for which non-temporal stores are tried.
constexpr int kMinStreamed = 4;

const PackPoint& pack(const ParameterPoint& point) {
  return std::get<PackPoint>(point);
}

bool turned(const PackPoint& p) {
  return source_side(p).along_row != destination_side(p).along_row;
}

bool one_side_plain(const ParameterPoint& point, const SpaceLimits&) {
  return pack(point).from.is_plain() || pack(point).to.is_plain();
}

bool image_is_plain(const ParameterPoint& point, const SpaceLimits&) {
  return !pack(point).image || pack(point).to.is_plain();
}

bool whole_pixels(const ParameterPoint& point, const SpaceLimits&) {
  const PackPoint& p = pack(point);
  const bool along_row = p.to.outside() == Layout::Order::kRows;
  return !p.image || (along_row ? p.tile_n : p.tile_m) % kPixel == 0;
}

bool vectors_fit(const ParameterPoint& point, const SpaceLimits&) {
  const PackPoint& p = pack(point);
  const int source = source_side(p).width;
  // A pixel of an image has a fixed width.
  return p.vector_width == (p.image ? source : std::max(source, destination_side(p).width));
}

bool body_is_bounded(const ParameterPoint& point, const SpaceLimits&) {
  const PackPoint& p = pack(point);
  return p.tile_m * p.tile_n / std::min(source_side(p).width, destination_side(p).width) <=
         kMaxMoves;
}

bool shares_evenly(const PackSide& side, const PackPoint& p) {
  if (side.length(moved_together(p)) % side.width != 0)
    return false;  // the line does not end at a
                   // pixel boundary
  const int vectors = pack_share(side, p).vectors;
  return work_items(p) % vectors == 0 || vectors % work_items(p) == 0;
}

bool local_is_shared_evenly(const ParameterPoint& point, const SpaceLimits&) {
  const PackPoint& p = pack(point);
  return !p.local || (shares_evenly(source_side(p), p) && shares_evenly(destination_side(p), p));
}

bool streaming_is_large(const ParameterPoint& point, const SpaceLimits&) {
  return !pack(point).streaming || pack(point).large;
}

bool streaming_stores_vectors(const ParameterPoint& point, const SpaceLimits&) {
  const PackPoint& p = pack(point);
  return !p.streaming || (!p.image && !p.local && p.precision != Precision::kHalf &&
                          destination_side(p).width >= kMinStreamed);
}

bool local_transposes(const ParameterPoint& point, const SpaceLimits&) {
  return !pack(point).local || (work_items(pack(point)) > 1 && turned(pack(point)));
}

bool group_fits(const ParameterPoint& point, const SpaceLimits& limits) {
  const PackPoint& p = pack(point);
  return p.id_order == IdOrder::kNM ? work_group_fits(p.work_group_n, p.work_group_m, limits)
                                    : work_group_fits(p.work_group_m, p.work_group_n, limits);
}

bool registers_hold(const ParameterPoint& point, const SpaceLimits& limits) {
  const PackPoint& p = pack(point);
  return p.local || !turned(p) ||
         p.tile_m * p.tile_n * floats_per_sum(p.precision) <= limits.register_floats;
}

bool local_memory_holds(const ParameterPoint& point, const SpaceLimits& limits) {
  return pack_local_bytes(pack(point)) <= limits.local_memory_bytes;
}

bool local_is_dedicated(const ParameterPoint& point, const SpaceLimits& limits) {
  return !pack(point).local || limits.local_memory_is_dedicated;
}

bool device_has_images(const ParameterPoint& point, const SpaceLimits& limits) {
  return !pack(point).image || limits.image_support;
}

std::vector<Rule> structural_rules() {
  return {
      {"one_side_plain",
       "one side of a pack is the caller's matrix, in a plain layout",
       true,
       {"from", "to"},
       one_side_plain},
      {"image_is_plain",
       "a row of pixels is a row or a column of the matrix",
       true,
       {"to", "image"},
       image_is_plain},
      {"whole_pixels",
       "a pixel of an image must be written as a whole, by one work-item",
       true,
       {"to", "image", "tile_m", "tile_n"},
       whole_pixels},
      {"vectors_fit",
       "neither the tile nor the contiguous parts of the layouts are multiples of the vector, so "
       "the kernel would be the same with a narrower vector",
       true,
       {"from", "to", "image", "tile_m", "tile_n", "vector_width", "work_group_m", "work_group_n",
        "local"},
       vectors_fit},
      {"body_is_bounded",
       "the kernel is unrolled, with at most 256 loads per work-item",
       true,
       {"from", "to", "image", "tile_m", "tile_n", "vector_width", "work_group_m", "work_group_n",
        "local"},
       body_is_bounded},
      {"local_is_shared_evenly",
       "the work-items of a group must copy whole lines together, or whole parts of one line",
       true,
       {"from", "to", "image", "tile_m", "tile_n", "vector_width", "work_group_m", "work_group_n",
        "local"},
       local_is_shared_evenly},
      {"local_transposes",
       "local memory helps only to transpose a matrix, with several work-items",
       true,
       {"from", "to", "image", "work_group_m", "work_group_n", "local"},
       local_transposes},
      images_and_networks_have_type({"precision", "image"}),
      {"streaming_is_large",
       "only large matrices are stored without caching: small ones are read from the caches next",
       true,
       {"large", "streaming"},
       streaming_is_large},
      {"streaming_stores_vectors",
       "uncached stores need vectors of at least 4 elements, from registers to a buffer, and not "
       "half precision",
       true,
       {"precision", "from", "to", "image", "tile_m", "tile_n", "vector_width", "work_group_m",
        "work_group_n", "local", "streaming"},
       streaming_stores_vectors},
  };
}

std::vector<Rule> device_rules() {
  return {
      vector_is_taken(),
      {kWorkGroupFits,
       kWorkGroupFitsReason,
       false,
       {"work_group_m", "work_group_n", "id_order"},
       group_fits},
      {"registers_hold",
       "a tile that is transposed must fit into the registers",
       false,
       {"precision", "from", "to", "image", "tile_m", "tile_n", "local"},
       registers_hold},
      {"local_memory_holds",
       "the tile of the work-group must fit into the local memory of the device",
       false,
       {"precision", "from", "tile_m", "tile_n", "work_group_m", "work_group_n", "local"},
       local_memory_holds},
      {"local_is_dedicated",
       "the device has no dedicated local memory, so staging would be a useless copy",
       false,
       {"local"},
       local_is_dedicated},
      {"device_has_images",
       "the device does not support images",
       false,
       {"image"},
       device_has_images},
  };
}

}  // namespace

std::vector<Rule> pack_rules() {
  std::vector<Rule> rules = structural_rules();
  for (const Rule& rule : device_rules()) rules.push_back(rule);
  return rules;
}

}  // namespace tilewright
