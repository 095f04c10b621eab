#include "profiles/profile_text.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>

#include "catch.hpp"
#include "sample.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

void check_round_trip(const Profile& profile) {
  const std::string text = write_profile(profile);
  INFO(text);
  CHECK(parse_profile(text, "test.toml") == profile);
  CHECK(write_profile(parse_profile(text, "test.toml")) == text);
}

TEST_CASE("writing then parsing is identity") {
  check_round_trip(sample_profile());
  Profile bare = sample_profile();
  bare.kernels.resize(1);
  bare.results.clear();
  bare.pack_results.clear();
  bare.models.clear();
  bare.rates = {};
  check_round_trip(bare);
  Profile generic = bare;
  generic.kind = ProfileKind::kGeneric;
  generic.device = {};
  generic.provenance = {};
  check_round_trip(generic);
}

TEST_CASE("the digest of a profile is the one that its text ends with") {
  Profile profile = sample_profile();
  const auto ends_with_digest = [](const std::string& text, const Profile& of) {
    return text.ends_with("profile = \"" + digest_of(of) + "\"\n");
  };
  CHECK(ends_with_digest(write_profile(profile), profile));
  const std::string before = write_profile(profile);
  profile.provenance.seed += 1;
  CHECK_FALSE(ends_with_digest(before, profile));
}

TEST_CASE("a generic profile's device and rates are not written") {
  Profile generic = sample_profile();
  generic.kind = ProfileKind::kGeneric;
  generic.results.clear();
  generic.pack_results.clear();
  generic.models.clear();
  const std::string text = write_profile(generic);
  CHECK(text.find("[device") == std::string::npos);
  CHECK(text.find("[rates") == std::string::npos);
  CHECK(text.find("[[multiply_add") == std::string::npos);
  CHECK(parse_profile(text, "test.toml").device == DeviceIdentity{});
  CHECK(parse_profile(text, "test.toml").rates == DeviceRates{});
}

TEST_CASE("strings survive whatever is in them", "[long]") {
  std::string all_ascii;
  for (char c = 0; c < 0x7f; ++c) all_ascii += c;
  all_ascii += '\x7f';
  for (const std::string& odd :
       {all_ascii, std::string(), std::string("\"\"\""), std::string("'''"), std::string("\\"),
        std::string("[digest]\nprofile = \"x\"\n"), std::string("a\r\nb\n\n"), std::string(" # "),
        std::string("\\u0041\\"), std::string("\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa6\x8e"),
        std::string("\xc2\x85\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf\xef\xbf\xbe\xc2\xa0"),
        std::string(100'000, 'x')}) {
    Profile profile = sample_profile();
    profile.device.vendor = profile.device.name = profile.device.opencl_c_version = odd;
    profile.device.platform = profile.device.driver = odd;
    Provenance& provenance = profile.provenance;
    provenance.tool_version = provenance.command_line = provenance.space_digest = odd;
    provenance.statistic = provenance.date = odd;
    profile.kernels[0].name = odd + "0";
    profile.kernels[0].point = odd;
    profile.results[0].kernel = profile.models[0].kernel = profile.kernels[0].name;
    check_round_trip(profile);
  }
}

TEST_CASE("sources survive to the last byte") {
  const std::string source = sample_source("gemm_nn");
  for (const std::string& odd :
       {source, "\n" + source, "\n\n\n" + source + "\n\n", source + "// no line break",
        source + "// one apostrophe '", source + "// two apostrophes ''", "  \t " + source + " \t ",
        source + "/* [digest]\nprofile = \"xxh3-0\"\n*/", source + "// \"\"\" '' \"\n"}) {
    Profile profile = sample_profile();
    profile.kernels[0].source = odd;
    check_round_trip(profile);
  }
}

TEST_CASE("every seed survives") {
  for (const std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63,
        std::numeric_limits<std::uint64_t>::max(), std::uint64_t{9223372036854775807u}}) {
    Profile profile = sample_profile();
    profile.provenance.seed = seed;
    check_round_trip(profile);
  }
}

TEST_CASE("the work-items that share k are a third extent") {
  Profile profile = sample_profile();
  profile.kernels[0].work_group = {8, 4};
  profile.kernels[0].work_group_k = 8;
  const std::string text = write_profile(profile);
  CHECK(text.find("work_group = [8, 4, 8]\n") != std::string::npos);
  CHECK(parse_profile(text, "sample").kernels[0] == profile.kernels[0]);
}

TEST_CASE("extreme integers survive") {
  Profile profile = sample_profile();
  constexpr int kMax = std::numeric_limits<int>::max();
  constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();
  profile.device.limits.max_work_group_size = kMax64;
  profile.device.limits.max_work_item_sizes = {kMax64, kMax64};
  profile.device.limits.local_memory_bytes = kMax64;
  profile.device.compute_units = profile.device.max_clock_mhz = kMax;
  profile.kernels[0].work_group = {kMax, kMax};
  profile.kernels[0].tile = profile.kernels[0].multiples = {kMax, kMax, kMax};
  profile.kernels[0].split_k = kMax;
  profile.kernels[0].turn_k = kMax;
  profile.kernels[0].local_bytes = kMax64;
  profile.kernels[0].alignment = 1 << 30;
  profile.kernels[1].layout_a = *parse_layout("R 2147483647 1 C");
  profile.kernels[1].multiples.m = kMax;
  ShapeResult& result = profile.results[0];
  result.m = result.n = result.k = kMax64;
  result.samples = kMax;
  const auto extent = static_cast<double>(kMax64);
  result.gflops = 2.0 * extent * extent * extent / result.median_ns;
  check_round_trip(profile);
}

TEST_CASE("every double survives, bit by bit") {
  constexpr unsigned kSeed = 20140701;
  std::mt19937_64 random(kSeed);
  Profile profile = sample_profile();
  profile.kernels.resize(1);
  const ShapeResult form = profile.results[0];
  profile.results.clear();
  profile.pack_results.clear();
  profile.models.clear();
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t bits = random() & 0x7fff'ffff'ffff'ffffu;
    double error = 0.0;
    std::memcpy(&error, &bits, sizeof error);
    profile.results.push_back(form);
    profile.results.back().max_error = error < 1.0 ? error : 0.0;
    const double time = std::uniform_real_distribution<double>(1.0, 1e12)(random);
    profile.results.back().low_ns = profile.results.back().median_ns = time;
    profile.results.back().high_ns = time * 3;
    profile.results.back().gflops = 2.0 * 64 * 32 * 128 / time;
  }
  const double special[] = {0.0,
                            std::numeric_limits<double>::denorm_min(),
                            std::numeric_limits<double>::min(),
                            0.1,
                            1.0 / 3.0,
                            1.0 - std::numeric_limits<double>::epsilon() / 2};
  for (std::size_t i = 0; i < std::size(special); ++i) profile.results[i].max_error = special[i];
  profile.results[0].high_ns = 1e15;
  profile.results[1].high_ns = std::nextafter(1e15, 0.0);
  profile.results[2].high_ns = 9007199254740993e-2;
  const Profile read = parse_profile(write_profile(profile), "test.toml");
  REQUIRE(read.results.size() == profile.results.size());
  CHECK(read == profile);
}

TEST_CASE("a negative zero keeps its sign") {
  Profile profile = sample_profile();
  profile.results[0].max_error = -0.0;
  const Profile read = parse_profile(write_profile(profile), "test.toml");
  CHECK(std::signbit(read.results[0].max_error));
}

TEST_CASE("a profile with kernels of doubles is of format 3, others stay of format 2") {
  Profile profile = sample_profile();
  CHECK(write_profile(profile).find("\nformat = 2\n") != std::string::npos);
  KernelRecord wide = profile.kernels.front();
  wide.name = "wide";
  wide.precision = Precision::kDouble;
  profile.kernels.push_back(wide);
  const std::string text = write_profile(profile);
  CHECK(text.find("\nformat = 3\n") != std::string::npos);
  CHECK(text.find("\nprecision = \"d\"\n") != std::string::npos);
  CHECK(parse_profile(text, "test.toml") == profile);
}

// The text of format 2. If this test fails the format has changed, and kProfileFormat must.
constexpr std::string_view kGolden =
    R"(# A tilewright profile, read by programs (docs/profile-format.md). After an edit its digests are wrong.
format = 2
kind = "tuned"

[device]
vendor = "ARM"
name = "Mali-T628"
opencl_c_version = "OpenCL C 1.1"

[device.limits]
max_work_group_size = 256
max_work_item_sizes = [255, 128]
local_memory_bytes = 32768
local_memory_is_dedicated = false
image_support = true

[device.soft]
platform = "ARM Platform OpenCL 1.1"
driver = "1.1"
compute_units = 4

[device.information]
max_clock_mhz = 600

[provenance]
tool_version = "0.1.0"
command_line = "tilewright tune --seed 42"
seed = "42"
space_digest = "xxh3-4b92a46002e8ebc451482bd07003d2fb"
complete = true
statistic = "median of samples, 10th and 90th percentile"
date = "2014-07-01T12:00:00Z"

[rates]
peak_gflops = 17.25
copy_gbytes_per_s = 5.5
local_gbytes_per_s = 12.25
image_gbytes_per_s = 9.75
launch_ns = 21000.0
round_trip_ns = 85000.5
timer_step_ns = 1000.0
event_time = false

[[multiply_add]]
vector_width = 4
spelling = "expression"
gflops = 11.5

[[multiply_add]]
vector_width = 4
spelling = "mad"
gflops = 17.25

[[multiply_add]]
vector_width = 8
spelling = "fma"
gflops = 0.5

[[kernel]]
name = "gemm_nn"
role = "gemm"
entry = "gemm_nn"
build_options = "-cl-mad-enable -cl-std=CL1.1"
work_group = [8, 4]
id_order = "nm"
split_k = 1
local_bytes = 0
tile = [4, 8, 2]
narrow = "none"
layout_a = "R"
layout_b = "R"
layout_c = "R"
images = ""
edges = "guarded"
multiples = [1, 1, 1]
alignment = 1
epilogue = "alpha_beta"
bias = "none"
activation = "identity"
point = "tile_m=4 tile_n=8 tile_k=2"
vector_width = 1
turn_k = 1
family = ""
digest = "xxh3-bade1232b0cd8686044ceb900efdebe5"
source = '''
// For tests: it's no product.
__kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void gemm_nn(__global float* restrict c) {
  c[get_global_id(0)] = 0.0f;
}
'''

[[kernel]]
name = "pack_rc"
role = "pack"
entry = "pack_rc"
build_options = "-cl-mad-enable -cl-std=CL1.1"
work_group = [32, 4]
id_order = "mn"
split_k = 1
local_bytes = 0
tile = [4, 8, 2]
narrow = "none"
layout_a = "R"
layout_c = "C"
images = ""
edges = "guarded"
multiples = [4, 8, 16]
alignment = 1
epilogue = "none"
bias = "none"
activation = "identity"
point = "tile_m=4 tile_n=8 tile_k=2"
vector_width = 1
turn_k = 1
family = ""
digest = "xxh3-cfd7801070ea0953e006e2596f6a91e8"
source = '''
// For tests: it's no product.
__kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void pack_rc(__global float* restrict c) {
  c[get_global_id(0)] = 0.0f;
}
'''

[[result]]
op = "NN"
m = 64
n = 32
k = 128
kernel = "gemm_nn"
median_ns = 1000.5
low_ns = 990.25
high_ns = 1100.0
samples = 11
gflops = 524.0259870064967
max_error = 0.125

[[pack_result]]
kernel = "pack_rc"
ns_per_element = 1.75

[[model]]
kernel = "gemm_nn"
fixed_ns = 2000.5
even_ps = 1.5
whole_ps = 0.75
group_ps = 0.25
element_ps = 12.5
byte_ps = 0.125
far_ps = 0.0625
narrow_ps = 48.5
error = 0.03125

[digest]
profile = "xxh3-7ed15202891d73a0f628eb9ab8c7829a"
)";

TEST_CASE("the text of a small profile is this, to the byte") {
  Profile profile = sample_profile();
  profile.kernels = {profile.kernels[0], profile.kernels[2]};
  profile.results.resize(1);
  CHECK(write_profile(profile) == kGolden);
  CHECK(parse_profile(kGolden, "golden.toml") == profile);
}

TEST_CASE("what counts as compared with the built-in kernels is written where it does") {
  Profile profile = sample_profile();
  profile.results[0].compared = true;
  const std::string text = write_profile(profile);
  CHECK(text.find("compared = true\n") == text.rfind("compared = true\n"));
  CHECK(parse_profile(text, "compared") == profile);
}

TEST_CASE("the extent of a packing result is written where it is not the usual one") {
  Profile profile = sample_profile();
  profile.pack_results.push_back(profile.pack_results[0]);
  profile.pack_results[1].extent = kLargeMovedExtent;
  const std::string text = write_profile(profile);
  CHECK(text.find("ns_per_element = 1.75\nextent = 4000\n") != std::string::npos);
  CHECK(parse_profile(text, "large.toml") == profile);
}

TEST_CASE("profiles are loaded from files") {
  const TemporaryFolder folder;
  const std::string path = folder.file("profile.toml");
  std::ofstream(path, std::ios::binary) << write_profile(sample_profile());
  CHECK(load_profile(path) == sample_profile());
  std::ofstream(path, std::ios::binary) << "format = 4\n";
  CHECK_THROWS_WITH(load_profile(path), path +
                                            ":1: format: is 4, but this program understands "
                                            "only profile formats 1 to 3");
}

TEST_CASE("a file that cannot be read is named, without a line") {
  for (const std::string path : {"/nowhere/profile.toml", "/tmp", ""}) {
    try {
      load_profile(path);
      FAIL("was loaded: " << path);
    } catch (const ProfileError& error) {
      CHECK(error.line() == 0);
      CHECK(error.file() == path);
      CHECK(error.key().empty());
      CHECK(std::string(error.what()).starts_with(path + ": "));
    }
  }
}

}  // namespace
}  // namespace tilewright
