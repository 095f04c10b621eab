// How does a test run the program as a person would?
#pragma once

#include <string>

namespace tilewright {

struct ProgramResult {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;     // standard output
  std::string error;   // standard error
};

// Runs the program with these arguments, split by a shell; standard input is empty. `redirection`
// of standard output as a shell has it, such as ">/dev/full" or "| cat >file"; "": to the result.
ProgramResult run_program(const std::string& arguments, const std::string& redirection = "");
// The same in a shell that ran a command before, such as `ulimit -f 1`.
ProgramResult run_program_after(const std::string& command, const std::string& arguments,
                                const std::string& redirection = "");

// An empty folder of this test, removed at exit.
std::string scratch_folder();

}  // namespace tilewright
