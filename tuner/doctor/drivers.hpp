// Determines which OpenCL drivers the loader would load, and where their libraries are.
//
// This uses files only, and follows the rules of libOpenCL(7) of ocl-icd and of the dynamic loader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/doctor/doctor.hpp"

namespace tilewright {

// Returns the machine that an ELF file is for ("AArch64", "ARM (32 bit)" ...); "" if the file is
// not an ELF file.
std::string elf_machine(const BoardFiles& files, const std::string& path);

// Returns true if a library has the entry point of a driver and is not the loader.
bool is_opencl_driver(const BoardFiles& files, const std::string& library);

// A driver that the loader would load.
struct Driver {
  std::string icd_file;  // "": a variable names the library
  std::string library;   // as written in the ICD file or variable
  std::string path;      // where the library is; "": it was not found
};
// Returns the drivers that the loader would load.
std::vector<Driver> find_drivers(const BoardFiles& files, const DoctorUser& user);

// A driver's library, and the name of the ICD file that its packages install.
struct KnownDriver {
  std::string_view library;  // start of its name, in lower case
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
// Returns true if the path is a library of this driver.
bool is_driver_library(const KnownDriver& known, const std::string& path);
// Returns the path of the first library of this driver that the program could load; "" if there is
// none.
std::string find_known_driver(const BoardFiles& files, const DoctorUser& user,
                              const KnownDriver& known);

// Returns true if there is a driver whose library exists and whose file names contain this word,
// such as "mali" or "pocl".
bool has_driver(const std::vector<Driver>& drivers, std::string_view word);
// Returns true if the driver's file names contain this word.
bool is_named(const Driver& driver, std::string_view word);

// Returns the value of a variable in the user's environment; "" if it is not set.
std::string variable(const DoctorUser& user, const std::string& name);
// Returns the folder of the ICD files. OCL_ICD_VENDORS may override it.
std::string vendor_folder(const DoctorUser& user);

// Returns the path of the library with that name or path; "" if there is none.
std::string find_library(const BoardFiles& files, const DoctorUser& user, const std::string& name);
// Returns true if the library, with links resolved, is libmali. On some images libOpenCL.so.1 is
// such a link.
bool leads_to_mali(const BoardFiles& files, const std::string& library);

}  // namespace tilewright
