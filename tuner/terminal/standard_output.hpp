// Standard output belongs to the program alone, and what is lost there is noticed.
#pragma once

#include <cstdio>
#include <string>

namespace tilewright {

// Before any file is opened. A program may be started with standard descriptors closed (`>&-`); the
// first file that it opens, be it a journal, would then take what is printed. Afterwards what is
// printed there is lost, and known to be.
void occupy_standard_descriptors();

// Some OpenCL drivers print on standard output. From now on descriptor 1 and stdout lead to
// standard error, and only standard_output() leads to what the user connected. Call it once, before
// the first OpenCL call.
void reserve_standard_output();
// What the program prints goes here: stdout, until it is reserved.
std::FILE* standard_output();
// An argument that names standard output as a file (/dev/stdout, also after `--option=`), with a
// name that leads to the reserved one; any other argument as it is.
std::string name_reserved_output(const std::string& argument);
// A message, with the name of standard output as the user typed it.
std::string with_typed_name(std::string message);

// At the end, when all is printed: why it did not arrive, such as "No space left on device"; "": it
// did.
std::string lost_standard_output();

}  // namespace tilewright
