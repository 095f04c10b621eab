// How does a test run the program as a person would?
#pragma once

#include <string>

namespace tilewright {

struct ProgramResult {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;     // standard output
  std::string error;   // standard error
};

// Runs the program with these arguments, split by a shell; standard input is empty.
ProgramResult run_program(const std::string& arguments);

// An empty folder of this test, removed at exit.
std::string scratch_folder();

}  // namespace tilewright
