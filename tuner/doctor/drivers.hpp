// Which OpenCL drivers would the loader load, and where are their libraries?
//
// By files alone, with the rules of libOpenCL(7) of ocl-icd and of the dynamic loader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/doctor/doctor.hpp"

namespace tilewright {

// "AArch64", "ARM (32 bit)" ...; "": it is no ELF file.
std::string elf_machine(const BoardFiles& files, const std::string& path);

// Does a library have the entry point of a driver, and is it not the loader?
bool is_opencl_driver(const BoardFiles& files, const std::string& library);

// What the loader would load.
struct Driver {
  std::string icd_file;  // "": the library was named by a variable
  std::string library;   // as it is named there
  std::string path;      // where that is; "": nowhere
};
std::vector<Driver> drivers_of(const BoardFiles& files, const DoctorUser& user);

// A driver's library and the ICD file by which its packages name it.
struct KnownDriver {
  std::string_view library;  // how its name starts, in small letters
  const char* icd_file;
};
inline constexpr KnownDriver kKnownDrivers[] = {
    {"libmali", "mali.icd"},
    {"libnvidia-opencl.so", "nvidia.icd"},
    {"librusticlopencl.so", "rusticl.icd"},
    {"libmesaopencl.so", "mesa.icd"},
    {"libpocl.so", "pocl.icd"},
    {"libigdrcl.so", "intel.icd"},
    {"libamdocl64.so", "amdocl64.icd"},
};
bool is_library_of(const KnownDriver& known, const std::string& path);
// The first such library that this program could load; "": none.
std::string find_known_driver(const BoardFiles& files, const DoctorUser& user,
                              const KnownDriver& known);

// Does a driver that exists have this word ("mali", "pocl") in the names of its files?
bool has_driver(const std::vector<Driver>& drivers, std::string_view word);
bool is_named(const Driver& driver, std::string_view word);

// The value of a variable of the user's environment; "": not set.
std::string variable(const DoctorUser& user, const std::string& name);
// The folder of the ICD files, unless OCL_ICD_VENDORS names something else.
std::string vendor_folder(const DoctorUser& user);

// The library of that name, or with that path; "": there is none.
std::string find_library(const BoardFiles& files, const DoctorUser& user, const std::string& name);
// Is the library, links followed, libmali? Some images make libOpenCL.so.1 such a link.
bool leads_to_mali(const BoardFiles& files, const std::string& library);

}  // namespace tilewright
