#include "profiles/profile.hpp"

#include "catch.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

bool names(const std::optional<std::string>& sentence, const std::string& word) {
  INFO((sentence ? *sentence : "no mismatch") << " should name " << word);
  return sentence && sentence->find(word) != std::string::npos;
}

TEST_CASE("a device matches its own profile") {
  const DeviceIdentity device = sample_profile().device;
  CHECK_FALSE(hard_mismatch(device, device));
  CHECK_FALSE(soft_mismatch(device, device));
}

TEST_CASE("a different device does not match the profile") {
  const DeviceIdentity profiled = sample_profile().device;
  DeviceIdentity device = profiled;
  SECTION("vendor") {
    device.vendor = "arm";
    CHECK(names(hard_mismatch(profiled, device), "vendor"));
    CHECK(names(hard_mismatch(profiled, device), "'arm'"));
  }
  SECTION("name") {
    device.name += " r1";
    CHECK(names(hard_mismatch(profiled, device), "name"));
  }
  SECTION("OpenCL C version") {
    device.opencl_c_version = "OpenCL C 1.2";
    CHECK(names(hard_mismatch(profiled, device), "opencl_c_version"));
  }
  SECTION("work-group size") {
    device.limits.max_work_group_size -= 1;
    CHECK(names(hard_mismatch(profiled, device),
                "max_work_group_size is 255 on this device, but the profile needs at least 256"));
  }
  SECTION("work-item sizes") {
    const int dimension = GENERATE(0, 1);
    device.limits.max_work_item_sizes[static_cast<std::size_t>(dimension)] -= 1;
    const std::string key = "max_work_item_sizes[" + std::to_string(dimension) + "]";
    CHECK(names(hard_mismatch(profiled, device), key));
  }
  SECTION("local memory") {
    device.limits.local_memory_bytes -= 1;
    CHECK(names(hard_mismatch(profiled, device), "local_memory_bytes"));
  }
  SECTION("kind of local memory") {
    device.limits.local_memory_is_dedicated = true;
    CHECK(names(hard_mismatch(profiled, device),
                "local memory is dedicated on this device, but not "
                "dedicated in the profile"));
    CHECK(names(hard_mismatch(device, profiled),
                "local memory is not dedicated on this device, but "
                "dedicated in the profile"));
  }
  SECTION("images lost") {
    device.limits.image_support = false;
    CHECK(
        names(hard_mismatch(profiled, device), "does not support images, which the profile needs"));
    CHECK_FALSE(hard_mismatch(device, profiled));
  }
}

TEST_CASE("another processor of the same name is a soft mismatch, an unknown one is none") {
  DeviceIdentity profiled = sample_profile().device;
  profiled.processor = "AuthenticAMD family 25 model 17";
  DeviceIdentity device = profiled;
  CHECK_FALSE(soft_mismatch(profiled, device));
  device.processor = "AuthenticAMD family 26 model 2";
  CHECK_FALSE(hard_mismatch(profiled, device));
  CHECK_THAT(soft_mismatch(profiled, device).value(),
             Catch::Matchers::ContainsSubstring("processor is 'AuthenticAMD family 26 model 2'"));
  device.processor = "";
  CHECK_FALSE(soft_mismatch(profiled, device));
  CHECK_FALSE(soft_mismatch(device, profiled));
}

TEST_CASE("a processor some of whose cores are offline is the same one") {
  const std::string little = "implementer 0x41 part 0xd03";
  const std::string big = "implementer 0x41 part 0xd09";
  CHECK_FALSE(is_other_processor(little + ", " + big, little));
  CHECK_FALSE(is_other_processor(big, little + ", " + big));
  CHECK(is_other_processor(little, big));
  CHECK(is_other_processor(little, little + "0"));
  CHECK(is_other_processor(little + ", " + big, little + ", implementer 0x41 part 0xd0b"));
}

TEST_CASE("a device with higher limits than the profile matches it") {
  const DeviceIdentity profiled = sample_profile().device;
  DeviceIdentity device = profiled;
  device.limits.max_work_group_size += 1;
  device.limits.max_work_item_sizes = {1024, 1024};
  device.limits.local_memory_bytes *= 2;
  CHECK_FALSE(hard_mismatch(profiled, device));
}

TEST_CASE("other software on the same hardware is a soft mismatch") {
  const DeviceIdentity profiled = sample_profile().device;
  DeviceIdentity device = profiled;
  device.max_clock_mhz = 5;
  CHECK_FALSE(soft_mismatch(profiled, device));
  device.driver = "1.2";
  device.compute_units = 6;
  CHECK_FALSE(hard_mismatch(profiled, device));
  CHECK(names(soft_mismatch(profiled, device), "but '1.1' in the profile"));
  CHECK(names(soft_mismatch(profiled, device), "compute_units"));
  CHECK_FALSE(names(soft_mismatch(profiled, device), "platform"));
  device.platform.clear();
  CHECK(names(soft_mismatch(profiled, device), "platform"));
}

TEST_CASE(
    "different software in a device's name is a soft mismatch, different hardware a hard one") {
  DeviceIdentity profiled = sample_profile().device;
  profiled.name = "llvmpipe (LLVM 15.0.6, 256 bits)";
  DeviceIdentity device = profiled;
  device.name = "llvmpipe (LLVM 19.1.7, 256 bits)";
  CHECK_FALSE(hard_mismatch(profiled, device));
  CHECK(names(soft_mismatch(profiled, device),
              "name is 'llvmpipe (LLVM 19.1.7, 256 bits)' on this device, but 'llvmpipe (LLVM "
              "15.0.6, 256 bits)' in the profile"));
  device.name = "llvmpipe (LLVM 15.0.6, 128 bits)";
  CHECK(names(hard_mismatch(profiled, device), "name is 'llvmpipe (LLVM 15.0.6, 128 bits)'"));
}

TEST_CASE("a predicted profile matches devices of its name with sufficient limits") {
  Profile profile = sample_profile();
  const DeviceIdentity device = profile.device;
  CHECK_FALSE(hard_mismatch(profile, device));
  profile.kind = ProfileKind::kPredicted;
  profile.device = {};
  profile.device.name = device.name.substr(0, 4);
  profile.device.limits = device.limits;
  profile.device.limits.local_memory_is_dedicated = !device.limits.local_memory_is_dedicated;
  CHECK_FALSE(hard_mismatch(profile, device));
  CHECK(names(soft_mismatch(profile, device), "not measured; run tilewright tune"));
  profile.device.limits.max_work_group_size = device.limits.max_work_group_size + 1;
  // Nothing was profiled, so the message does not mention a profiled device.
  CHECK(names(hard_mismatch(profile, device), "the profile needs at least 257"));
  profile.device.limits = device.limits;
  DeviceIdentity without_images = device;
  without_images.limits.image_support = false;
  CHECK(names(hard_mismatch(profile, without_images),
              "does not support images, which the profile "
              "needs"));
  profile.device.limits = {};
  profile.device.name = "x" + device.name;
  CHECK(names(hard_mismatch(profile, device), "it is for devices named"));
  profile.kind = ProfileKind::kGeneric;
  CHECK_FALSE(hard_mismatch(profile, device));
  CHECK_FALSE(soft_mismatch(profile, device));
}

TEST_CASE("a kind of GPU may have several names") {
  CHECK(names_kind("Mali-LODX r0p0", "Mali-G610|Mali-LODX"));
  CHECK(names_kind("Mali-G610 r0p0", "Mali-G610|Mali-LODX"));
  CHECK_FALSE(names_kind("Mali-G61", "Mali-G610|Mali-LODX"));
  CHECK_FALSE(names_kind("Mali-G6100 r0p0", "Mali-G610|Mali-LODX"));
  CHECK(names_kind("Mali-T764", "Mali-T62?|Mali-T76?"));
  // An empty name matches no device.
  for (const char* empty : {"", "|", "Mali-G71|", "|Mali-G71"}) {
    CHECK_FALSE(names_kind("Mali-LODX r0p0", empty));
  }
}

TEST_CASE("kernels are found by name") {
  const Profile profile = sample_profile();
  CHECK(find_kernel(profile, "gemm_nt") == &profile.kernels[1]);
  CHECK(find_kernel(profile, "gemm") == nullptr);
}

TEST_CASE("profile kinds have words") {
  for (const ProfileKind kind :
       {ProfileKind::kGeneric, ProfileKind::kTuned, ProfileKind::kPredicted}) {
    CHECK(parse_profile_kind(to_text(kind)) == kind);
  }
  CHECK(to_text(ProfileKind::kGeneric) == "generic");
  CHECK_FALSE(parse_profile_kind("Tuned"));
}

TEST_CASE(
    "a kernel that is faster than the micro-benchmarks raises the peak, which is then a lower bound") {
  DeviceRates rates;
  raise_peak(rates, 5.0);
  CHECK(rates.peak_gflops == 0.0);  // unknown
  rates.multiply_adds = {{1, "mad", 3.0}, {4, "mad", 10.0}};
  rates.peak_gflops = 10.0;
  CHECK(!is_raised_peak(rates));
  raise_peak(rates, 9.0);
  CHECK((rates.peak_gflops == 10.0 && !is_raised_peak(rates)));
  raise_peak(rates, 23.2);
  CHECK((rates.peak_gflops == 23.2 && is_raised_peak(rates)));
  // Half-precision arithmetic does not affect the single-precision peak.
  raise_peak(rates, 99.0, Precision::kHalf);
  CHECK(rates.peak_gflops == 23.2);
  raise_peak(rates, 99.0, Precision::kDouble);
  CHECK(rates.double_peak_gflops == 0.0);  // unknown
  rates.multiply_adds.push_back({4, "mad", 5.0, Precision::kDouble});
  rates.double_peak_gflops = 5.0;
  CHECK(!is_raised_peak(rates, Precision::kDouble));
  raise_peak(rates, 6.0, Precision::kDouble);
  CHECK((rates.double_peak_gflops == 6.0 && is_raised_peak(rates, Precision::kDouble)));
  CHECK(rates.peak_gflops == 23.2);
}

TEST_CASE(
    "half-precision kernels raise the single-precision peak, except with half-precision sums") {
  Profile profile = sample_profile();
  profile.rates = {};
  profile.rates.multiply_adds = {{4, "mad", 10.0}, {4, "mad", 15.0, Precision::kHalf}};
  profile.rates.peak_gflops = 10.0;
  profile.rates.half_peak_gflops = 15.0;
  // For half precision, either peak may be the upper bound.
  CHECK(product_peak(profile.rates, Precision::kSingle) == 10.0);
  CHECK(product_peak(profile.rates, Precision::kHalf) == 15.0);
  CHECK_FALSE(is_raised_peak(profile.rates, Precision::kHalf));
  KernelRecord& kernel = profile.kernels.front();
  kernel.precision = Precision::kHalf;
  ShapeResult result;
  result.kernel = kernel.name;
  result.m = 10;
  result.n = result.k = 1;
  result.median_ns = 1.0;  // 20 GFLOPS
  result.samples = 5;
  profile.results = {result};
  kernel.accumulate_k = 8;
  raise_peaks(profile);
  CHECK(profile.rates.peak_gflops == 10.0);
  CHECK(profile.rates.half_peak_gflops == 15.0);
  kernel.accumulate_k = 0;
  raise_peaks(profile);
  CHECK(profile.rates.peak_gflops == 20.0);
  CHECK(product_peak(profile.rates, Precision::kHalf) == 20.0);
  CHECK(is_raised_peak(profile.rates, Precision::kHalf));
}

TEST_CASE("results with a bias or an activation do not raise the peak") {
  Profile profile = sample_profile();
  profile.rates = {};
  profile.rates.multiply_adds = {{4, "mad", 516.0}};
  profile.rates.peak_gflops = 516.0;
  KernelRecord& kernel = profile.kernels.front();
  kernel.precision = Precision::kSingle;
  kernel.accumulate_k = 0;
  ShapeResult result;
  result.kernel = kernel.name;
  result.m = 439;
  result.n = result.k = 1;
  result.median_ns = 1.0;  // 878 GFLOPS
  profile.results = {result};
  kernel.bias = Dimension::kN;
  raise_peaks(profile);
  CHECK(profile.rates.peak_gflops == 516.0);
  kernel.bias = Dimension::kNone;
  kernel.activation = Activation::kRelu;
  raise_peaks(profile);
  CHECK(profile.rates.peak_gflops == 516.0);
  kernel.activation = Activation::kIdentity;
  raise_peaks(profile);
  CHECK(profile.rates.peak_gflops == 878.0);
}

}  // namespace
}  // namespace tilewright
