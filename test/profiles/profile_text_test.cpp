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

TEST_CASE("writing and then parsing a profile gives the same profile") {
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

TEST_CASE("the digest of a profile is the one at the end of its text") {
  Profile profile = sample_profile();
  const auto ends_with_digest = [](const std::string& text, const Profile& of) {
    return text.ends_with("profile = \"" + compute_digest(of) + "\"\n");
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

TEST_CASE("strings are preserved, whatever they contain", "[long]") {
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
    profile.device.platform = profile.device.driver = profile.device.processor = odd;
    Provenance& provenance = profile.provenance;
    provenance.tool_version = provenance.command_line = provenance.space_digest = odd;
    provenance.statistic = provenance.date = odd;
    profile.kernels[0].name = odd + "0";
    profile.kernels[0].point = odd;
    profile.results[0].kernel = profile.models[0].kernel = profile.kernels[0].name;
    check_round_trip(profile);
  }
}

TEST_CASE("a processor is written where it is known") {
  Profile profile = sample_profile();
  CHECK(write_profile(profile).find("processor") == std::string::npos);
  profile.device.processor = "AuthenticAMD family 25 model 17";
  CHECK(write_profile(profile).find("\nopencl_c_version = \"OpenCL C 1.1\"\n"
                                    "processor = \"AuthenticAMD family 25 model 17\"\n\n") !=
        std::string::npos);
  check_round_trip(profile);
}

TEST_CASE("sources are preserved to the last byte") {
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

TEST_CASE("every seed is preserved") {
  for (const std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63,
        std::numeric_limits<std::uint64_t>::max(), std::uint64_t{9223372036854775807u}}) {
    Profile profile = sample_profile();
    profile.provenance.seed = seed;
    check_round_trip(profile);
  }
}

TEST_CASE("the work-items that share k are written as a third extent") {
  Profile profile = sample_profile();
  profile.kernels[0].work_group = {8, 4};
  profile.kernels[0].work_group_k = 8;
  const std::string text = write_profile(profile);
  CHECK(text.find("work_group = [8, 4, 8]\n") != std::string::npos);
  CHECK(parse_profile(text, "sample").kernels[0] == profile.kernels[0]);
}

TEST_CASE("extreme integers are preserved") {
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
  profile.kernels[0].iteration_k = kMax;
  profile.kernels[0].local_bytes = kMax64;
  profile.kernels[0].alignment = 16;
  profile.kernels[1].layout_a = *parse_layout("R 2147483647 1 C");
  profile.kernels[1].multiples.m = kMax;
  ShapeResult& result = profile.results[0];
  result.m = result.n = result.k = 2'000'000'000;
  result.samples = kMax;
  check_round_trip(profile);
}

TEST_CASE("every double is preserved bit by bit") {
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

TEST_CASE("the precision of a kernel is written unless it is single") {
  Profile profile = sample_profile();
  CHECK(write_profile(profile).find("precision = ") == std::string::npos);
  KernelRecord wide = profile.kernels.front();
  wide.name = "wide";
  wide.precision = Precision::kDouble;
  profile.kernels.push_back(wide);
  const std::string text = write_profile(profile);
  CHECK(text.find("\nprecision = \"d\"\n") != std::string::npos);
  CHECK(parse_profile(text, "test.toml") == profile);
}

TEST_CASE("the k steps that a kernel adds up in half precision are written") {
  Profile profile = sample_profile();
  for (const int steps : {8, kWholeK}) {
    KernelRecord half_precision = profile.kernels.front();
    half_precision.name = "half_sums_" + half_sums_text(steps);
    half_precision.precision = Precision::kHalf;
    half_precision.accumulate_k = steps;
    profile.kernels.push_back(half_precision);
  }
  const std::string text = write_profile(profile);
  CHECK(text.find("\naccumulate_k = \"8\"\n") != std::string::npos);
  CHECK(text.find("\naccumulate_k = \"all\"\n") != std::string::npos);
  CHECK(parse_profile(text, "test.toml") == profile);
  for (const char* no_steps : {"0", "-1", "", "8x", "2147483647", "99999999999"}) {
    CHECK_FALSE(parse_half_sums(no_steps));
  }
}

TEST_CASE("rates of double and half precision are written if they are known") {
  Profile profile = sample_profile();
  profile.rates.multiply_adds.push_back({4, "mad", 8.5, Precision::kDouble});
  profile.rates.double_peak_gflops = 8.75;
  profile.rates.half_is_emulated = true;
  const std::string text = write_profile(profile);
  CHECK(text.find("event_time = false\ndouble_peak_gflops = 8.75\nhalf_is_emulated = true\n") !=
        std::string::npos);
  CHECK(text.find("gflops = 8.5\nprecision = \"d\"\n") != std::string::npos);
  CHECK(parse_profile(text, "rates.toml") == profile);
  // Unknown rates are not written.
  const auto zero =
      find_refusal(edited(text, "double_peak_gflops = 8.75", "half_peak_gflops = 0.0"));
  REQUIRE(zero);
  CHECK(std::string(zero->what()).find("must be absent") != std::string::npos);
}

TEST_CASE("a validation is written for each type that has one") {
  Profile profile = sample_profile();
  CHECK(write_profile(profile).find("[[validation]]") == std::string::npos);
  profile.validations = {{60, 0.984, 0.91, 1.31, 0.75},
                         {24, 0.99, 0.95, 1.25, 1.0, Precision::kHalf, "board.toml", 1.125, 0.5}};
  const std::string text = write_profile(profile);
  CHECK(text.find("[[validation]]\nproducts = 60\nof_best = 0.984\nworst_of_best = 0.91\n"
                  "times_built_in = 1.31\nworst_times_built_in = 0.75\n\n"
                  "[[validation]]\nprecision = \"h\"\nproducts = 24\n") != std::string::npos);
  CHECK(text.find("worst_times_built_in = 1.0\nother_profile = \"board.toml\"\n"
                  "times_other = 1.125\nworst_times_other = 0.5\n") != std::string::npos);
  check_round_trip(profile);
  CHECK(find_refusal(edited(text, "products = 60", "products = 0")));
  CHECK(find_refusal(edited(text, "of_best = 0.984", "of_best = nan")));
  CHECK(find_refusal(edited(text, "precision = \"h\"\n", "")));
  CHECK(find_refusal(edited(text, "other_profile = \"board.toml\"\n", "")));
  CHECK(find_refusal(edited(text, "times_other = 1.125\n", "")));
}

TEST_CASE("what a profile does not cover is written where there is something") {
  Profile profile = sample_profile();
  CHECK(write_profile(profile).find("not_covered") == std::string::npos);
  profile.provenance.not_covered = "NT, TN";
  CHECK(write_profile(profile).find("Z\"\nnot_covered = \"NT, TN\"\n") != std::string::npos);
  check_round_trip(profile);
}

TEST_CASE("results of one kernel share a table") {
  Profile profile = sample_profile();
  const ShapeResult first = profile.results[0];
  const auto add = [&](std::int64_t m, double max_error) {
    profile.results.push_back(first);
    profile.results.back().m = m;
    profile.results.back().max_error = max_error;
  };
  profile.results.resize(1);
  add(65, 0.125);
  add(66, 0.5);  // another error
  add(66, 0.5);  // the same shape again
  CHECK(write_profile(profile).find("[[result]]\nkernel = \"gemm_nn\"\nop = \"NN\"\n"
                                    "max_error = 0.125\n"
                                    "64x32x128 = [990.25, 1000.5, 1100.0, 11]\n"
                                    "65x32x128 = [990.25, 1000.5, 1100.0, 11]\n\n"
                                    "[[result]]\n") != std::string::npos);
  check_round_trip(profile);
  for (std::int64_t m = 1000; m < 1600; ++m) add(m, 0.25);  // more than a table may hold
  check_round_trip(profile);
}

TEST_CASE("the extent of a packing result is written unless it is the default") {
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
  std::ofstream(path, std::ios::binary) << "format = 5\n";
  CHECK_THROWS_WITH(load_profile(path), path +
                                            ":1: format: is 5, but this program reads only "
                                            "profile format 1; install another release of "
                                            "tilewright, or tune the device again");
}

TEST_CASE("a file that cannot be read is reported without a line") {
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
