// Tests of what the doctor says of profiles.
#include <sys/stat.h>

#include <fstream>

#include "doctor_case.hpp"
#include "edited_profile.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

// The kernels for every device as a profile that was tuned on this one, for all products.
Profile tuned_profile(const DeviceIdentity& device) {
  Profile tuned = built_in_profile({});
  tuned.kind = ProfileKind::kTuned;
  tuned.device = device;
  for (const KernelRecord& kernel : tuned.kernels) {
    if (!is_product(kernel.role)) continue;
    const Op op = op_from_layouts(kernel.layout_a, *kernel.layout_b);
    tuned.results.push_back({op, 1, 1, 1, kernel.name, 2.0, 2.0, 2.0, 5, 0.0});
  }
  return tuned;
}

TEST_CASE("doctor: the profile that is used") {
  MadeUpBoard board;
  make_xu4(board);
  const TemporaryFolder folder;
  const OpenClProbe probe{{mali(4)}, ""};
  const auto profile = [&] {
    return Examined{examine(board.files(), odroid(), probe, {}, {"", {folder.path()}})}.of(
        "profile");
  };
  CHECK(profile().state == FindingState::kNote);
  CHECK(profile().advice == "tilewright tune --device 0");
  Profile tuned = tuned_profile(mali(4).identity);
  tuned.device.driver = "older";
  const auto write = [&] { std::ofstream(folder.file("t628.toml")) << write_profile(tuned); };
  write();
  CHECK(profile().state == FindingState::kNote);
  CHECK_THAT(profile().advice,
             ContainsSubstring("tilewright verify '" + folder.file("t628.toml") + "'"));
  CHECK_THAT(profile().advice,
             ContainsSubstring("--warm-start '" + folder.file("t628.toml") + "'"));
  tuned.device.driver = mali(4).identity.driver;
  write();
  CHECK(profile().state == FindingState::kOk);
  CHECK_THAT(profile().seen, ContainsSubstring("t628.toml"));
  // The profile measured a built-in kernel that this program has with other code.
  Profile measured = tuned;
  measured.kernels.back().built_in = true;
  std::ofstream(folder.file("t628.toml"))
      << edited(write_profile(measured), compute_code_digest(measured.kernels.back()), "xxh3-0");
  CHECK(profile().state == FindingState::kNote);
  CHECK_THAT(profile().seen, EndsWith("; 1 of its built-in kernels have changed since "
                                      "it was tuned, and their times are not used"));
  tuned.provenance.not_covered = "NT";
  write();
  CHECK(profile().state == FindingState::kNote);
  CHECK_THAT(profile().seen, ContainsSubstring("does not cover NT"));
  const Examined bad{
      examine(board.files(), odroid(), probe, {}, {folder.file("missing.toml"), {}})};
  CHECK(bad.of("profile").state == FindingState::kProblem);
}

// Returns the text of a measured profile for a device.
std::string tuned_for(const DeviceIdentity& device) {
  return write_profile(tuned_profile(device));
}

TEST_CASE(
    "doctor: a damaged profile in any folder is a problem, with its reason, whichever is used") {
  MadeUpBoard board;
  make_xu4(board);
  const TemporaryFolder first;
  const TemporaryFolder second;
  const std::string whole = tuned_for(mali(4).identity);
  std::ofstream(first.file("a.toml")) << whole;
  std::ofstream(first.file("b.toml")) << whole.substr(0, 500);
  std::ofstream(second.file("c.toml")) << "no profile";
  const OpenClProbe probe{{mali(4)}, ""};
  const Examined found{
      examine(board.files(), odroid(), probe, {}, {"", {first.path(), second.path()}})};
  for (const std::string& file : {first.file("b.toml"), second.file("c.toml")}) {
    const Finding damaged = found.of("profile", "damaged profile, not used: " + file);
    CHECK(damaged.state == FindingState::kProblem);
    CHECK_THAT(damaged.advice, ContainsSubstring("rm '" + file + "'"));
  }
  CHECK(found.of("profile", "device 0 uses").state == FindingState::kOk);
  CHECK(has_problems(found.findings));
}

TEST_CASE("doctor: profiles that other users can write are one note, and not called damaged") {
  MadeUpBoard board;
  make_xu4(board);
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const DeviceIdentity& device) {
    std::ofstream(folder.file(name)) << tuned_for(device);
    REQUIRE(::chmod(folder.file(name).c_str(), 0666) == 0);
  };
  write("a.toml", mali(4).identity);
  write("b.toml", mali(2).identity);
  write("other.toml", mali(4, "Mali-G52").identity);
  std::ofstream(folder.file("generic.toml")) << generic_profile_text();
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  const OpenClProbe probe{{mali(4), mali(2)}, ""};
  const Examined found{examine(board.files(), odroid(), probe, {}, {"", {folder.path()}})};
  const Finding untrusted = found.of("profile", "not used");
  CHECK(untrusted.state == FindingState::kNote);
  CHECK(untrusted.seen == "not used: " + folder.path() + " can be written by other users");
  CHECK(untrusted.advice == "chmod go-w '" + folder.path() + "' '" + folder.file("a.toml") + "' '" +
                                folder.file("b.toml") + "'");
  CHECK_FALSE(has_problems(found.findings));
  const std::string all = to_text(found.findings);
  CHECK(all.find("damaged") == std::string::npos);
  CHECK(all.find("rm ") == std::string::npos);
  CHECK(all.find("other.toml") == std::string::npos);
}

TEST_CASE("doctor: an unused profile of this device or a similar one is named") {
  MadeUpBoard board;
  make_xu4(board);
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const DeviceIdentity& device) {
    std::ofstream(folder.file(name)) << tuned_for(device);
  };
  ProbedDevice here = mali(2, "pthread-znver3-AMD EPYC");
  here.identity.vendor = "AuthenticAMD";
  here.identity.platform = "Portable Computing Language, OpenCL 3.0 PoCL 3.1";
  DeviceIdentity other_target = here.identity;
  other_target.name = "pthread-skylake-avx512-AMD EPYC";
  write("avx512.toml", other_target);
  DeviceIdentity other_version = here.identity;
  other_version.opencl_c_version = "OpenCL C 3.0";
  write("version.toml", other_version);
  write("gpu.toml", mali(4).identity);
  const auto examined = [&] {
    return Examined{
        examine(board.files(), odroid(), OpenClProbe{{here}, ""}, {}, {"", {folder.path()}})};
  };
  const Examined found = examined();
  CHECK_FALSE(has_problems(found.findings));
  const Finding target = found.of("profile", folder.file("avx512.toml"));
  CHECK(target.state == FindingState::kNote);
  CHECK_THAT(target.seen, ContainsSubstring("a device like this") &&
                              ContainsSubstring("compiler target") &&
                              ContainsSubstring("pthread-skylake-avx512-AMD EPYC"));
  CHECK_THAT(target.advice, ContainsSubstring("--warm-start '" + folder.file("avx512.toml") + "'"));
  const Finding version = found.of("profile", folder.file("version.toml"));
  CHECK_THAT(version.seen,
             ContainsSubstring("under another driver") && ContainsSubstring("OpenCL C 3.0"));
  for (const Finding& finding : found.findings)
    CHECK_THAT(finding.seen, !ContainsSubstring("gpu.toml"));

  // One of another processor of the same name is not used.
  here.identity.processor = "AuthenticAMD family 26 model 2";
  DeviceIdentity other_processor = here.identity;
  other_processor.processor = "AuthenticAMD family 25 model 17";
  write("processor.toml", other_processor);
  const Finding processor = examined().of("profile", folder.file("processor.toml") + " was tuned");
  CHECK(processor.state == FindingState::kNote);
  CHECK_THAT(processor.seen, ContainsSubstring("on another processor") &&
                                 ContainsSubstring("'AuthenticAMD family 26 model 2'"));

  // If a profile fits exactly, they are not reported. A second one that fits is for products that
  // the first one does not cover, and a third one is reported.
  for (const char* file : {"exact1.toml", "exact2.toml", "exact3.toml"}) write(file, here.identity);
  const Examined again = examined();
  const Finding used = again.of("profile", "exact1.toml");
  CHECK(used.state == FindingState::kOk);
  CHECK_THAT(used.seen, ContainsSubstring("does not cover: ") && ContainsSubstring("exact2.toml"));
  CHECK_THAT(again.of("profile", "exact3.toml").seen, ContainsSubstring("priority"));
  for (const Finding& finding : again.findings)
    CHECK_THAT(finding.seen, !ContainsSubstring("avx512"));
}

}  // namespace
}  // namespace tilewright
