#include "model_place.hpp"
#include "runtime/network/model/model_rules.hpp"

namespace tilewright {

void check_mlp_model_from(const MlpModel& model, const std::string& file) {
  if (const auto fault = find_fault(model)) ModelPlace{file, fault->place}.fail(fault->reason);
}

void check_mlp_model(const MlpModel& model) {
  check_mlp_model_from(model, "");
}

}  // namespace tilewright
