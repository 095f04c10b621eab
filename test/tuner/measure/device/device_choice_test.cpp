// Tests of the choice of a device, with two devices of the same name like those of the Mali-T628 on
// an Odroid XU4.
#include "tuner/measure/device/device_choice.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "profiles/base/usage_error.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"
#include "tuner/measure/device/cpu_driver.hpp"
#include "tuner/tuning/tuning_files.hpp"

namespace tilewright {
namespace {

std::vector<ListedDevice> xu4() {
  std::vector<ListedDevice> devices;
  for (const int units : {4, 2}) {
    DeviceIdentity identity;
    identity.vendor = "ARM";
    identity.name = "Mali-T628";
    identity.platform = "ARM Platform, OpenCL 1.2 v1.r12p0";
    identity.compute_units = units;
    devices.push_back({static_cast<int>(devices.size()), {}, identity});
  }
  return devices;
}

std::string refusal(const std::vector<ListedDevice>& devices, const std::string& choice) {
  try {
    choose_device({devices, {}}, choice);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("two devices of one GPU are distinguished by their number, not by their name") {
  const std::vector<ListedDevice> devices = xu4();
  const DeviceList list = {devices, {}};
  CHECK(choose_device(list, "0").identity.compute_units == 4);
  CHECK(choose_device(list, "1").identity.compute_units == 2);
  CHECK_THAT(refusal(devices, "mali"), Catch::Matchers::ContainsSubstring("Use the number"));
  CHECK(refusal({devices[0]}, "mali").empty());
}

TEST_CASE("a device that its driver cannot use is not chosen, and the error names the others") {
  std::vector<ListedDevice> devices = xu4();
  devices[0].obstacle = "it is not available";
  const DeviceList list = {devices, {}};
  CHECK(choose_device(list, "mali").index == 1);
  const std::string named = refusal(devices, "0");
  CHECK(named.find("--device: device 0 cannot be used: it is not available") == 0);
  CHECK(named.find("\n  0: Mali-T628, 4 compute units (ARM Platform); cannot be "
                   "used") != std::string::npos);
  CHECK(named.find("\n  1: Mali-T628, 2 compute units (ARM Platform)") != std::string::npos);
  for (const char* choice : {"", "mali"}) {
    CHECK(refusal({devices[0]}, choice).find("not available") != std::string::npos);
  }
}

TEST_CASE("a device that is listed twice is found by its name") {
  std::vector<ListedDevice> devices = xu4();
  devices[1].identity = devices[0].identity;
  const DeviceList list = {devices, {}};
  CHECK(choose_device(list, "mali").index == 0);
  CHECK(choose_device(list, "1").index == 1);
}

TEST_CASE("the error lists the failures, because the device that the user wants may have failed") {
  const DeviceList list = {{xu4()[0]}, {"platform 'B' fails", "platform 'C' fails"}};
  const auto refused = [](const DeviceList& of, const std::string& choice) {
    try {
      choose_device(of, choice);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string all =
      "; the devices are\n  0: Mali-T628, 4 compute units (ARM Platform)\n"
      "  platform 'B' fails\n  platform 'C' fails";
  CHECK(refused(list, "b") == "--device: no device matches 'b'" + all);
  CHECK(refused(list, "7") == "--device: there is no device 7" + all);
  CHECK_THAT(refused({{}, list.failures}, ""),
             Catch::Matchers::ContainsSubstring("platform 'B' fails; platform 'C' fails"));
}

TEST_CASE("if PoCL cannot write its cache, the error says so") {
  CHECK(pocl_cache_folder("/a", "/b", "/c") == "/a");
  CHECK(pocl_cache_folder("", "/b", "/c") == "/b/pocl/kcache");
  CHECK(pocl_cache_folder("", "", "/c") == "/c/.cache/pocl/kcache");
  CHECK(pocl_cache_folder("", "", "") == "/tmp/pocl/kcache");
  const TemporaryFolder folder;
  std::ofstream(folder.file("file")) << "text";
  {
    const std::string below_a_file = folder.file("file") + "/new/cache";
    const ScopedVariable cache("POCL_CACHE_DIR", below_a_file.c_str());
    CHECK(unwritable_pocl_cache() == below_a_file);
    const std::string reason = no_device_reason({});
    CHECK(reason.find("install a driver") != std::string::npos);
    CHECK(reason.find("if PoCL is installed, it lists no device because it cannot write '" +
                      below_a_file + "': set POCL_CACHE_DIR") != std::string::npos);
    CHECK(no_device_reason({"platform 'B' fails"}).find("PoCL") == std::string::npos);
  }
  {
    // Root has write permission there, but nobody can create a folder.
    const ScopedVariable cache("POCL_CACHE_DIR", "/proc/none");
    CHECK(unwritable_pocl_cache() == "/proc/none");
  }
  const ScopedVariable cache("POCL_CACHE_DIR", folder.file("new/cache").c_str());
  CHECK(unwritable_pocl_cache().empty());
  CHECK(no_device_reason({}).find("install a driver") != std::string::npos);
  CHECK(no_device_reason({}).find("if PoCL") == std::string::npos);
  // The check leaves no files behind.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("two devices of one GPU have profiles with different names") {
  std::vector<ListedDevice> devices = xu4();
  DeviceInfo facts;
  for (const auto& [index, file] :
       {std::pair{0, "mali-t628-4cu.toml"}, {1, "mali-t628-2cu.toml"}}) {
    facts.identity = devices[static_cast<std::size_t>(index)].identity;
    facts.name_is_shared = shares_name(devices, facts.identity);
    CHECK(default_output(facts) == file);
  }
  devices.pop_back();
  facts.identity = devices[0].identity;
  facts.name_is_shared = shares_name(devices, facts.identity);
  CHECK(default_output(facts) == "mali-t628.toml");
  for (const char* name :
       {"llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe (LLVM 19.1.7, 256 bits)"}) {
    facts.identity.name = name;
    CHECK(default_output(facts) == "llvmpipe-256-bits.toml");
  }
  facts.identity.name = " ARM(R) / ";
  CHECK(default_output(facts) == "arm-r.toml");
  facts.identity.name = "//";
  CHECK(default_output(facts) == "device.toml");
}

}  // namespace
}  // namespace tilewright
