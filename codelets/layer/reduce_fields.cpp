#include "codelets/point/fields.hpp"

namespace tilewright {

std::vector<Field> reduce_fields() {
  using P = ReducePoint;
  return {
      precision_field<P>(),
      always_named(number_field<P, &P::vector_width>(
          "vector_width", "v", "columns of C per work-item", {1, 2, 4, 8, 16})),
      number_field<P, &P::work_group_m>("work_group_m", "wm", "work-items per work-group along m",
                                        {1, 2, 4, 8, 16}),
      number_field<P, &P::work_group_n>("work_group_n", "wn", "work-items per work-group along n",
                                        {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      bias_field<P>(),
      activation_field<P>(),
      exp_field<P>(),
  };
}

}  // namespace tilewright
