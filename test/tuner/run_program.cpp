#include "run_program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Scratch {
  fs::path path = fs::temp_directory_path() / ("tilewright-cli-" + std::to_string(::getpid()));
  Scratch() { fs::create_directories(path); }
  ~Scratch() { fs::remove_all(path); }
};

}  // namespace

std::string scratch_folder() {
  static const Scratch scratch;
  return scratch.path.string();
}

ProgramResult run_program(const std::string& arguments) {
  const std::string out = scratch_folder() + "/stdout";
  const std::string error = scratch_folder() + "/stderr";
  const std::string command = std::string(TILEWRIGHT_PROGRAM) + " " + arguments + " >" + out +
                              " 2>" + error + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(error)};
}

}  // namespace tilewright
