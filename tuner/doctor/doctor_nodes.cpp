// The GPU's device nodes: who may use them, and do the kernel's driver and OpenCL's belong
// together?
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "tuner/doctor/doctor_parts.hpp"

namespace tilewright {
namespace {

// Not GPUs: what only scans out to a display has a render node on some kernels, too.
constexpr const char* kDisplays[] = {"rockchip",  "rockchip-drm", "exynos-drm", "meson-drm",
                                     "meson",     "mediatek-drm", "sun4i-drm",  "vgem",
                                     "simpledrm", "tidss"};

bool is_display(const std::string& driver) {
  return std::find(std::begin(kDisplays), std::end(kDisplays), driver) != std::end(kDisplays);
}

// Of kbase; the attribute gpuinfo is there since about DDK r5 ("Mali-G57 5 cores r0p1 0x9091").
std::string vendor_hardware(const BoardFiles& files) {
  const std::string device = "/sys/class/misc/mali0/device/";
  const std::string info = files.line(device + "gpuinfo");
  return !info.empty() ? info
                       : value_of(files.text(device + "uevent").value_or(""), "OF_COMPATIBLE_0");
}

std::string vendor_version(const BoardFiles& files) {
  for (const char* module : {"mali_kbase", "bifrost_kbase", "midgard_kbase", "mali"}) {
    const std::string version = files.line(fmt::format("/sys/module/{}/version", module));
    if (!version.empty()) return version;
  }
  return "";
}

std::string group_name(const BoardFiles& files, unsigned gid) {
  for (const std::string& line : lines_of(files.text("/etc/group").value_or(""))) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string number = line.substr(second + 1, line.find(':', second + 1) - second - 1);
    if (number == std::to_string(gid)) return line.substr(0, first);
  }
  return "";
}

bool is_member(const BoardFiles& files, const std::string& group, const std::string& user) {
  std::string members = value_of(files.text("/etc/group").value_or(""), group);
  members = members.substr(members.rfind(':') + 1);
  std::replace(members.begin(), members.end(), ',', ' ');
  const std::vector<std::string> names = words_of(members);
  return !user.empty() && std::find(names.begin(), names.end(), user) != names.end();
}

std::string shown_name(const DoctorUser& user, const char* otherwise) {
  return user.is_named && !user.name.empty() ? user.name : otherwise;
}

std::string how_to_be_let_in(const BoardFiles& files, const DoctorUser& user,
                             const std::string& path, unsigned mode, const std::string& group) {
  const std::string who = shown_name(user, "$USER");
  const bool group_may = (mode & 0060U) == 0060U;
  if (!group_may || group.empty() || group == "root") {
    const std::string node = path.substr(path.rfind('/') + 1);
    return fmt::format(
        "let a group use it: echo 'KERNEL==\"{0}\", MODE=\"0660\", GROUP=\"video\"' | sudo tee "
        "/etc/udev/rules.d/50-{0}.rules; sudo udevadm control --reload; sudo udevadm trigger; sudo "
        "usermod -aG video {1}; then log in anew",
        node, who);
  }
  if (is_member(files, group, user.name)) {
    return fmt::format("{} is in group {} since this login began: log out and in again", who,
                       group);
  }
  return fmt::format("sudo usermod -aG {} {}; then log in anew", group, who);
}

std::string described(const GpuNode& node) {
  std::string text = node.path;
  if (!node.driver.empty() || !node.hardware.empty()) {
    text += fmt::format(" ({}{}{})", node.driver.empty() ? "unknown driver" : node.driver,
                        node.hardware.empty() ? "" : ", ", node.hardware);
  }
  return text;
}

Finding node_finding(const BoardFiles& files, const DoctorUser& user, const GpuNode& node) {
  if (!files.exists(node.path)) {
    return problem(
        "node",
        fmt::format("the kernel driver {} runs, but {} is not there", node.driver, node.path),
        "udev or devtmpfs makes it (a container must be given it: --device " + node.path + ")");
  }
  if (user.may_use(node.path)) {
    return ok("node", fmt::format("{} can be read and written", described(node)));
  }
  struct stat status = {};
  const bool known = ::stat(files.here(node.path).c_str(), &status) == 0;
  const std::string group = known ? group_name(files, status.st_gid) : "";
  const unsigned mode = known ? status.st_mode & 0777U : 0U;
  // Other GPUs' drivers may have nodes of their own (/dev/nvidia0), and virtual ones compute
  // nothing.
  return (is_mali(node) ? problem : note)(
      "node",
      fmt::format("{} may not be read and written by {} (group {}, mode {:04o})", described(node),
                  shown_name(user, "this user"), group.empty() ? "unknown" : group, mode),
      how_to_be_let_in(files, user, node.path, mode, group));
}

// A GPU that the device tree knows and no driver has taken; "": there is none.
std::string orphan(const BoardFiles& files) {
  const std::string folder = "/sys/bus/platform/devices";
  for (const std::string& name : files.entries(folder)) {
    const std::string facts = files.text(folder + "/" + name + "/uevent").value_or("");
    const std::string compatible = value_of(facts, "OF_COMPATIBLE_0");
    const bool mali =
        compatible.rfind("arm,mali", 0) == 0 || compatible.find("-mali") != std::string::npos;
    if (mali && value_of(facts, "DRIVER").empty()) return compatible;
  }
  return "";
}

// RUSTICL_ENABLE as it is set for whoever logs in.
std::string enabled_at_login(const BoardFiles& files) {
  std::string value = value_of(files.text("/etc/environment").value_or(""), "RUSTICL_ENABLE");
  value.erase(std::remove(value.begin(), value.end(), '"'), value.end());
  return value;
}

bool names_panfrost(std::string drivers) {
  std::replace(drivers.begin(), drivers.end(), ',', ' ');
  for (const std::string& driver : words_of(drivers)) {
    // "panfrost:0" enables the first device only.
    if (driver.substr(0, driver.find(':')) == "panfrost") return true;
  }
  return false;
}

bool has(const std::vector<Driver>& drivers, Vendor vendor) {
  return std::any_of(drivers.begin(), drivers.end(), [&](const Driver& driver) {
    return vendor_of(driver) == vendor && !driver.path.empty();
  });
}

Findings rusticl_findings(const BoardFiles& files, const DoctorUser& user,
                          const std::vector<Driver>& drivers, const std::string& kernel_driver,
                          const std::optional<OpenClProbe>& probe) {
  if (!has(drivers, Vendor::kRusticl)) {
    std::string seen =
        fmt::format("the kernel driver is {}, and Mesa's rusticl is not installed", kernel_driver);
    if (has(drivers, Vendor::kMali)) {
      seen += "; libmali wants the vendor's kernel driver, and a kernel has one or the other";
    }
    return {
        problem("rusticl", seen,
                "sudo apt install mesa-opencl-icd (Mesa 24.1 or later for panthor), then export "
                "RUSTICL_ENABLE=panfrost; or boot the vendor's kernel")};
  }
  const auto set = user.environment.find("RUSTICL_ENABLE");
  const bool is_set = set != user.environment.end();
  const std::string at_login = enabled_at_login(files);
  // Of another machine there is no environment to see.
  const std::string enabled = is_set ? set->second : probe ? "" : at_login;
  if (names_panfrost(enabled)) {
    return {ok("rusticl",
               fmt::format("RUSTICL_ENABLE={} for the kernel driver {}", enabled, kernel_driver))};
  }
  if (lists_gpu(probe)) {
    return {
        ok("rusticl", "it lists the GPU without RUSTICL_ENABLE: this Mesa enables it by itself")};
  }
  if (!is_set && names_panfrost(at_login)) {
    return {problem("rusticl",
                    "/etc/environment sets RUSTICL_ENABLE, which is not in this environment",
                    "log out and in again, or export RUSTICL_ENABLE=panfrost")};
  }
  return {problem(
      "rusticl",
      enabled.empty() ? "RUSTICL_ENABLE is not set, and Mesa's rusticl shows no GPU by itself"
                      : fmt::format("RUSTICL_ENABLE={} does not name panfrost", enabled),
      "export RUSTICL_ENABLE=panfrost (for good: echo RUSTICL_ENABLE=panfrost | sudo tee -a "
      "/etc/environment); it is panfrost for the kernel driver panthor, too")};
}

Findings vendor_findings(const BoardFiles& files, const DoctorUser& user,
                         const std::vector<Driver>& drivers) {
  const std::string version = vendor_version(files);
  const std::string kernel = version.empty() ? "kbase" : fmt::format("kbase, version {}", version);
  Findings findings;
  const std::string loader = find_library(files, user, "libOpenCL.so.1");
  const bool itself = !loader.empty() && leads_to_mali(files, loader);
  if (has(drivers, Vendor::kMali) || itself) {
    findings.push_back(ok("libmali", fmt::format("libmali is there for the kernel driver {}: the "
                                                 "two must be of one DDK",
                                                 kernel)));
  } else {
    findings.push_back(problem(
        "libmali",
        fmt::format(
            "the kernel driver is the vendor's ({}), and no ICD file leads to libmali{}", kernel,
            has(drivers, Vendor::kRusticl) ? "; Mesa does not work on this kernel driver" : ""),
        "install the libmali that matches the GPU and the kernel driver's version, and name it in "
        "/etc/OpenCL/vendors/mali.icd"));
  }
  // Command-stream GPUs (G610 on) run firmware that the kernel loads from a file.
  const bool streams = files.exists("/sys/class/misc/mali0/device/progress_timeout");
  if (streams && !files.exists("/lib/firmware/mali_csffw.bin")) {
    findings.push_back(problem("firmware", "/lib/firmware/mali_csffw.bin is not there",
                               "install the firmware that comes with libmali, then reboot"));
  }
  return findings;
}

}  // namespace

bool is_mali(const GpuNode& node) {
  return node.driver == "kbase" || node.driver == "panfrost" || node.driver == "panthor";
}

bool has_driver(const std::vector<GpuNode>& nodes, const std::string& driver) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const GpuNode& node) { return node.driver == driver; });
}

std::vector<GpuNode> gpu_nodes(const BoardFiles& files) {
  std::vector<GpuNode> nodes;
  if (files.exists("/dev/mali0") || files.exists("/sys/class/misc/mali0")) {
    nodes.push_back({"/dev/mali0", "kbase", vendor_hardware(files)});
  }
  for (const std::string& folder : {std::string("/dev/dri"), std::string("/sys/class/drm")}) {
    for (const std::string& name : files.entries(folder)) {
      const std::string path = "/dev/dri/" + name;
      const bool known = std::any_of(nodes.begin(), nodes.end(),
                                     [&](const GpuNode& node) { return node.path == path; });
      if (known || name.rfind("renderD", 0) != 0) continue;
      const std::string facts =
          files.text("/sys/class/drm/" + name + "/device/uevent").value_or("");
      GpuNode node{path, value_of(facts, "DRIVER"), value_of(facts, "OF_COMPATIBLE_0")};
      if (!is_display(node.driver)) nodes.push_back(node);
    }
  }
  return nodes;
}

Findings node_findings(const BoardFiles& files, const DoctorUser& user,
                       const std::vector<GpuNode>& nodes) {
  Findings findings;
  for (const GpuNode& node : nodes) findings.push_back(node_finding(files, user, node));
  const std::string gpu = orphan(files);
  if (!gpu.empty()) {
    findings.push_back(
        problem("node",
                fmt::format("the board has a GPU ({}), and no kernel driver has "
                            "taken it",
                            gpu),
                "sudo modprobe panfrost (panthor for G610 on), or boot a kernel with "
                "the vendor's driver; dmesg | grep -i -e mali -e pan says why not"));
  } else if (nodes.empty()) {
    findings.push_back(note("node", "there is neither /dev/mali0 nor a GPU's /dev/dri/renderD*",
                            "nothing, if the device is the CPU or has nodes of another kind "
                            "(NVIDIA); else a kernel with a driver for the GPU"));
  }
  return findings;
}

Findings stack_findings(const BoardFiles& files, const DoctorUser& user,
                        const std::vector<GpuNode>& nodes, const std::vector<Driver>& drivers,
                        const std::optional<OpenClProbe>& probe) {
  Findings findings;
  const auto append = [&](Findings more) {
    findings.insert(findings.end(), more.begin(), more.end());
  };
  if (has_driver(nodes, "kbase")) append(vendor_findings(files, user, drivers));
  for (const char* driver : {"panfrost", "panthor"}) {
    if (has_driver(nodes, driver)) append(rusticl_findings(files, user, drivers, driver, probe));
  }
  if (has_driver(nodes, "lima")) {
    findings.push_back(note("lima", "the GPU is a Mali-400 or 450 (Utgard)",
                            "nothing helps: these GPUs cannot run OpenCL"));
  }
  return findings;
}

}  // namespace tilewright
