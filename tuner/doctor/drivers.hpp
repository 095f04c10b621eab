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

  // Returns true if its file names contain this word, such as "mali" or "pocl".
  bool is_named(std::string_view word) const;
};
// Returns the drivers that the loader would load.
std::vector<Driver> find_drivers(const BoardFiles& files, const DoctorUser& user);
// Returns true if there is a driver of that name whose library exists.
bool has_driver(const std::vector<Driver>& drivers, std::string_view word);

// Returns the path of the library with that name or path; "" if there is none.
std::string find_library(const BoardFiles& files, const DoctorUser& user, const std::string& name);
// Returns the path of the loader, libOpenCL.so.1; "" if there is none.
std::string find_loader(const BoardFiles& files, const DoctorUser& user);
// Returns true if the library, with links resolved, is libmali. On some images libOpenCL.so.1 is
// such a link.
bool leads_to_mali(const BoardFiles& files, const std::string& library);

}  // namespace tilewright
