// Tests that every command reports lost output as an error.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "run_program.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

const std::string kPrintedJournal = TILEWRIGHT_TEST_DATA "/pocl.journal.jsonl";
const std::string kProfile = TILEWRIGHT_DATA "/generic.toml";

// Commands that print and succeed without a device. `merge` and `starter` write to this folder.
std::vector<std::string> commands(const TemporaryFolder& folder) {
  const std::string kernels = folder.file("kernels");
  std::ofstream(kernels) << "1\tgemm op=NN\n1\tgemm op=NT\n1\tgemm op=TN\n";
  return {
      "--help",
      "--version",
      "net --help",
      "show " + kProfile,
      "check " + kProfile,
      "emit",
      "emit --help",
      "emit --generic",
      "emit --list-points",
      "space --limits mali-t628 --codelet reduce",
      "explain --profile builtin --shape 8x8x8 --limits mali-t628",
      "tune --dry-run --limits mali-t628 --budget 30s --ops nn",
      "merge " + kPrintedJournal + " --output " + folder.file("merged.toml"),
      "starter --limits mali-t628 --kernels " + kernels + " --output " + folder.file("starter"),
      "net info preset:full-mnist",
      "net convert preset:full-mnist " + folder.file("net.json"),
  };
}

TEST_CASE("every command fails if standard output is a full device or is closed", "[may_skip]") {
  if (!std::filesystem::is_character_file("/dev/full")) {
    SKIP_CASE("there is no /dev/full here");
  }
  const TemporaryFolder folder;
  for (const std::string& arguments : commands(folder)) {
    INFO(arguments);
    const ProgramResult heard = run_program(arguments);
    INFO(heard.error);
    CHECK(heard.exit_code == 0);
    CHECK_FALSE(heard.out.empty());
    for (const char* redirection : {">/dev/full", ">&-"}) {
      INFO(redirection);
      const ProgramResult lost = run_program(arguments, redirection);
      CHECK(lost.exit_code == 1);
      CHECK(lost.error.find("cannot write") != std::string::npos);
    }
  }
}

TEST_CASE("usage errors remain usage errors, and without output none is lost") {
  CHECK(run_program("emit --set bogus=1", ">/dev/full").exit_code == 2);
  CHECK(run_program("emit --set bogus=1", ">&-").exit_code == 2);
}

TEST_CASE("with standard output closed, no file receives the output") {
  const TemporaryFolder folder;
  const std::string output = folder.file("a.toml");
  const std::string merge = "merge " + kPrintedJournal + " --output " + output;
  CHECK(run_program(merge, ">&-").exit_code == 1);
  CHECK(run_program("check " + output).exit_code == 0);
  CHECK(run_program(merge, "<&- >&-").exit_code == 1);
  CHECK(run_program("check " + output).exit_code == 0);
}

}  // namespace
}  // namespace tilewright
