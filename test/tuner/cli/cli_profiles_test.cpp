// Tests of commands on profiles that need no device.
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "cli_checks.hpp"
#include "profiles/profile_text.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

TEST_CASE("check and show accept a valid profile and reject a damaged one with file and line") {
  const std::string good = TILEWRIGHT_DATA "/generic.toml";
  const ProgramResult check = run_program("check " + good);
  CHECK(check.exit_code == 0);
  CHECK(check.out.find(good + ": ok; 30 product kernels (30 built in) and 29 others, 0 results") ==
        0);
  CHECK(contains(check.out, "tilewright verify " + good));
  const ProgramResult show = run_program("show --all " + good);
  CHECK(show.exit_code == 0);
  CHECK(contains(show.out, "generic profile"));
  CHECK(contains(show.out, "sgemm_R_C_m4_n4_k4"));
  const ProgramResult built_in = run_program("show builtin");
  CHECK(built_in.exit_code == 0);
  CHECK(contains(built_in.out, "product kernels ("));
  // The source as emitted, except that the built-in profile lacks the explanation of names.
  const std::string kernel = run_program("show " + good + " --kernel sgemm_R_R_m1_n1").out;
  const std::string emitted = run_program("emit").out;
  CHECK(kernel.find("// tilewright") == 0);
  CHECK(kernel.substr(kernel.find("\n\n")) == emitted.substr(emitted.find("\n\n")));
  check_refused("show " + good + " --kernel none", "no kernel 'none'");
  check_refused(
      "show --precision h " + good,
      good + " has no kernels for half precision; tilewright tune --precision h --profile " + good);

  const std::string damaged = scratch_folder() + "/damaged.toml";
  std::ofstream(damaged) << "format = 1\nkind = \"generic\"\ncolour = \"red\"\n";
  for (const char* command : {"check ", "show "}) {
    const ProgramResult refused = run_program(command + damaged);
    CHECK(refused.exit_code == 1);
    CHECK(refused.out.empty());
    CHECK(contains(refused.error, damaged));
  }
  CHECK(run_program("check /no/such/profile.toml").exit_code == 1);
  CHECK(run_program("tune --profile /no/such/profile.toml").exit_code == 1);
  CHECK(contains(run_program("check /no/such/profile.toml").error, "/no/such/profile.toml"));
}

// All digests are correct, because the text was written anew after the edit.
TEST_CASE("check names a launch fact that was edited, even if its digest was recomputed") {
  Profile profile = load_profile(TILEWRIGHT_DATA "/generic.toml");
  const auto pack = std::find_if(profile.kernels.begin(), profile.kernels.end(),
                                 [](const KernelRecord& each) { return each.role == Role::kPack; });
  REQUIRE(pack != profile.kernels.end());
  pack->id_order = IdOrder::kMN;
  const std::string file = scratch_folder() + "/edited.toml";
  std::ofstream(file) << write_profile(profile);
  const ProgramResult check = run_program("check " + file);
  CHECK(check.exit_code == 1);
  CHECK(check.out.empty());
  CHECK(contains(check.error, "profile '" + file + "', kernel '" + pack->name +
                                  "': id_order is \"mn\", but \"nm\" according to its point\n"));
}

TEST_CASE("profiles lists a folder") {
  const ProgramResult result = run_program("profiles " TILEWRIGHT_DATA);
  CHECK(result.exit_code == 0);
  CHECK(contains(result.out, "built into"));
  CHECK(contains(result.out, "NVIDIA H200, 132 compute units"));
  CHECK(contains(run_program("profiles --json /no/such/folder").out, "\"kind\": \"generic\""));
}

TEST_CASE("profiles that applications do not use are marked, with one command for all") {
  const TemporaryFolder folder;
  for (const char* name : {"a.toml", "b.toml"}) {
    std::filesystem::copy_file(TILEWRIGHT_DATA "/generic.toml", folder.file(name));
    REQUIRE(::chmod(folder.file(name).c_str(), 0644) == 0);
  }
  CHECK_FALSE(contains(run_program("profiles " + folder.path()).out, "not used"));
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  const std::string out = run_program("profiles " + folder.path()).out;
  CHECK(contains(out, folder.file("b.toml")));
  CHECK(contains(out, "not used: " + folder.path() +
                          " can be written by other users; chmod go-w '" + folder.path() + "'\n"));
  const auto json = nlohmann::json::parse(run_program("profiles --json " + folder.path()).out);
  CHECK(json[0]["used"] == true);
  CHECK(json[1]["used"] == false);
}

TEST_CASE("profiles --install makes a profile available to applications, and --remove ends it") {
  const TemporaryFolder home;
  const ScopedVariable variable("XDG_DATA_HOME", home.path().c_str());
  const std::string folder = home.file("tilewright/profiles");
  const std::string shipped = TILEWRIGHT_DATA "/nvidia-h200.toml";
  const mode_t before = ::umask(002);
  const ProgramResult installed = run_program("profiles --install " + shipped);
  ::umask(before);
  INFO(installed.error);
  REQUIRE(installed.exit_code == 0);
  const std::string file = folder + "/nvidia-h200.toml";
  CHECK(contains(installed.out, "installed " + file + "\n"));
  constexpr auto mode = [](const std::string& path) {
    return static_cast<unsigned>(std::filesystem::status(path).permissions());
  };
  CHECK(mode(file) == 0644);
  CHECK(mode(folder) == 0755);
  CHECK(mode(home.file("tilewright")) == 0755);
  CHECK(contains(run_program("profiles").out, file));

  // Another device's profile of the same name stays; a damaged one and one of the same device are
  // replaced.
  const std::string other = home.file("nvidia-h200.toml");
  std::filesystem::copy_file(TILEWRIGHT_DATA "/nvidia-h100.toml", other);
  check_refused("profiles --install " + other, file + " is a profile for another device");
  std::ofstream(file) << "damaged";
  REQUIRE(::chmod(file.c_str(), 0666) == 0);
  CHECK(run_program("profiles --install " + shipped).exit_code == 0);
  CHECK(mode(file) == 0644);
  CHECK(run_program("profiles --install " + shipped).exit_code == 0);
  CHECK(run_program("profiles --install " + file).exit_code == 0);
  CHECK(run_program("check " + file).exit_code == 0);
  std::filesystem::copy_file(shipped, home.file("other.profile"));
  CHECK(run_program("profiles --install " + home.file("other.profile")).exit_code == 0);
  CHECK(run_program("check " + folder + "/other.profile.toml").exit_code == 0);

  check_refused("profiles --install " TILEWRIGHT_DATA "/generic.toml", "built-in profile");
  check_refused("profiles --install " + file + " --remove nvidia-h200.toml", "--install");
  check_refused("profiles --remove " + other, other + " is not in " + folder);
  CHECK(run_program("profiles --install " + home.file("none.toml")).exit_code == 1);

  CHECK(run_program("profiles --remove nvidia-h200.toml").out == "removed " + file + "\n");
  CHECK(run_program("profiles --remove " + folder + "/other.profile.toml").exit_code == 0);
  CHECK(std::filesystem::is_empty(folder));
  check_refused("profiles --remove nvidia-h200.toml", "has no profiles");
  const ScopedVariable no_data("XDG_DATA_HOME", nullptr);
  const ScopedVariable no_home("HOME", nullptr);
  check_refused("profiles --install " + shipped, "HOME");
}

TEST_CASE("no result is above the peak, because the peak is the largest rate seen") {
  Profile profile = load_profile(TILEWRIGHT_DATA "/nvidia-h200.toml");
  for (MultiplyAddRate& rate : profile.rates.multiply_adds) rate.gflops = 1.0;
  profile.rates.peak_gflops = 1.0;
  const std::string path = scratch_folder() + "/passed.toml";
  std::ofstream(path) << write_profile(profile);
  const ProgramResult show = run_program("show --all " + path);
  REQUIRE(show.exit_code == 0);
  CHECK(contains(show.out, "fastest kernel"));
  std::set<int> shares;  // percentages of the peak, after the range of GFLOPS
  const std::regex result(R"( to [0-9.]+\) +([0-9]+) +[0-9]+ +[0-9]+ )");
  for (std::sregex_iterator row(show.out.begin(), show.out.end(), result), end; row != end; ++row) {
    shares.insert(std::stoi((*row)[1]));
  }
  REQUIRE(shares.size() > 1);
  CHECK(*shares.rbegin() == 100);
}

TEST_CASE("show prints the plans that run on each shape, in at most 100 columns") {
  for (const char* name : {"nvidia-h200", "pocl-amd-epyc-avx512"}) {
    const std::string path = TILEWRIGHT_DATA "/" + std::string(name) + ".toml";
    const Profile profile = load_profile(path);
    std::set<std::string> shapes;
    for (const ShapeResult& r : profile.results) {
      shapes.insert(std::to_string(r.m) + "x" + std::to_string(r.n) + "x" + std::to_string(r.k));
    }
    const ProgramResult show = run_program("show --precision s " + path);
    REQUIRE(show.exit_code == 0);
    std::istringstream lines(show.out);
    std::size_t rows = 0;
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 100);
      if (shapes.count(line.substr(0, line.find(' '))) == 0) continue;
      ++rows;
      // Each column is separated: a plan, GFLOPS ("~": estimated) and a share for each op.
      static const std::regex row(
          R"re(\d+x\d+x\d+(( +([ab]+ )?(\d+x\d+|gemv) +~?[\d.]+ +(>?\d{1,3}%|-))| {24,})+ *)re");
      CHECK(std::regex_match(line, row));
    }
    CHECK(contains(show.out, "~: estimated"));
    CHECK(rows > 0);
    CHECK(rows <= shapes.size());
  }
}

TEST_CASE("the built-in profile can be printed and equals the shipped one") {
  std::ifstream shipped(TILEWRIGHT_DATA "/generic.toml");
  const std::string text((std::istreambuf_iterator<char>(shipped)),
                         std::istreambuf_iterator<char>());
  CHECK(run_program("emit --generic").out == text);
}

TEST_CASE("a merged profile contains the command lines of its tunings") {
  const std::string output = scratch_folder() + "/checked.toml";
  CHECK(run_program("merge " TILEWRIGHT_TEST_DATA "/pocl.journal.jsonl --output " + output)
            .exit_code == 0);
  const std::string message = load_profile(output).provenance.command_line;
  CHECK(message.find("merge") != std::string::npos);
  CHECK(message.find("journals written by") != std::string::npos);
}

TEST_CASE("profiles and reports contain no path of the user's home folder") {
  const std::string home = scratch_folder() + "/home";
  std::filesystem::create_directories(home);
  const ScopedVariable variable("HOME", home.c_str());
  const std::string journal = home + "/pocl.journal.jsonl";
  std::filesystem::copy_file(TILEWRIGHT_TEST_DATA "/pocl.journal.jsonl", journal);
  CHECK(run_program("merge " + journal + " --output " + home + "/a.toml").exit_code == 0);
  CHECK(contains(load_profile(home + "/a.toml").provenance.command_line,
                 "tilewright merge ~/pocl.journal.jsonl --output ~/a.toml"));
  // A profile of another version may contain one.
  Profile profile = load_profile(home + "/a.toml");
  profile.provenance.command_line = "tilewright tune --output " + home + "/a.toml";
  std::ofstream(home + "/a.toml") << write_profile(profile);
  CHECK(run_program("report " + home + "/a.toml --output " + home + "/a.html").exit_code == 0);
  const std::ifstream page(home + "/a.html");
  std::ostringstream text;
  text << page.rdbuf();
  CHECK(contains(text.str(), "tune --output ~/a.toml"));
  CHECK_FALSE(contains(text.str(), home));
}

TEST_CASE("a set-user-ID program takes no folder and no library from its environment",
          "[may_skip]") {
  const TemporaryFolder folder;
  const ScopedVariable variable("XDG_DATA_HOME", "/nobodys");
  const std::string searched = "no profiles in /nobodys/tilewright/profiles\n";
  CHECK(contains(run_program("profiles").out, searched));
  if (::geteuid() != 0) SKIP_CASE("only root can make such a program");
  struct statvfs status = {};
  REQUIRE(::statvfs(folder.path().c_str(), &status) == 0);
  if ((status.f_flag & ST_NOSUID) != 0 || ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0) {
    SKIP_CASE("such programs are not allowed here");
  }
#ifdef __SANITIZE_ADDRESS__
  SKIP_CASE("LeakSanitizer cannot examine such a program");
#endif
  const std::string program = folder.file("program");
  std::filesystem::copy_file(TILEWRIGHT_PROGRAM, program);
  REQUIRE(::chown(program.c_str(), 12345, 12345) == 0);
  REQUIRE(::chmod(program.c_str(), 04755) == 0);
  const std::string out = folder.file("out");
  CHECK(std::system((program + " profiles >" + out).c_str()) == 0);
  std::ostringstream text;
  text << std::ifstream(out).rdbuf();
  CHECK(contains(text.str(), "no profiles in "));
  CHECK_FALSE(contains(text.str(), "/nobodys"));
  // The program fails if it loads the library that the variable names.
  const ScopedVariable library("TILEWRIGHT_OPENCL", "/no/such/library.so");
  CHECK(contains(run_program("devices").out, "/no/such/library.so"));
  CHECK(std::system((program + " devices >" + out + " 2>&1").c_str()) != -1);
  std::ostringstream devices;
  devices << std::ifstream(out).rdbuf();
  CHECK_FALSE(devices.str().empty());
  CHECK_FALSE(contains(devices.str(), "/no/such/library.so"));
}

TEST_CASE("the profiles of an installation are used if they belong to its owner", "[may_skip]") {
  const TemporaryFolder folder;
  const std::string profiles = folder.file("share/tilewright/profiles");
  const std::string program = folder.file("program");
  std::filesystem::create_directories(profiles);
  std::filesystem::copy_file(TILEWRIGHT_PROGRAM, program);
  std::filesystem::copy_file(TILEWRIGHT_DATA "/generic.toml", profiles + "/generic.toml");
  const std::string out = folder.file("out");
  const auto listed = [&] {
    CHECK(std::system((program + " profiles >" + out).c_str()) == 0);
    std::ostringstream text;
    text << std::ifstream(out).rdbuf();
    CHECK(contains(text.str(), profiles + "/generic.toml"));
    return text.str();
  };
  for (const std::string& path : {profiles, profiles + "/generic.toml", program}) {
    if (::chown(path.c_str(), 12345, 12345) != 0) SKIP_CASE("only root gives files away");
    REQUIRE(::chmod(path.c_str(), 0775) == 0);
  }
  CHECK_FALSE(contains(listed(), "not used"));
  REQUIRE(::chown(program.c_str(), 0, 0) == 0);
  CHECK(contains(listed(), "not used: " + profiles +
                               " belongs to another user; tilewright "
                               "profiles --install '" +
                               profiles + "/generic.toml'"));
}

TEST_CASE("no command overwrites its inputs") {
  const std::string profile = scratch_folder() + "/own.toml";
  std::ofstream(profile) << std::ifstream(TILEWRIGHT_DATA "/nvidia-h200.toml").rdbuf();
  check_refused("report " + profile + " --output " + profile,
                "--output: " + profile + " is an input");
  check_refused(
      "report " TILEWRIGHT_DATA "/nvidia-h200.toml --bench " + profile + " --output " + profile,
      "is an input");
  CHECK(run_program("check " + profile).exit_code == 0);
}

TEST_CASE("merge names a journal that it cannot read, and writes nothing") {
  const std::string output = scratch_folder() + "/merged.toml";
  const ProgramResult missing = run_program("merge /no/such/journal --output " + output);
  CHECK(missing.exit_code == 1);
  CHECK(contains(missing.error, "/no/such/journal"));
  CHECK_FALSE(std::ifstream(output).is_open());
}

}  // namespace
}  // namespace tilewright
