#include "model_place.hpp"
#include "runtime/network/model/model_rules.hpp"

namespace tilewright {

void check_network_model_from(const NetworkModel& model, const std::string& file) {
  if (const auto fault = find_fault(model)) ModelPlace{file, fault->place}.fail(fault->reason);
}

void check_network_model(const NetworkModel& model) {
  check_network_model_from(model, "");
}

}  // namespace tilewright
