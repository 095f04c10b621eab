#include "codelets/point/fields.hpp"

namespace tilewright {

std::vector<Field> pack_fields() {
  using P = PackPoint;
  return {
      precision_field<P>(),
      required_field(
          always_named(layout_field<P, &P::from>("from", "", "layout of the source", {"C", "R"}))),
      required_field(
          always_named(layout_field<P, &P::to>("to", "", "layout of the destination", {"R", "C"}))),
      required_field(flag_field<P, &P::image>("image", "i_", "the destination is an image")),
      required_field(
          flag_field<P, &P::large>("large", "large_",
                                   "for matrices of 4 million elements and more, which do not "
                                   "fit into caches")),
      always_named(number_field<P, &P::tile_m>("tile_m", "m", "rows that a work-item moves",
                                               {1, 2, 4, 6, 8, 12, 16})),
      always_named(number_field<P, &P::tile_n>("tile_n", "n", "columns that a work-item moves",
                                               {1, 2, 4, 8, 16, 32, 64})),
      number_field<P, &P::vector_width>("vector_width", "v",
                                        "elements per load and store, if the layouts allow it",
                                        {1, 2, 4, 8, 16}),
      number_field<P, &P::work_group_m>("work_group_m", "wm",
                                        "work-items per work-group along rows",
                                        {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      number_field<P, &P::work_group_n>("work_group_n", "wn",
                                        "work-items per work-group along columns",
                                        {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      field<P, &P::id_order>("id_order", "", "nm: global id 0 runs along columns; mn: along rows",
                             Words<IdOrder>{{IdOrder::kNM, "nm"}, {IdOrder::kMN, "mn"}}),
      flag_field<P, &P::local>("local", "l_",
                               "the tile of the work-group is staged in local memory"),
      flag_field<P, &P::streaming>(
          "streaming", "s_", "store vectors without caching them, if the compiler supports it"),
  };
}

}  // namespace tilewright
