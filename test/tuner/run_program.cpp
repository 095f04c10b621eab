#include "run_program.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "temporary_folder.hpp"

namespace tilewright {
namespace {

std::string read_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

std::string scratch_folder() {
  static const TemporaryFolder folder;
  return folder.path();
}

ProgramResult run_program(const std::string& arguments, const std::string& redirection) {
  return run_program_after(":", arguments, redirection);
}

ProgramResult run_program_after(const std::string& before, const std::string& arguments,
                                const std::string& redirection) {
  const std::string out = scratch_folder() + "/stdout";
  const std::string error = scratch_folder() + "/stderr";
  const std::string command = before + "; </dev/null 2>" + error + " " + TILEWRIGHT_PROGRAM + " " +
                              arguments + " " + (redirection.empty() ? ">" + out : redirection);
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, redirection.empty() ? read_file(out) : "",
          read_file(error)};
}

ProgramResult run_doctor(const std::string& arguments) {
  ProgramResult result = run_program("doctor " + arguments);
  static const std::regex broken("\n {22}(   )?(?![ -])");  // "->" begins an advice
  result.out = std::regex_replace(result.out, broken, " ");
  return result;
}

}  // namespace tilewright
