// Tests that no command replaces one of its inputs, and that a tuning replaces only its own files.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/models/network_files.hpp"

#include "catch.hpp"
#include "cli_checks.hpp"
#include "network/network_case.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "run_program.hpp"
#include "temporary_folder.hpp"
#include "tuner/journal/journal.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

std::string read_content(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

// A command that writes a file: its arguments, with OUT in place of the output, and its inputs.
struct Writer {
  std::string command;
  std::string arguments;
  std::vector<std::string> inputs;
};

// Returns all commands with an output, for files in that folder.
std::vector<Writer> writers(const TemporaryFolder& folder) {
  const auto file = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder.file(name)) << content;
    return folder.file(name);
  };
  const std::string profile = file("a.toml", write_profile(built_in_profile({})));
  const std::string journal = file("a.toml.journal.jsonl", "journal");
  const std::string other = file("b.toml", write_profile(built_in_profile({})));
  const std::string bench = file("bench.json", "{}");
  const std::string limits = file("limits.toml", "limits");
  const std::string kernels = file("kernels.tsv", "kernels");
  const std::string shapes = file("shapes.txt", "8x8x8\n");
  const std::string x = file("x.csv", "1,2\n");
  const std::string y = file("y.csv", "0\n");
  const std::string net = folder.file("net.json");
  const NetworkModel model{{affine(2, 2, true, 1)}};
  write_network_model(model, net);
  std::vector<std::string> network_files = written_network_files(model, net);
  REQUIRE(network_files.size() == 5);
  std::vector<std::string> run_files = {x, y, profile};
  run_files.insert(run_files.end(), network_files.begin(), network_files.end());
  std::vector<std::string> tuned_files = network_files;
  tuned_files.push_back(other);
  return {
      {"report", profile + " --bench " + bench + " --output OUT", {profile, journal, bench}},
      {"merge", journal + " " + bench + " --output OUT", {journal, bench}},
      {"starter",
       "--limits " + limits + " --kernels " + kernels + " --output OUT",
       {limits, kernels}},
      {"tune",
       "--device 0 --shapes auto," + shapes + " --warm-start " + other + " --output OUT",
       {shapes, other}},
      {"tune",
       "--device 0 --shapes " + shapes + " --warm-start " + other + " --profile " + profile +
           " --output " + folder.file("new.toml") + " --journal OUT",
       {shapes, other, profile}},
      {"net run",
       net + " --input " + x + " --labels " + y + " --profile " + profile + " --output OUT.csv",
       run_files},
      {"net convert", net + " OUT.json", network_files},
      {"net tune", net + " --device 0 --overwrite --warm-start " + other + " --output OUT",
       tuned_files},
  };
}

// Returns the names of the commands in a help text.
std::vector<std::string> commands_in(const std::string& help) {
  std::istringstream lines(help.substr(0, help.find("\nExamples:\n")));
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ") && line[2] != ' ' && line[2] != '-') {
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return names;
}

bool has_output(const std::string& command) {
  const std::string help = run_program(command + " --help").out;
  for (const char* name : {"\n  --output ", "\n  --journal ", "\n  --export ", "\n  OUTPUT "}) {
    if (contains(help, name)) return true;
  }
  return false;
}

TEST_CASE("no command replaces one of its inputs, not even through a link") {
  const TemporaryFolder folder;
  std::set<std::string> tested;
  for (const Writer& writer : writers(folder)) {
    tested.insert(writer.command);
    for (const std::string& input : writer.inputs) {
      const std::string before = read_content(input);
      REQUIRE_FALSE(before.empty());
      std::string arguments = writer.command + " " + writer.arguments;
      const std::size_t at = arguments.find("OUT");
      const std::string link = folder.file("link") + arguments.substr(at + 3);
      fs::remove(link);
      fs::create_symlink(input, link);
      arguments.replace(at, 3, folder.file("link"));
      const ProgramResult result = run_program(arguments);
      INFO(arguments << " where the link leads to " << input << ": " << result.error);
      CHECK(result.exit_code == 2);
      CHECK(contains(result.error, " is an input"));
      CHECK(read_content(input) == before);
      fs::remove(link);
    }
  }
  std::set<std::string> with_output;
  for (const std::string& name : commands_in(run_program("--help").out)) {
    if (has_output(name)) with_output.insert(name);
  }
  for (const std::string& name : commands_in(run_program("net --help").out)) {
    if (has_output("net " + name)) with_output.insert("net " + name);
  }
  CHECK(tested == with_output);
}

TEST_CASE("the matrices of a converted network replace none of its inputs") {
  const TemporaryFolder folder;
  const NetworkModel model{{affine(2, 2, false, 1)}};
  write_network_model(model, folder.file("net.json"));
  fs::rename(folder.file("net.json"), folder.file("other.json"));
  const std::string weights = folder.file("net.layer1.weights.npy");
  const ProgramResult result =
      run_program("net convert " + folder.file("other.json") + " " + folder.file("net.json"));
  CHECK(result.exit_code == 2);
  CHECK(contains(result.error, weights + " is an input"));
  CHECK_FALSE(fs::exists(folder.file("net.json")));
}

TEST_CASE("a tuning replaces only files that it has written, unless --overwrite is given") {
  const TemporaryFolder folder;
  const std::string output = folder.file("a.toml");
  const std::string journal = output + ".journal.jsonl";
  const std::string tune =
      "tune --device 0 --ops nn --budget 10h --candidates 1 --rounds 1 --activations none "
      "--no-packing --output " +
      output;
  const auto refused = [&](const std::string& command, const std::string& why) {
    const std::string before = read_content(output);
    const ProgramResult result = run_program(command);
    INFO(command << ": " << result.error);
    CHECK(result.exit_code == 2);
    CHECK(contains(result.error, output + " is not replaced"));
    CHECK(contains(result.error, why));
    CHECK(contains(result.error, "--overwrite"));
    CHECK(read_content(output) == before);
  };
  const auto done = [&](const std::string& command) {
    const ProgramResult result = run_program(command);
    INFO(command << ": " << result.error);
    CHECK(result.exit_code == 0);
    return load_profile(output).results.size();
  };
  std::ofstream(output) << "my notes\n";
  refused(tune + " --shapes 8x8x8,16x16x16", "not a profile");
  CHECK_FALSE(fs::exists(journal));
  CHECK(done(tune + " --shapes 8x8x8,16x16x16 --overwrite") > 0);
  // The same tuning continues, or starts over, without --overwrite.
  CHECK(done(tune + " --shapes 8x8x8,16x16x16") > 0);
  CHECK(done(tune + " --shapes 8x8x8,16x16x16 --fresh") > 0);
  const std::string again = run_program(tune + " --shapes 8x8x8,16x16x16").error;
  CHECK(contains(again, "nothing to do: the tuning has ended"));
  // The profile can hold the results of a tuning that its journal cannot.
  const std::string half = run_program(tune + " --shapes 8x8x8,16x16x16 --precision h").error;
  CHECK(contains(half, "use tune --profile '" + output + "' --precision h; otherwise start over"));
  const std::string shapes = run_program(tune + " --shapes 8x8x8").error;
  CHECK(contains(shapes, "use tune --profile '" + output + "' with the same --shapes and --ops"));
  const std::string seed = run_program(tune + " --shapes 8x8x8,16x16x16 --seed 9").error;
  CHECK(contains(seed, "the seed is 9"));
  CHECK_FALSE(contains(seed, "--profile"));
  // A different tuning has another journal, or starts over with other shapes.
  const std::string other = " --shapes 8x8x8 --journal " + folder.file("other");
  refused(tune + other, "it holds ");
  refused(tune + " --shapes 8x8x8 --fresh", "it holds ");
  CHECK(fs::exists(journal));
  fs::remove(journal);
  refused(tune + " --shapes 8x8x8,16x16x16", "it holds ");
  CHECK_FALSE(fs::exists(journal));
}

}  // namespace
}  // namespace tilewright
