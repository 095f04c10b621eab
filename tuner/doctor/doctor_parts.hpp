// What does each part of an examination look at? (doctor.hpp puts them together.)
#pragma once

#include "tuner/doctor/doctor.hpp"

namespace tilewright {

// A GPU that a kernel driver holds.
struct GpuNode {
  std::string path;      // "/dev/mali0"
  std::string driver;    // "kbase" (the vendor's), "panfrost", "panthor", "lima" ...; "": unknown
  std::string hardware;  // "Mali-G57 5 cores r0p1 0x9091", "arm,mali-t860"; "": unknown
};
std::vector<GpuNode> gpu_nodes(const BoardFiles& files);
bool has_driver(const std::vector<GpuNode>& nodes, const std::string& driver);
bool is_mali(const GpuNode& node);

// Whose a driver's library is, by its name.
enum class Vendor { kMali, kRusticl, kClover, kPocl, kOther };
Vendor vendor_of(const Driver& driver);

// Is a GPU listed that this vendor's driver answers for?
bool lists_gpu(const std::optional<OpenClProbe>& probe);

// Folders in which the dynamic loader looks, and the first of them that holds the name; "": none.
std::vector<std::string> library_folders(const BoardFiles& files, const DoctorUser& user);
std::string find_library(const BoardFiles& files, const DoctorUser& user, const std::string& name);

// Where the loader finds the ICD files unless a variable of the user names another folder.
inline constexpr const char* kVendorFolder = "/etc/OpenCL/vendors";
inline constexpr const char* kLoader = "libOpenCL.so.1";
std::string vendor_folder(const DoctorUser& user);
// The library that an ICD file names, without what an editor has left around the name; "": none.
std::string icd_library(const BoardFiles& files, const std::string& icd_file);

std::string lower(std::string text);
std::string file_name(const std::string& path);

// Is the library, links followed, one of the vendor's? Some images make libOpenCL.so.1 such a link.
bool leads_to_mali(const BoardFiles& files, const std::string& library);

// doctor_drivers.cpp
Findings loader_findings(const BoardFiles& files, const DoctorUser& user,
                         const std::optional<OpenClProbe>& probe);
// doctor_icd.cpp: ICD files, their libraries, and drivers that none of them names.
Findings icd_findings(const BoardFiles& files, const DoctorUser& user,
                      const std::vector<Driver>& drivers, const std::optional<OpenClProbe>& probe);
// doctor_pocl.cpp
Findings pocl_findings(const DoctorUser& user, const std::vector<Driver>& drivers);
// doctor_nodes.cpp: device nodes and who may use them; do kernel and OpenCL driver belong together?
Findings node_findings(const BoardFiles& files, const DoctorUser& user,
                       const std::vector<GpuNode>& nodes);
Findings stack_findings(const BoardFiles& files, const DoctorUser& user,
                        const std::vector<GpuNode>& nodes, const std::vector<Driver>& drivers,
                        const std::optional<OpenClProbe>& probe);
// doctor_devices.cpp: what the drivers answer. `has_causes`: earlier findings are problems.
Findings device_findings(const OpenClProbe& probe,
                         const std::map<std::string, std::string>& culprits,
                         const std::vector<GpuNode>& nodes, bool has_causes);
// doctor_profiles.cpp: which profile serves each device, which ones do not, and why.
Findings profile_findings(const OpenClProbe& probe, const SearchPath& profiles);
// doctor_clocks.cpp
Findings clock_findings(const BoardFiles& files, const std::vector<GpuNode>& nodes);
Findings processor_findings(const BoardFiles& files);
Findings temperature_findings(const BoardFiles& files);
Findings memory_findings(const BoardFiles& files);
// doctor_watchdog.cpp
Findings watchdog_findings(const BoardFiles& files, const std::vector<GpuNode>& nodes);

}  // namespace tilewright
