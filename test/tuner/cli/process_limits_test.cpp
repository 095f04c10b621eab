// Tests which libraries the program loads, what it reports under the limits of a shell, and which
// files it leaves.
#include <filesystem>
#include <iterator>

#include "catch.hpp"
#include "run_program.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// As in `ulimit -f 1; tilewright ...`.
ProgramResult run_limited(const std::string& limit, const std::string& arguments) {
  return run_program_after("ulimit " + limit, arguments);
}

std::size_t files_in(const std::string& folder) {
  using std::filesystem::directory_iterator;
  return static_cast<std::size_t>(std::distance(directory_iterator(folder), directory_iterator()));
}

TEST_CASE("a file that grows beyond ulimit -f is an error, and leaves no file") {
  const TemporaryFolder folder;
  const std::string output = folder.file("net.json");
  const std::string convert = "net convert preset:partial-cifar " + output;
  const ProgramResult limited = run_limited("-f 1", convert);
  INFO(limited.error);
  CHECK(limited.exit_code == 1);
  CHECK_THAT(limited.error,
             ContainsSubstring("cannot write") && ContainsSubstring("File too large"));
  CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("competitors are not loaded with the program") {
  // The same method that ldd uses.
  const ProgramResult loaded = run_program_after("export LD_TRACE_LOADED_OBJECTS=1", "--version");
  CHECK_FALSE(loaded.out.empty());
  CHECK_THAT(loaded.out, !ContainsSubstring("blas"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("if drivers run out of memory, the program says so and exits") {
  const ProgramResult devices = run_limited("-v 150000", "devices");
  INFO(devices.out + devices.error);
  CHECK_THAT(devices.out + devices.error, ContainsSubstring("memory"));
  CHECK_THAT(devices.out + devices.error, !ContainsSubstring("install a driver"));
  const ProgramResult bench = run_limited("-v 150000", "bench --shapes 8x8x8");
  INFO(bench.error);
  CHECK(bench.exit_code > 0);
  CHECK_THAT(bench.error, ContainsSubstring("memory"));
}
#endif

}  // namespace
}  // namespace tilewright
