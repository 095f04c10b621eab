#include "tuner/measure/device/device_choice.hpp"

#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "profiles/base/usage_error.hpp"
#include "profiles/hardware_name.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/device_identity.hpp"
#include "runtime/opencl/opencl_loader.hpp"
#include "tuner/journal/records/shares.hpp"
#include "tuner/measure/device/clock_reader.hpp"
#include "tuner/measure/device/cpu_driver.hpp"
#include "tuner/measure/device/limits_file.hpp"

namespace tilewright {
namespace {

// Address space that suffices to load a driver with its compiler.
constexpr rlim_t kDriverBytes = rlim_t{1} << 30;

constexpr cl_int kNoPlatform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR: the loader found no driver

// PoCL keeps the private variables of a whole work-group on one stack, and work-groups of thousands
// of work-items overflowed it. Larger groups have no advantage: a CPU core runs the work-items of a
// group one after the other.
constexpr std::int64_t kMaxCpuWorkItems = 1024;
constexpr std::int64_t kMaxCpuGroupFloats = 65536;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string one_line(const ListedDevice& d) {
  return fmt::format("{}: {}, {} compute units ({}){}{}", d.index, d.identity.name,
                     d.identity.compute_units, short_platform(d.identity.platform),
                     d.obstacle.empty() ? "" : "; cannot be used: ", d.obstacle);
}

std::string all_lines(const DeviceList& list) {
  std::string lines;
  for (const ListedDevice& device : list.devices) lines += "\n  " + one_line(device);
  for (const std::string& failure : list.failures) lines += "\n  " + failure;
  return lines;
}

// Compilers that report a native width of 1 combine neighbouring work-items into vectors, so more
// registers are usable than the width suggests. On llvmpipe, a 6 x 16 tile (which spills partly
// into the L1 cache) is twice as fast as the best tile with 16 elements.
constexpr int kMinCpuWidth = 8;

// AVX-512 doubled the number of registers together with their width.
int cpu_registers(int native_width) {
  return native_width >= 16 ? 32 : 16;
}

// Returns "platform 'NAME'", or "an unnamed platform" if the driver gives no name.
std::string named(const char* what, const std::string& name) {
  return name.empty() ? fmt::format("an unnamed {}", what) : fmt::format("{} '{}'", what, name);
}

// Why the driver cannot use a device now; "" if it can.
std::string find_obstacle(const cl::Device& device) {
  const auto is_false = [&](cl_device_info what) {
    cl_bool value = CL_TRUE;
    return clGetDeviceInfo(device(), what, sizeof value, &value, nullptr) == CL_SUCCESS &&
           value == CL_FALSE;
  };
  if (is_false(CL_DEVICE_AVAILABLE)) return "it is not available (CL_DEVICE_AVAILABLE is false)";
  if (is_false(CL_DEVICE_COMPILER_AVAILABLE)) {
    return "its driver has no compiler (CL_DEVICE_COMPILER_AVAILABLE is false)";
  }
  return "";
}

// Adds a device to the list. If it cannot be identified, records a failure instead, so that other
// devices of the platform remain usable.
void add_device(const cl::Platform& platform, const cl::Device& device, DeviceList& list) {
  try {
    list.devices.push_back(
        {static_cast<int>(list.devices.size()), device, identify(device), find_obstacle(device)});
  } catch (const Error& error) {
    list.failures.push_back(fmt::format(
        "{} of {} cannot be used: {}", named("device", device.getInfo<CL_DEVICE_NAME>()),
        named("platform", platform.getInfo<CL_PLATFORM_NAME>()), error.what()));
  }
}

bool contains(const ListedDevice& device, const std::string& text) {
  return lower(device.identity.platform + "\n" + device.identity.vendor + "\n" +
               device.identity.name)
             .find(lower(text)) != std::string::npos;
}

}  // namespace

std::string no_device_reason(const std::vector<std::string>& failures) {
  // If memory runs out while a driver is loaded, the loader skips the driver without reporting an
  // error.
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < kDriverBytes) {
    return fmt::format(
        "no OpenCL device, probably because memory is limited: this process may use only {} MiB, "
        "and drivers need hundreds; raise the limit (ulimit -v)",
        limit.rlim_cur >> 20);
  }
  if (const std::string reason = no_loader_reason(); !reason.empty()) return reason;
  if (!failures.empty()) {
    return fmt::format("no OpenCL device: {}; run tilewright doctor to find the cause",
                       fmt::join(failures, "; "));
  }
  const std::string cache = unwritable_pocl_cache();
  return fmt::format(
      "no OpenCL device: install a driver (Debian: pocl-opencl-icd for the CPU); {}run tilewright "
      "doctor to find out what is missing",
      cache.empty()
          ? ""
          : fmt::format(
                "if PoCL is installed, it lists no device because it cannot write '{}': set "
                "POCL_CACHE_DIR to a writable folder; ",
                cache));
}

DeviceList enumerate_devices() {
  std::vector<cl::Platform> platforms;
  const cl_int code = cl::Platform::get(&platforms);
  if (code == kNoPlatform) return {};
  check_opencl(code, "clGetPlatformIDs");
  DeviceList list;
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    const cl_int found = platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    if (found == CL_DEVICE_NOT_FOUND) continue;
    if (found != CL_SUCCESS) {
      list.failures.push_back(fmt::format(
          "{} cannot list its devices: clGetDeviceIDs failed with {}",
          named("platform", platform.getInfo<CL_PLATFORM_NAME>()), opencl_code_text(found)));
      continue;
    }
    for (const cl::Device& device : devices) add_device(platform, device, list);
  }
  return list;
}

const ListedDevice& choose_device(const DeviceList& list, const std::string& choice) {
  const std::vector<ListedDevice>& devices = list.devices;
  if (devices.empty()) throw UsageError(no_device_reason(list.failures));
  const auto refuse = [&](const std::string& why, const char* advice = "") {
    throw UsageError(fmt::format("{}; the devices are{}{}", why, all_lines(list), advice));
  };
  std::size_t index = 0;
  const char* end = choice.data() + choice.size();
  const auto [stop, error] = std::from_chars(choice.data(), end, index);
  if (error == std::errc() && stop == end) {
    if (index >= devices.size()) refuse(fmt::format("--device: there is no device {}", choice));
    if (!devices[index].obstacle.empty()) {
      refuse(
          fmt::format("--device: device {} cannot be used: {}", choice, devices[index].obstacle));
    }
    return devices[index];
  }
  std::vector<const ListedDevice*> matches;
  bool is_unusable = false;
  for (const ListedDevice& device : devices) {
    if (!contains(device, choice)) continue;
    if (device.obstacle.empty()) {
      matches.push_back(&device);
    } else {
      is_unusable = true;
    }
  }
  if (matches.empty()) {
    refuse(choice.empty() ? "no device can be used"
                          : fmt::format("--device: no {}device matches '{}'",
                                        is_unusable ? "usable " : "", choice));
  }
  if (choice.empty()) {
    const auto gpu = std::find_if(matches.begin(), matches.end(), [](const ListedDevice* d) {
      return device_kind(d->device) == DeviceKind::kGpu;
    });
    return gpu != matches.end() ? **gpu : *matches.front();
  }
  // Equal devices are interchangeable. They occur, for example, when two ICD files name the same
  // driver.
  const bool same = std::all_of(matches.begin(), matches.end(), [&](const ListedDevice* match) {
    return match->identity == matches.front()->identity;
  });
  if (!same) {
    refuse(fmt::format("--device: more than one device matches '{}'", choice),
           "\nUse the number to choose one");
  }
  return *matches.front();
}

bool shares_name(const std::vector<ListedDevice>& devices, const DeviceIdentity& identity) {
  const std::string name = hardware_name(identity.name);
  return std::count_if(devices.begin(), devices.end(), [&](const ListedDevice& device) {
           return hardware_name(device.identity.name) == name;
         }) > 1;
}

DeviceInfo describe_device(const ListedDevice& listed, const std::string& sysfs) {
  DeviceInfo device = device_info(listed.device);
  SpaceLimits& limits = device.limits;
  static_cast<DeviceLimits&>(limits) = device.identity.limits;
  limits.half_arithmetic = has_extension(listed.device, kHalfArithmetic);
  const GpuFacts known = known_gpu(device.identity);
  // Vectors wider than the hardware's crash some compilers (docs/mali.md).
  if (known.vector_width > 1) limits.max_vector_width = known.vector_width;
  if (device.kind == DeviceKind::kCpu) {
    device.vector_registers = cpu_registers(device.native_vector_width);
    limits.register_floats =
        std::max(device.native_vector_width, kMinCpuWidth) * device.vector_registers;
    limits.max_work_group_size = std::min(limits.max_work_group_size, kMaxCpuWorkItems);
    limits.group_floats = kMaxCpuGroupFloats;
    device.clock_warning = thread_warning(device.identity.platform);
  } else {
    const bool mali = lower(device.identity.name).find("mali") != std::string::npos;
    limits.register_floats = known.known() ? known.registers.back() * known.vector_width
                             : mali        ? 64
                                           : 256;
  }
  if (device.kind == DeviceKind::kGpu) {
    set_gpu(device, known);
    const ClockReader clock(sysfs);
    device.clock_governor = clock.governor();
    device.clock_path = clock.path();
    device.clock_warning = clock.warning();
  }
  return device;
}

}  // namespace tilewright
