#include "tuner/doctor/doctor.hpp"

#include "tuner/doctor/doctor_parts.hpp"

namespace tilewright {
namespace {

void append(Findings& all, Findings more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

std::vector<std::string> doctor_variables() {
  return {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "RUSTICL_ENABLE", "LD_LIBRARY_PATH",
          "POCL_AFFINITY"};
}

Findings examine(const BoardFiles& files, const DoctorUser& user,
                 const std::optional<OpenClProbe>& probe,
                 const std::map<std::string, std::string>& culprits, const SearchPath& profiles) {
  const std::vector<GpuNode> nodes = gpu_nodes(files);
  const std::vector<Driver> drivers = drivers_of(files, user);
  Findings all = node_findings(files, user, nodes);
  append(all, loader_findings(files, user, probe));
  append(all, icd_findings(files, user, drivers, probe));
  append(all, pocl_findings(user, drivers));
  append(all, stack_findings(files, user, nodes, drivers, probe));
  if (probe) {
    append(all, device_findings(*probe, culprits, nodes, has_problems(all)));
    append(all, profile_findings(*probe, profiles));
  } else {
    all.push_back(note("opencl", "drivers were not asked: these files are of another machine",
                       "run tilewright doctor on that machine"));
  }
  append(all, clock_findings(files, nodes));
  append(all, watchdog_findings(files, nodes));
  append(all, processor_findings(files));
  append(all, temperature_findings(files));
  append(all, memory_findings(files));
  return all;
}

}  // namespace tilewright
