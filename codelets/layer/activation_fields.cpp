#include "codelets/point/fields.hpp"

namespace tilewright {

std::vector<Field> activation_fields() {
  using P = ActivationPoint;
  return {
      precision_field<P>(),
      always_named(
          number_field<P, &P::tile_m>("tile_m", "m", "rows per work-item", {1, 2, 4, 8, 16})),
      always_named(number_field<P, &P::tile_n>(
          "tile_n", "n", "columns per work-item; with flat: elements", {1, 2, 4, 8, 16})),
      number_field<P, &P::vector_width>("vector_width", "v", "elements per load and store",
                                        {1, 2, 4, 8, 16}),
      number_field<P, &P::work_group_m>("work_group_m", "wm", "work-items per work-group along m",
                                        {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      number_field<P, &P::work_group_n>("work_group_n", "wn",
                                        "work-items per work-group along n; flat: all of them",
                                        {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      field<P, &P::id_order>(
          "id_order", "",
          "nm: global id 0 runs along n; mn: along m; flat: along memory, in one dimension",
          Words<IdOrder>{{IdOrder::kNM, "nm"}, {IdOrder::kMN, "mn"}, {IdOrder::kFlat, "flat"}}),
      bias_field<P>(),
      activation_field<P>(),
      exp_field<P>(),
      math_field<P>(),
      group_size_field<P>(),
  };
}

}  // namespace tilewright
