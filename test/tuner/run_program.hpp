// Runs the program for a test as a user would.
#pragma once

#include <string>

namespace tilewright {

struct ProgramResult {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;     // standard output
  std::string error;   // standard error
};

// Runs the program with these arguments, which a shell splits; standard input is empty.
// `redirection` redirects standard output in the shell's syntax, such as ">/dev/full" or "| cat
// >file"; "": into the result.
ProgramResult run_program(const std::string& arguments, const std::string& redirection = "");
// The same in a shell that has run another command before, such as `ulimit -f 1`.
ProgramResult run_program_after(const std::string& command, const std::string& arguments,
                                const std::string& redirection = "");

// Runs the command `doctor` with these arguments, and joins the lines into which a finding is
// broken: where they break depends on the lengths of paths.
ProgramResult run_doctor(const std::string& arguments = "");

// Returns an empty folder for this test, which is removed at exit.
std::string scratch_folder();

}  // namespace tilewright
