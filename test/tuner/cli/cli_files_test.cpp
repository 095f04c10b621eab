// Tests of files that are not regular files: pipes, links and devices, as inputs and outputs.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "cli_checks.hpp"
#include "deadline.hpp"
#include "run_program.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

const std::string kJournal = TILEWRIGHT_TEST_DATA "/pocl.journal.jsonl";

std::string read_content(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

// A pipe with this process at both ends. Reading it would block until this process ends; Deadline
// limits that.
class OpenPipe {
 public:
  explicit OpenPipe(const std::string& path) {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    descriptor_ = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(descriptor_ >= 0);
  }
  OpenPipe(const OpenPipe&) = delete;
  OpenPipe& operator=(const OpenPipe&) = delete;
  ~OpenPipe() { ::close(descriptor_); }

 private:
  int descriptor_ = -1;
};

TEST_CASE("a pipe or a device is rejected as an input without waiting for it") {
  const Deadline deadline;
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  const OpenPipe open(pipe);
  fs::create_symlink("pipe", folder.file("net.json"));
  fs::create_symlink("/dev/zero", folder.file("net.onnx"));
  for (const std::string& arguments : std::initializer_list<std::string>{
           "check " + pipe,
           "show " + pipe,
           "check /dev/zero",
           "explain --shape 8x8x8 --limits mali-t628 --profile " + pipe,
           "explain --shape 8x8x8 --profile builtin --limits " + pipe,
           "space --limits " + pipe,
           "bench --shapes " + pipe,
           "bench --shapes /dev/zero",
           "merge " + pipe + " --output " + folder.file("x"),
           "starter --limits mali-t628 --output " + folder.file("x") + " --kernels " + pipe,
           "tune --profile " + pipe,
           "tune --warm-start " + pipe,
           "net info " + folder.file("net.json"),
       }) {
    INFO(arguments);
    const ProgramResult result = run_program(arguments);
    INFO(result.error);
    CHECK((result.exit_code == 1 || result.exit_code == 2));
    CHECK(contains(result.error, "not a regular file"));
    CHECK(contains(result.error, contains(arguments, "zero") ? "/dev/zero" : folder.path()));
    CHECK(result.out.empty());
  }
  CHECK(run_program("net info " + folder.file("net.onnx")).exit_code == 1);
  CHECK_FALSE(fs::exists(folder.file("x")));
}

TEST_CASE("outputs follow links and are written into pipes, and replace neither") {
  const Deadline deadline;
  const TemporaryFolder folder;
  const std::string merge = "merge " + kJournal + " --output ";
  const std::string file = folder.file("real.toml");
  std::ofstream(file) << "old";
  fs::create_symlink("real.toml", folder.file("link.toml"));
  const ProgramResult linked = run_program(merge + folder.file("link.toml"));
  INFO(linked.error);
  CHECK(linked.exit_code == 0);
  CHECK(fs::is_symlink(folder.file("link.toml")));
  CHECK(run_program("check " + file).exit_code == 0);

  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const ProgramResult unread = run_program(merge + pipe);
  CHECK(unread.exit_code == 1);
  CHECK(contains(unread.error, "cannot write '" + pipe + "': no process reads from it"));
  // The shell waits for the reader of the pipe.
  const std::string read = folder.file("read.toml");
  const ProgramResult piped = run_program(
      merge + pipe, ">" + folder.file("said") + " & cat " + pipe + " >" + read + "; wait $!");
  CHECK(piped.exit_code == 0);
  CHECK(fs::is_fifo(pipe));
  const ProgramResult whole = run_program("check " + read);
  INFO(whole.error);
  CHECK(whole.exit_code == 0);
}

TEST_CASE("folders and standard output are not replaced by files") {
  const TemporaryFolder folder;
  const std::string merge = "merge " + kJournal + " --output ";
  const ProgramResult into_folder = run_program(merge + folder.path());
  CHECK(into_folder.exit_code == 1);
  CHECK(contains(into_folder.error, "'" + folder.path() + "': it is a folder"));
  CHECK(run_program(merge + "/dev/stdout", "| cat >" + folder.file("text")).exit_code == 0);
  CHECK(contains(read_content(folder.file("text")), "\nformat = 1\n"));
  const std::string second = folder.file("second");
  CHECK(run_program("merge " + kJournal + " --output=/dev/fd/1", "| cat >" + second).exit_code ==
        0);
  CHECK(contains(read_content(second), "\nformat = 1\n"));
  // Nor through a descriptor, which would still refer to the replaced file.
  const ProgramResult own = run_program(merge + "/dev/stdout", ">>" + folder.file("text"));
  CHECK(own.exit_code == 1);
  CHECK(contains(own.error, "name the file"));
  CHECK(contains(own.error, "'/dev/stdout'"));
  CHECK_FALSE(contains(own.error, "/dev/fd/"));
  CHECK(contains(read_content(second), "\n/dev/fd/1: "));
}

TEST_CASE("devices are not replaced by files") {
  const TemporaryFolder folder;
  const std::string merge = "merge " + kJournal + " --output ";
  const std::string null = folder.file("null");
  const std::string block = folder.file("block");
  if (::mknod(null.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0 ||
      ::mknod(block.c_str(), S_IFBLK | 0600, makedev(7, 250)) != 0 || !std::ofstream(null)) {
    SKIP_CASE("this user can make no device nodes here");
  }
  CHECK(run_program(merge + null).exit_code == 0);
  CHECK(fs::is_character_file(null));
  const ProgramResult blocked = run_program(merge + block);
  CHECK(blocked.exit_code == 1);
  CHECK(contains(blocked.error, "'" + block + "': it is a block device"));
  CHECK(fs::is_block_file(block));
  // A tuning reports an unusable output before it starts.
  const ProgramResult tune = run_program("tune --output " + block);
  CHECK(tune.exit_code == 2);
  CHECK(contains(tune.error, "--output: cannot write '" + block + "': it is a block device"));
  const ProgramResult nameless = run_program("tune --output " + null);
  CHECK(nameless.exit_code == 2);
  CHECK(contains(nameless.error, "--journal"));
}

TEST_CASE("tune --team accepts no options of the search") {
  for (const char* option : {"--ops tn", "--shard 1/2", "--activations none", "--validate 3",
                             "--rounds 3", "--device 0"}) {
    INFO(option);
    CHECK(run_program(std::string("tune --team 0,libopenblas.so.0 ") + option).exit_code == 2);
  }
}

}  // namespace
}  // namespace tilewright
