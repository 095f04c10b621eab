// Protects standard output from other writers, and detects lost output.
#pragma once

#include <cstdio>
#include <string>

namespace tilewright {

// Opens standard descriptors that are closed (`>&-`), so that the next file that the program opens,
// for example a journal, cannot become standard output. Output to such a descriptor is lost, and
// lost_standard_output() reports it. Call it before any file is opened.
void occupy_standard_descriptors();

// Keeps standard output for this program, because some OpenCL drivers print to it. Afterwards
// descriptor 1 and stdout refer to standard error, and only standard_output() refers to the
// original standard output. Call it once, before the first OpenCL call.
void reserve_standard_output();
// Returns the stream for the program's output: stdout until it is reserved.
std::FILE* standard_output();
// If the argument names standard output as a file (/dev/stdout, also after `--option=`), returns it
// with a name that refers to the reserved standard output. Returns other arguments unchanged.
std::string name_reserved_output(const std::string& argument);
// Returns the message with the name of standard output as the user typed it.
std::string with_typed_name(std::string message);

// Flushes standard output. Returns why some of the output was lost, for example "No space left on
// device"; "" if all of it was written. Call it at the end.
std::string lost_standard_output();

}  // namespace tilewright
