// The profiles that ship can be read, and what they hold is right: on the device of the tests,
// every kernel that it can run, whatever device it was tuned for.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "catch.hpp"
#include "point_verdict.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device_identity.hpp"

namespace tilewright {
namespace {

std::vector<std::filesystem::path> shipped(const std::string& folder = "") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(TILEWRIGHT_SHIPPED_PROFILES + folder)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool may_run(const KernelRecord& record, const DeviceLimits& limits) {
  const std::int64_t x = record.work_group[0];
  const std::int64_t y = record.work_group[1];
  return x * y * record.work_group_k <= limits.max_work_group_size &&
         x <= limits.max_work_item_sizes[0] && y <= limits.max_work_item_sizes[1] &&
         record.local_bytes <= limits.local_memory_bytes &&
         (limits.image_support || record.images == Images{});
}

TEST_CASE("every shipped profile says where it comes from") {
  REQUIRE(shipped().size() > 1);
  for (const auto& file : shipped()) {
    INFO(file);
    const Profile profile = load_profile(file.string());
    if (profile.kind == ProfileKind::kGeneric) continue;
    CHECK(profile.kind == ProfileKind::kTuned);
    CHECK(profile.provenance.command_line.find("tune") != std::string::npos);
    CHECK_FALSE(profile.provenance.tool_version.empty());
    CHECK(profile.provenance.date.size() > 10);
    CHECK_FALSE(profile.results.empty());
    CHECK(profile.rates.peak_gflops > 0.0);
    for (const ShapeResult& result : profile.results) CHECK(result.max_error < 1.0);
  }
}

// A kernel with bias whose twin has an activation, too: they share all but a line, and minutes are
// spent on compiling.
bool is_in_another(const KernelRecord& record, const Profile& profile) {
  if (record.bias == Dimension::kNone || record.activation != Activation::kIdentity) return false;
  return find_kernel(profile, record.name + "_act_relu") != nullptr;
}

TEST_CASE("every kernel of a shipped profile that the device can run is right") {
  const TestDevice d;
  const DeviceLimits limits = identify(d.device).limits;
  const GemmShape shapes[] = {{1, 1, 1}, {37, 53, 41}, {128, 64, 32}, {65, 130, 17}, {3, 34, 4099}};
  for (const auto& file : shipped()) {
    int verified = 0;
    const Profile profile = load_profile(file.string());
    for (const KernelRecord& record : profile.kernels) {
      if (!may_run(record, limits) || is_in_another(record, profile)) continue;
      INFO(file << ": " << record.name);
      const std::string verdict = Verifier(d, 7, shapes).verdict(record);
      if (verdict.rfind("too large: ", 0) == 0) continue;
      CHECK(verdict == "right");
      ++verified;
    }
    INFO(file);
    CHECK(verified > 0);
  }
}

TEST_CASE("every starter profile is predicted, small, and for a device of its own") {
  std::set<std::pair<std::string, int>> devices;
  for (const auto& file : shipped("/starter")) {
    INFO(file);
    const Profile profile = load_profile(file.string());
    CHECK(profile.kind == ProfileKind::kPredicted);
    CHECK(std::filesystem::file_size(file) <= 64 * 1024);
    CHECK(devices.insert({profile.device.name, profile.device.compute_units}).second);
    std::set<Op> ops;
    for (const ShapeResult& result : profile.results) ops.insert(result.op);
    CHECK(ops.size() >= 3);
  }
  CHECK(devices.size() >= 14);
}

TEST_CASE("every kernel of a starter profile is right") {
  const TestDevice d;
  const GemmShape shapes[] = {{1, 1, 1}, {37, 53, 41}, {128, 64, 32}, {65, 130, 17}};
  std::set<std::string> seen;  // profiles of like GPUs share kernels
  for (const auto& file : shipped("/starter")) {
    for (const KernelRecord& record : load_profile(file.string()).kernels) {
      if (!seen.insert(record.source).second) continue;
      INFO(file << ": " << record.name);
      CHECK(Verifier(d, 7, shapes).verdict(record) == "right");
    }
  }
  CHECK(seen.size() > 10);
}

}  // namespace
}  // namespace tilewright
