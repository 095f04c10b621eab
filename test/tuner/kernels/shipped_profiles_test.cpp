// Tests that shipped profiles can be read and that their kernels are correct: on the test device,
// for the kernels that it can run, whatever device they were tuned for.
//
// TILEWRIGHT_TEST_ALL=1: every kernel instead of 30; compiling takes minutes
// TILEWRIGHT_TEST_SEED=2: another sample (default 1)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <string>

#include "catch.hpp"
#include "point_verdict.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/device_identity.hpp"
#include "session.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kUsualSample = 30;

const char* setting(const char* name, const char* usual) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : usual;
}

constexpr const char* kTuned = TILEWRIGHT_SHIPPED_PROFILES;
constexpr const char* kStarters = TILEWRIGHT_STARTER_PROFILES;

std::vector<std::filesystem::path> shipped(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
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

TEST_CASE("every shipped profile records its origin") {
  REQUIRE(shipped(kTuned).size() > 1);
  for (const auto& file : shipped(kTuned)) {
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

struct Shipped {
  std::string file;  // the first file that contains it
  KernelRecord record;
};

// Returns every shipped kernel that the device can run, once, because profiles of similar GPUs have
// kernels in common.
std::vector<Shipped> distinct_kernels(const DeviceLimits& limits) {
  std::vector<Shipped> kernels;
  for (const char* folder : {kTuned, kStarters}) {
    for (const auto& file : shipped(folder)) {
      for (const KernelRecord& record : load_profile(file.string()).kernels) {
        const auto is_same = [&](const Shipped& other) { return other.record == record; };
        if (!may_run(record, limits) || std::any_of(kernels.begin(), kernels.end(), is_same)) {
          continue;
        }
        kernels.push_back({file.filename().string(), record});
      }
    }
  }
  return kernels;
}

// Returns a random kernel of each file, then random ones of all files, up to `most`.
std::vector<Shipped> draw_sample(std::vector<Shipped> kernels, std::size_t most,
                                 std::uint64_t seed) {
  std::mt19937_64 random(seed);
  // std::shuffle() differs between standard libraries, and a seed must always give the same sample.
  for (std::size_t left = kernels.size(); left > 1; --left) {
    std::swap(kernels[left - 1], kernels[static_cast<std::size_t>(random() % left)]);
  }
  std::set<std::string> files;
  std::vector<Shipped> chosen;
  std::vector<Shipped> others;
  for (Shipped& kernel : kernels) {
    const bool is_first = files.insert(kernel.file).second;
    (is_first ? chosen : others).push_back(std::move(kernel));
  }
  chosen.insert(chosen.end(), others.begin(), others.end());
  if (chosen.size() > most)
    chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(most), chosen.end());
  return chosen;
}

TEST_CASE("the verified kernels are a sample with one kernel of every profile") {
  const DeviceLimits limits = identify(*find_test_device()).limits;
  const std::vector<Shipped> all = distinct_kernels(limits);
  const auto profile_files = [](const std::vector<Shipped>& kernels) {
    std::set<std::string> files;
    for (const Shipped& kernel : kernels) files.insert(kernel.file);
    return files;
  };
  const auto kernel_names = [](const std::vector<Shipped>& kernels) {
    std::vector<std::string> names;
    for (const Shipped& kernel : kernels) names.push_back(kernel.file + " " + kernel.record.name);
    return names;
  };
  REQUIRE(all.size() > kUsualSample);
  CHECK(draw_sample(all, all.size(), 1).size() == all.size());
  CHECK(draw_sample(all, kUsualSample, 1).size() == kUsualSample);
  CHECK(profile_files(draw_sample(all, kUsualSample, 1)) == profile_files(all));
  CHECK(kernel_names(draw_sample(all, kUsualSample, 1)) ==
        kernel_names(draw_sample(all, kUsualSample, 1)));
  CHECK(kernel_names(draw_sample(all, kUsualSample, 1)) !=
        kernel_names(draw_sample(all, kUsualSample, 2)));
}

TEST_CASE("shipped kernels are correct on the test device") {
  const TestDevice d;
  const std::vector<Shipped> all = distinct_kernels(identify(d.device).limits);
  const std::uint64_t seed = std::strtoull(setting("TILEWRIGHT_TEST_SEED", "1"), nullptr, 10);
  const bool every = setting("TILEWRIGHT_TEST_ALL", "0") == std::string_view("1");
  const auto chosen = draw_sample(all, every ? all.size() : kUsualSample, seed);
  const GemmShape shapes[] = {{1, 1, 1}, {37, 53, 41}, {128, 64, 32}, {65, 130, 17}, {3, 34, 4099}};
  Verifier verifier(d, shapes);
  int right = 0;
  for (const Shipped& kernel : chosen) {
    INFO(kernel.file << ": " << kernel.record.name);
    const std::string verdict = verifier.verdict(kernel.record);
    if (verdict.rfind("too large: ", 0) == 0) {
      count_skipped_part(kernel.file + ": " + kernel.record.name + ": " + verdict);
      continue;
    }
    CHECK(verdict == "right");
    ++right;
  }
  CHECK(right > 0);
  std::printf("seed %llu: of %zu distinct kernels that ship, %zu were tried, %d are right\n",
              static_cast<unsigned long long>(seed), all.size(), chosen.size(), right);
}

TEST_CASE("every starter profile is predicted, small, and for a different device") {
  std::set<std::pair<std::string, int>> devices;
  for (const auto& file : shipped(kStarters)) {
    INFO(file);
    const Profile profile = load_profile(file.string());
    CHECK(profile.kind == ProfileKind::kPredicted);
    CHECK(std::filesystem::file_size(file) <= 124 * 1024);
    CHECK(devices.insert({profile.device.name, profile.device.compute_units}).second);
    std::set<Op> ops;
    std::set<Op> half_precision;
    for (const ShapeResult& result : profile.results) {
      const bool half = find_kernel(profile, result.kernel)->precision == Precision::kHalf;
      (half ? half_precision : ops).insert(result.op);
    }
    CHECK(ops.size() >= 3);
    CHECK(half_precision.size() >= 2);
  }
  CHECK(devices.size() >= 14);
  // The name of an RK3588's Mali-G610 in its driver.
  CHECK(std::any_of(devices.begin(), devices.end(),
                    [](const auto& device) { return names_kind("Mali-LODX r0p0", device.first); }));
}

}  // namespace
}  // namespace tilewright
