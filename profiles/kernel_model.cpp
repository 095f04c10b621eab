#include "profiles/kernel_model.hpp"

namespace tilewright {

double predicted_ns(const KernelModel& model, const ModelTerms& terms) {
  double ns = 0.0;
  for (std::size_t i = 0; i < terms.size(); ++i) ns += model.*kModelParameters[i] * terms[i];
  return ns;
}

}  // namespace tilewright
