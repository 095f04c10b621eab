#include "codelets/point/fields.hpp"

namespace tilewright {

std::vector<Field> gemv_fields() {
  using P = GemvPoint;
  return {
      precision_field<P>(),
      required_field(always_named(
          layout_field<P, &P::layout_a>("layout_a", "", "layout of op(A)", {"R", "C"}))),
      required_field(always_named(
          layout_field<P, &P::layout_b>("layout_b", "", "layout of op(B)", {"R", "C"}))),
      required_field(always_named(
          field<P, &P::narrow>("narrow", "", "dimension of C that one tile covers completely",
                               profile_words({Dimension::kN, Dimension::kM})))),
      always_named(number_field<P, &P::tile_narrow>(
          "tile_narrow", "", "largest supported size of that dimension", {1, 2, 4, 8, 16})),
      always_named(number_field<P, &P::tile_wide>(
          "tile_wide", "w", "rows or columns of C per work-item along the other dimension",
          {1, 2, 4, 8, 16})),
      number_field<P, &P::tile_k>("tile_k", "k", "k steps per loop iteration", {1, 2, 4, 8, 16}),
      number_field<P, &P::vector_width>("vector_width", "v",
                                        "elements per load of the large "
                                        "operand",
                                        {1, 2, 4, 8, 16}),
      number_field<P, &P::work_group_k>("work_group_k", "wk",
                                        "work-items that share the k steps of one tile",
                                        {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      number_field<P, &P::work_group_wide>("work_group_wide", "ww",
                                           "work-items per work-group along the other dimension",
                                           {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      field<P, &P::k_first>("k_first", "kf_",
                            "global id 0 runs along k (yes) or along the other dimension (no)",
                            Words<bool>{{true, "yes"}, {false, "no"}}),
      multiply_add_field<P>(),
      bias_field<P>(),
      activation_field<P>(),
      exp_field<P>(),
      math_field<P>(),
      group_size_field<P>(),
  };
}

}  // namespace tilewright
