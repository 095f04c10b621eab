#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "tuner/commands.hpp"
#include "tuner/device_choice.hpp"

namespace tilewright {
namespace {

void print_json(const std::vector<ListedDevice>& devices) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ListedDevice& d : devices) {
    const DeviceIdentity& identity = d.identity;
    json.push_back({{"index", d.index},
                    {"name", identity.name},
                    {"vendor", identity.vendor},
                    {"type", device_type(d.device)},
                    {"platform", identity.platform},
                    {"driver", identity.driver},
                    {"opencl_c_version", identity.opencl_c_version},
                    {"compute_units", identity.compute_units},
                    {"max_clock_mhz", identity.max_clock_mhz},
                    {"max_work_group_size", identity.limits.max_work_group_size},
                    {"local_memory_bytes", identity.limits.local_memory_bytes},
                    {"local_memory_is_dedicated", identity.limits.local_memory_is_dedicated},
                    {"image_support", identity.limits.image_support}});
  }
  fmt::print("{}\n", json.dump(2));
}

void print_table(const std::vector<ListedDevice>& devices) {
  if (devices.empty()) {
    fmt::print(
        "no OpenCL device. Install a driver (Debian: pocl-opencl-icd for the CPU); clinfo shows "
        "what the "
        "loader sees.\n");
    return;
  }
  for (const ListedDevice& d : devices) {
    const DeviceIdentity& identity = d.identity;
    fmt::print("{}: {}\n", d.index, identity.name);
    fmt::print("   {}, {} compute units, {}, {}\n", device_type(d.device), identity.compute_units,
               identity.vendor, identity.opencl_c_version);
    fmt::print("   platform {}; driver {}\n", identity.platform, identity.driver);
    fmt::print("   work-groups of up to {}, {} KiB of {} local memory, {}images\n",
               identity.limits.max_work_group_size, identity.limits.local_memory_bytes / 1024,
               identity.limits.local_memory_is_dedicated ? "dedicated" : "emulated",
               identity.limits.image_support ? "" : "no ");
  }
}

}  // namespace

void add_devices_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("devices", "List the OpenCL devices of this machine");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print JSON");
  command->callback([json] {
    const std::vector<ListedDevice> devices = list_devices();
    *json ? print_json(devices) : print_table(devices);
  });
}

}  // namespace tilewright
