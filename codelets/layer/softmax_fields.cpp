#include "codelets/point/fields.hpp"

namespace tilewright {

std::vector<Field> softmax_fields() {
  using P = SoftmaxPoint;
  return {
      precision_field<P>(),
      always_named(number_field<P, &P::vector_width>(
          "vector_width", "v", "elements per load and store, along a row", {1, 2, 4, 8, 16})),
      number_field<P, &P::work_group_m>("work_group_m", "wm", "rows per work-group",
                                        {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      number_field<P, &P::work_group_n>("work_group_n", "wn", "work-items that share a row",
                                        {1, 2, 4, 8, 16, 32, 64, 128, 256}),
      required_field(field<P, &P::activation>(
          "activation", "act_", "log: compute the logarithms of the probabilities",
          profile_words({Activation::kIdentity, Activation::kLogSoftmax}))),
      exp_field<P>(),
      math_field<P>(),
  };
}

}  // namespace tilewright
