#include "tuner/measure/device/limits_file.hpp"

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include "catch.hpp"
#include "codelets/model/expectation.hpp"
#include "codelets/model/score.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

const std::string kGood =
    "# a Mali\n"
    "max_work_group_size = 256\n"
    "max_work_item_sizes = [256, 128]\n"
    "max_vector_width = 8\n"
    "register_floats = 64\n"
    "group_floats = 4096\n"
    "local_memory_bytes = 0\n"
    "local_memory_is_dedicated = false\n"
    "image_support = true\n";

constexpr const char* kPath = "limits_file_test.toml";

DeviceInfo device(const std::string& text) {
  std::ofstream(kPath) << text;
  const auto remove = [](const char* path) { std::remove(path); };
  const std::unique_ptr<const char, decltype(remove)> file(kPath, remove);
  return read_device(kPath);
}

std::string message(const std::string& text) {
  try {
    device(text);
  } catch (const ProfileError& error) {
    return error.what();
  }
  return "accepted";
}

// Returns the error for the valid file with one text replaced.
std::string spoilt(const std::string& from, const std::string& to) {
  std::string text = kGood;
  text.replace(text.find(from), from.size(), to);
  return message(text);
}

TEST_CASE("a limits file contains the limits of a device") {
  const SpaceLimits limits = device(kGood).limits;
  CHECK(limits.max_work_group_size == 256);
  CHECK(limits.max_work_item_sizes == std::array<std::int64_t, 2>{256, 128});
  CHECK(limits.max_vector_width == 8);
  CHECK(limits.register_floats == 64);
  CHECK(limits.group_floats == 4096);
  CHECK(limits.local_memory_bytes == 0);
  CHECK_FALSE(limits.local_memory_is_dedicated);
  CHECK(limits.image_support);
}

TEST_CASE("an invalid limits file is rejected with file, line and key") {
  const std::string file = kPath;
  CHECK(spoilt("register_floats", "registers") == file + ":1: register_floats: is missing");
  CHECK(message(kGood + "colour = \"red\"\n") == file + ":10: colour: is an unknown key");
  CHECK(spoilt("= 64", "= \"64\"") ==
        file + ":5: register_floats: must be an integer, not a string");
  CHECK(spoilt("= 64", "= 64.0") == file + ":5: register_floats: must be an integer, not a float");
  CHECK(spoilt("= 64", "= 0").find(file + ":5: register_floats: must be at least 1") == 0);
  CHECK(spoilt("= 0", "= -1").find(file + ":7: local_memory_bytes: must be at least 0") == 0);
  CHECK(spoilt("[256, 128]", "[256]") == file + ":3: max_work_item_sizes: must have 2 elements");
  CHECK(spoilt("= true", "= 1") == file + ":9: image_support: must be a boolean, not an integer");
  CHECK(spoilt("= true", "= tru").find(file + ":9: image_support: ") == 0);
  CHECK(message(kGood + "image_support = true\n").find(file + ":10: image_support: ") == 0);
  CHECK(message("[[[[").find(file + ":1: ") == 0);
  CHECK_THROWS_AS(read_device("/no/such/limits.toml"), ProfileError);
}

const std::string kGpu =
    "[gpu]\n"
    "name = \"Mali-T628\"\n"
    "architecture = \"midgard\"\n"
    "compute_units = 4\n"
    "clock_mhz = 600\n"
    "vector_width = 4\n"
    "preferred_work_group_multiple = 4\n"
    "fma_per_clock = 8\n"
    "has_fma = false\n"
    "registers = [4, 8, 16]\n"
    "resident_work_items = [256, 128, 64]\n"
    "l1_bytes = 16384\n"
    "l2_bytes = 0\n"
    "cache_line_bytes = 64\n"
    "watchdog_ms = 500\n";

std::string spoilt_gpu(const std::string& from, const std::string& to) {
  std::string text = kGood + kGpu;
  text.replace(text.find(from), from.size(), to);
  return message(text);
}

TEST_CASE("a limits file may contain the facts about a GPU, all of them or none") {
  CHECK(message(kGood + kGpu) == "accepted");
  const std::string file = kPath;
  CHECK(spoilt_gpu("clock_mhz", "clock") == file + ":10: gpu.clock_mhz: is missing");
  CHECK(spoilt_gpu("midgard", "voodoo") ==
        file +
            ":12: gpu.architecture: is not one of midgard, bifrost, valhall, adreno, rogue, gen, "
            "xe, gcn, rdna, videocore");
  CHECK(spoilt_gpu("[4, 8, 16]", "[4, 16, 8]") == file + ":19: gpu.registers: must ascend");
  CHECK(spoilt_gpu("[256, 128, 64]", "[256, 128]") ==
        file + ":20: gpu.resident_work_items: must have as many elements as the key registers");
  CHECK(spoilt_gpu("[256, 128, 64]", "[64, 128, 256]") ==
        file + ":20: gpu.resident_work_items: must descend");
  CHECK(spoilt_gpu("vector_width = 4", "vector_width = 0") ==
        file + ":15: gpu.vector_width: must be at least 1");
  CHECK(message(kGood + kGpu + "colour = 1\n") == file + ":25: gpu.colour: is an unknown key");
}

TEST_CASE("a limits file may contain multiply-adds in double and half precision") {
  const std::string text = kGood + kGpu;
  const std::string file = kPath;
  const GpuFacts both = device(text + "double_fma_per_clock = 2\nhalf_fma_per_clock = 16\n").gpu;
  CHECK(both.arithmetic_fma_per_clock(Precision::kSingle) == 8);
  CHECK(both.arithmetic_fma_per_clock(Precision::kDouble) == 2);
  CHECK(both.arithmetic_fma_per_clock(Precision::kHalf) == 16);
  const GpuFacts neither = device(text).gpu;
  CHECK(neither.arithmetic_fma_per_clock(Precision::kDouble) == 0);
  CHECK(neither.arithmetic_fma_per_clock(Precision::kHalf) == 0);
  CHECK(message(text + "half_fma_per_clock = -1\n").find(file + ":25: gpu.half_fma_per_clock: ") ==
        0);
  const GpuFacts known = read_device("mali-g610").gpu;
  CHECK(known.arithmetic_fma_per_clock(Precision::kSingle) == 64);
  CHECK(known.arithmetic_fma_per_clock(Precision::kHalf) == 128);
  CHECK(known.arithmetic_fma_per_clock(Precision::kDouble) == 0);
}

TEST_CASE("a limits file may contain aliases of its GPU, none of them empty or duplicate") {
  const std::string file = kPath;
  const auto with = [](const std::string& aliases) {
    return message(kGood + kGpu + "aliases = \"" + aliases + "\"\n");
  };
  CHECK(with("Mali-T62x") == "accepted");
  CHECK(with("Mali-T62x|Mali-T62y") == "accepted");
  const std::string empty = file + ":25: gpu.aliases: has an empty name";
  const std::string twice = file + ":25: gpu.aliases: has a name twice";
  CHECK(with("") == empty);
  CHECK(with("Mali-T62x|") == empty);
  CHECK(with("|Mali-T62x") == empty);
  CHECK(with("Mali-T62x||Mali-T62y") == empty);
  CHECK(with("Mali-T62x|Mali-T62x") == twice);
  CHECK(with("Mali-T628") == twice);
  CHECK(spoilt_gpu("\"Mali-T628\"", "\"A|B\"") == file + ":11: gpu.name: is not a name");
  CHECK(spoilt_gpu("\"Mali-T628\"", "\"\"") == file + ":11: gpu.name: is not a name");
}

// Returns a name of one GPU that also matches a different GPU; "" if there is none. The two devices
// of a Mali-T628 have the same name.
std::string ambiguous_name(const std::vector<DeviceInfo>& devices) {
  for (const DeviceInfo& one : devices) {
    for (const DeviceInfo& other : devices) {
      if (one.gpu.name == other.gpu.name) continue;
      std::istringstream kinds(one.gpu.kinds);
      for (std::string name; std::getline(kinds, name, '|');) {
        if (names_kind(name, other.gpu.kinds)) return name;
      }
    }
  }
  return "";
}

TEST_CASE("no name matches two different known GPUs") {
  std::vector<DeviceInfo> devices;
  for (const std::string& name : known_devices()) devices.push_back(read_device(name));
  CHECK(ambiguous_name(devices) == "");
  devices.back().gpu.kinds += "|Mali-LODX";
  CHECK(ambiguous_name(devices) == "Mali-LODX");
}

TEST_CASE("a device that is only described by a file has the limits of its file") {
  const DeviceInfo paper = read_device("mali-g610");
  CHECK(paper.kind == DeviceKind::kGpu);
  CHECK(paper.identity.name == "Mali-G610");
  CHECK(paper.identity.limits == paper.limits);
  CHECK(paper.identity.limits.max_work_group_size == 1024);
  CHECK(paper.identity.compute_units == 4);
}

TEST_CASE("known devices are found by name, each with all facts") {
  const std::vector<std::string> names = known_devices();
  REQUIRE(names.size() >= 23);
  for (const std::string& name : names) {
    INFO(name);
    const DeviceInfo device = read_device(name);
    CHECK(device.gpu.known());
    CHECK(device.gpu.compute_units > 0);
    CHECK(device.gpu.clock_mhz > 0);
    CHECK(device.gpu.fma_per_clock > 0);
    CHECK(device.gpu.preferred_work_group_multiple > 0);
    CHECK(device.gpu.cache_line_bytes >= 64);
    if (name.find("mali-") == 0) CHECK_FALSE(device.limits.local_memory_is_dedicated);
    // Vectors are at most as wide as a vector register, if the GPU has vector registers.
    CHECK(device.limits.max_vector_width == (device.gpu.vector_width > 1 ? 4 : 16));
    CHECK(device.limits.register_floats == device.gpu.registers.back() * device.gpu.vector_width);
    CHECK(device.native_vector_width == device.gpu.vector_width);
    CHECK(device.min_work_group == device.gpu.preferred_work_group_multiple);
    // The models must support it, whatever its architecture.
    const GemmPoint point = std::get<GemmPoint>(
        parse_point("tile_m=4 tile_n=4 work_group_m=8 work_group_n=16 access=aligned"));
    CHECK(explain(point, device.gpu).size() == 4);
    CHECK(expected_share(point, device.gpu) > 0.0);
  }
  CHECK(read_device("mali-t628").gpu.compute_units == 4);
  CHECK(read_device("mali-t628-2-cores").gpu.compute_units == 2);
  CHECK(message("") != "accepted");
  try {
    read_device("mali-t629");
    FAIL("there is no such device");
  } catch (const ProfileError& error) {
    const std::string text = error.what();
    CHECK(text.find(
              "mali-t629: cannot be opened: No such file or directory; the known devices are ") ==
          0);
    CHECK(text.find("mali-t628, mali-t628-2-cores, mali-t760") != std::string::npos);
  }
}

TEST_CASE("a device is recognized as a known GPU by its name and its compute units") {
  DeviceIdentity device;
  device.name = "Mali-T628";
  device.compute_units = 2;
  CHECK(known_gpu(device).compute_units == 2);
  device.compute_units = 4;
  CHECK(known_gpu(device).compute_units == 4);
  device.compute_units = 6;
  CHECK(known_gpu(device).name == "Mali-T628");
  device.name = "Mali-T764 r0p0";
  CHECK(known_gpu(device).name == "Mali-T76?");
  device.name = "Mali-G71 r0p0";
  CHECK(known_gpu(device).name == "Mali-G71");
  // Later GPUs, about which nothing is known.
  for (const char* later : {"Mali-G710", "Mali-G715 r0p0", "Mali-G720", "Mali-G310", "Mali-G510"}) {
    device.name = later;
    CHECK_FALSE(known_gpu(device).known());
  }
  // GPUs that are recognized by an alias, and by the driver version.
  device.name = "Mali-LODX r0p0";
  CHECK(known_gpu(device).name == "Mali-G610");
  device.name = "Mali-T86x MP4 r2p0 0x0860";
  CHECK(known_gpu(device).name == "Mali-T86?");
  device.name = "QUALCOMM Adreno(TM) 730";
  CHECK(known_gpu(device).architecture == "adreno");
  device.name = "QUALCOMM Adreno(TM)";
  CHECK_FALSE(known_gpu(device).known());
  device.driver = "OpenCL 2.0 QUALCOMM build: commit, OpenCL 2.0 Adreno(TM) 640";
  CHECK(known_gpu(device).name == "Adreno(TM) 640");
  device.driver = "";
  device.name = "Intel(R) UHD Graphics 620";
  CHECK(known_gpu(device).architecture == "gen");
  device.name = "gfx1030";
  CHECK_FALSE(known_gpu(device).known());
  device.name = "Radeon";
  CHECK_FALSE(known_gpu(device).known());
}

}  // namespace
}  // namespace tilewright
