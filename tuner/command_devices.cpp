#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "tuner/commands.hpp"
#include "tuner/device_choice.hpp"
#include "tuner/micro_benchmark.hpp"
#include "tuner/statistics.hpp"

namespace tilewright {
namespace {

struct DevicesArguments {
  bool json = false;
  bool measure = false;
};

// In GFLOPS. Of times the low percentile is that of the rate, and the other way round.
Summary rate_of(const SpellingTimes& times) {
  const Summary ns = summarize(times.ns_per_flop);
  return {1.0 / ns.median, 1.0 / ns.high, 1.0 / ns.low, ns.samples};
}

nlohmann::ordered_json multiply_adds_json(const ListedDevice& device) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const WidthResult& width : run_micro_benchmark(device)) {
    nlohmann::ordered_json spellings = nlohmann::ordered_json::array();
    for (const SpellingTimes& times : width.times) {
      const Summary rate = rate_of(times);
      spellings.push_back({{"multiply_add", to_text(times.spelling)},
                           {"gflops", rate.median},
                           {"low_gflops", rate.low},
                           {"high_gflops", rate.high},
                           {"samples", rate.samples}});
    }
    json.push_back({{"vector_width", width.vector_width},
                    {"best", to_text(width.best)},
                    {"spellings", spellings}});
  }
  return json;
}

void print_multiply_adds(const ListedDevice& device) {
  fmt::print(
      "   multiply-adds in GFLOPS by vector width, device time, median (10th-90th percentile), * "
      "the best or as good and simpler\n");
  for (const WidthResult& width : run_micro_benchmark(device)) {
    fmt::print("   {:>4}", width.vector_width);
    for (const SpellingTimes& times : width.times) {
      const Summary rate = rate_of(times);
      fmt::print("   {}{} {:.4g} ({:.4g}-{:.4g})", times.spelling == width.best ? "*" : " ",
                 to_text(times.spelling), rate.median, rate.low, rate.high);
    }
    fmt::print("\n");
  }
}

void print_json(const std::vector<ListedDevice>& devices, bool measure) {
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
    if (measure) json.back()["multiply_adds"] = multiply_adds_json(d);
  }
  fmt::print("{}\n", json.dump(2));
}

void print_table(const std::vector<ListedDevice>& devices, bool measure) {
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
    if (measure) print_multiply_adds(d);
  }
}

}  // namespace

void add_devices_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("devices", "List the OpenCL devices of this machine");
  auto a = std::make_shared<DevicesArguments>();
  command->add_flag("--measure", a->measure,
                    "measure how fast multiply-adds are, in each spelling and vector width");
  command->add_flag("--json", a->json, "print JSON");
  command->callback([a] {
    const std::vector<ListedDevice> devices = list_devices();
    (a->json ? print_json : print_table)(devices, a->measure);
  });
}

}  // namespace tilewright
