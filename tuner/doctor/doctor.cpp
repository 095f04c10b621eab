#include "tuner/doctor/doctor.hpp"

#include <iterator>

#include "tuner/doctor/checks.hpp"
#include "tuner/doctor/evidence.hpp"

namespace tilewright {

std::string yes(bool holds) {
  return holds ? "yes" : "";
}

std::vector<std::string> doctor_variables() {
  return {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "RUSTICL_ENABLE",
          "LD_LIBRARY_PATH", "POCL_AFFINITY",      "TILEWRIGHT_CACHE"};
}

Findings examine(const BoardFiles& files, const DoctorUser& user,
                 const std::optional<OpenClProbe>& probe,
                 const std::map<std::string, std::string>& culprits, const SearchPath& profiles) {
  const Machine machine{files, user, probe, find_drivers(files, user), gpu_nodes(files)};
  EvidenceList all;
  const auto add = [&](EvidenceList more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  };
  add(node_evidence(machine));
  add(driver_evidence(machine));
  add(stack_evidence(machine));
  if (probe) {
    add(device_evidence(machine, culprits));
    add(profile_evidence(*probe, profiles));
  } else {
    add({{"opencl", {{"other_machine", "yes"}}}});
  }
  add(machine_evidence(machine));
  Findings findings;
  for (Evidence& evidence : all) {
    if (evidence.subject == "opencl") {
      evidence.facts["problems_above"] = yes(has_problems(findings));
    }
    if (auto finding = finding_from(evidence)) findings.push_back(std::move(*finding));
  }
  return findings;
}

}  // namespace tilewright
