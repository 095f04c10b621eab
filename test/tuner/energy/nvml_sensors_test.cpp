// Tests of NVML, played by a library of the tests.
#include "catch.hpp"
#include "scoped_variable.hpp"
#include "tuner/energy/energy_sensor.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

std::vector<EnergySensor> fake_gpus(const char* faults) {
  const ScopedVariable set("TILEWRIGHT_FAKE_NVML", faults);
  return find_nvml_sensors(TILEWRIGHT_FAKE_NVML_LIBRARY);
}

TEST_CASE("NVML has an energy counter per GPU") {
  const std::vector<EnergySensor> gpus = fake_gpus(nullptr);
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].info.name == "nvml 0000:65:00.0");
  CHECK(gpus[0].pci_address == "0000:65:00.0");
  CHECK(gpus[1].pci_address == "0001:0a:00.0");
  CHECK(gpus[0].device_name == "Fake GPU");
  CHECK(gpus[0].info.covers == "GPU card Fake GPU with its memory");
  CHECK(gpus[0].scope == SensorScope::kGpu);
  CHECK(gpus[0].info.counts_energy);
  CHECK(gpus[0].info.unreadable.empty());
  const double before = std::get<double>(gpus[0].read());
  CHECK(before > 0.0);
  CHECK(std::get<double>(gpus[0].read()) >= before);
}

TEST_CASE("NVML: without an energy counter, the power is read") {
  const std::vector<EnergySensor> gpus = fake_gpus("no_energy");
  REQUIRE(gpus.size() == 2);
  CHECK_FALSE(gpus[0].info.counts_energy);
  CHECK(gpus[0].info.unreadable.empty());
  CHECK(std::get<double>(gpus[0].read()) == Approx(100.0));
}

TEST_CASE("NVML: a GPU without energy and power cannot be read") {
  const std::vector<EnergySensor> gpus = fake_gpus("no_energy no_power");
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].info.unreadable == "nvmlDeviceGetPowerUsage: Not Supported");
}

TEST_CASE("NVML: GPUs without a PCI address have different names") {
  const std::vector<EnergySensor> gpus = fake_gpus("no_pci");
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].info.name == "nvml GPU 0");
  CHECK(gpus[1].info.name == "nvml GPU 1");
  CHECK(gpus[0].pci_address.empty());
}

TEST_CASE("NVML: a library that cannot be used is named, one that does not exist is not") {
  const std::vector<EnergySensor> broken = fake_gpus("init");
  REQUIRE(broken.size() == 1);
  CHECK_THAT(broken[0].info.unreadable, ContainsSubstring("nvmlInit_v2: fault"));
  CHECK(find_nvml_sensors("libtilewright-no-such-library.so").empty());
  CHECK(find_nvml_sensors("").empty());
}

}  // namespace
}  // namespace tilewright
