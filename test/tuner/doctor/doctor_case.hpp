// Shared by the tests of the doctor.
#pragma once

#include <map>
#include <string>

#include "catch.hpp"
#include "made_up_board.hpp"
#include "tuner/doctor/doctor.hpp"

namespace tilewright {

inline DoctorUser odroid() {
  DoctorUser user;
  user.name = "odroid";
  user.may_use = [](const std::string&) { return true; };
  return user;
}

inline ProbedDevice mali(int compute_units, const std::string& name = "Mali-T628") {
  ProbedDevice device{"gpu", true, true, {}};
  device.identity.vendor = "ARM";
  device.identity.name = name;
  device.identity.opencl_c_version = "OpenCL C 1.2";
  device.identity.limits = {256, {256, 256}, 32768, false, true};
  device.identity.platform = "ARM Platform, OpenCL 1.2 v1.r12p0";
  device.identity.compute_units = compute_units;
  device.identity.driver = "1.2, OpenCL 1.2 v1.r12p0";
  return device;
}

struct Examined {
  Findings findings;
  // Returns the finding for that subject that contains `seen`; fails if there is none.
  Finding of(const std::string& subject, const std::string& seen = "") const {
    for (const Finding& finding : findings) {
      if (finding.subject == subject && finding.seen.find(seen) != std::string::npos) {
        return finding;
      }
    }
    FAIL("no finding of " << subject << " says '" << seen << "':\n" << to_text(findings));
    return {};
  }
  bool has(const std::string& subject) const {
    for (const Finding& finding : findings) {
      if (finding.subject == subject) return true;
    }
    return false;
  }
};

inline Examined examined(const MadeUpBoard& board, const DoctorUser& user = odroid(),
                         const std::optional<OpenClProbe>& probe = OpenClProbe{{mali(4)}, ""},
                         const std::map<std::string, std::string>& culprits = {}) {
  return {examine(board.files(), user, probe, culprits, {})};
}

}  // namespace tilewright
