// Gathers facts about the GPU's device nodes: who may use them, and whether the kernel driver and
// the OpenCL driver belong together.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "tuner/doctor/evidence.hpp"

namespace tilewright {
namespace {

// These are not GPUs: on some kernels, mere display controllers have a render node, too.
constexpr const char* kDisplays[] = {"rockchip",  "rockchip-drm", "exynos-drm", "meson-drm",
                                     "meson",     "mediatek-drm", "sun4i-drm",  "vgem",
                                     "simpledrm", "tidss"};

bool is_display(const std::string& driver) {
  return std::find(std::begin(kDisplays), std::end(kDisplays), driver) != std::end(kDisplays);
}

// Returns the hardware as kbase describes it. The attribute gpuinfo ("Mali-G57 5 cores r0p1
// 0x9091") exists since about DDK r5.
std::string vendor_hardware(const BoardFiles& files) {
  const std::string device = "/sys/class/misc/mali0/device/";
  const std::string info = files.line(device + "gpuinfo");
  return !info.empty() ? info
                       : find_value(files.text(device + "uevent").value_or(""), "OF_COMPATIBLE_0");
}

std::string vendor_version(const BoardFiles& files) {
  for (const char* module : {"mali_kbase", "bifrost_kbase", "midgard_kbase", "mali"}) {
    const std::string version = files.line(fmt::format("/sys/module/{}/version", module));
    if (!version.empty()) return version;
  }
  return "";
}

std::string group_name(const BoardFiles& files, unsigned gid) {
  for (const std::string& line : split_into_lines(files.text("/etc/group").value_or(""))) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string number = line.substr(second + 1, line.find(':', second + 1) - second - 1);
    if (number == std::to_string(gid)) return line.substr(0, first);
  }
  return "";
}

bool is_member(const BoardFiles& files, const std::string& group, const std::string& user) {
  std::string members = find_value(files.text("/etc/group").value_or(""), group);
  members = members.substr(members.rfind(':') + 1);
  std::replace(members.begin(), members.end(), ',', ' ');
  const std::vector<std::string> names = split_words(members);
  return !user.empty() && std::find(names.begin(), names.end(), user) != names.end();
}

std::string how_to_be_let_in(const BoardFiles& files, const DoctorUser& user,
                             const std::string& path, unsigned mode, const std::string& group) {
  const std::string who = user.name.empty() ? "$USER" : user.name;
  const bool group_may = (mode & 0060U) == 0060U;
  if (!group_may || group.empty() || group == "root") {
    const std::string node = path.substr(path.rfind('/') + 1);
    return fmt::format(
        "give a group access: echo 'KERNEL==\"{0}\", MODE=\"0660\", GROUP=\"video\"' | sudo tee "
        "/etc/udev/rules.d/50-{0}.rules; sudo udevadm control --reload; sudo udevadm trigger; sudo "
        "usermod -aG video {1}; then log in again",
        node, who);
  }
  if (is_member(files, group, user.name)) {
    return fmt::format("{} was added to group {} after this login: log out and in again", who,
                       group);
  }
  return fmt::format("sudo usermod -aG {} {}; then log in again", group, who);
}

std::string describe(const GpuNode& node) {
  if (node.driver.empty() && node.hardware.empty()) return node.path;
  return fmt::format("{} ({}{}{})", node.path, node.driver.empty() ? "unknown driver" : node.driver,
                     node.hardware.empty() ? "" : ", ", node.hardware);
}

Evidence read_node_facts(const BoardFiles& files, const DoctorUser& user, const GpuNode& node) {
  struct stat status = {};
  const bool is_known = ::stat(files.here(node.path).c_str(), &status) == 0;
  const std::string group = is_known ? group_name(files, status.st_gid) : "";
  const unsigned mode = is_known ? status.st_mode & 0777U : 0U;
  return {"node",
          {{"path", node.path},
           {"driver", node.driver},
           {"description", describe(node)},
           {"exists", yes(files.exists(node.path))},
           {"usable", yes(user.may_use(node.path))},
           {"mali", yes(is_mali(node))},
           {"user", user.name.empty() ? "this user" : user.name},
           {"group", group.empty() ? "unknown" : group},
           {"mode", fmt::format("{:04o}", mode)},
           {"access", how_to_be_let_in(files, user, node.path, mode, group)}}};
}

// Returns a GPU in the device tree that no driver has taken; "" if there is none.
std::string orphan(const BoardFiles& files) {
  const std::string folder = "/sys/bus/platform/devices";
  for (const std::string& name : files.entries(folder)) {
    const std::string facts = files.text(folder + "/" + name + "/uevent").value_or("");
    const std::string compatible = find_value(facts, "OF_COMPATIBLE_0");
    const bool mali =
        compatible.rfind("arm,mali", 0) == 0 || compatible.find("-mali") != std::string::npos;
    if (mali && find_value(facts, "DRIVER").empty()) return compatible;
  }
  return "";
}

// Returns the value of RUSTICL_ENABLE that is set at login.
std::string enabled_at_login(const BoardFiles& files) {
  std::string value = find_value(files.text("/etc/environment").value_or(""), "RUSTICL_ENABLE");
  value.erase(std::remove(value.begin(), value.end(), '"'), value.end());
  return value;
}

bool names_panfrost(std::string drivers) {
  std::replace(drivers.begin(), drivers.end(), ',', ' ');
  for (const std::string& driver : split_words(drivers)) {
    // "panfrost:0" enables only the first device.
    if (driver.substr(0, driver.find(':')) == "panfrost") return true;
  }
  return false;
}

Evidence rusticl_evidence(const Machine& machine, const std::string& kernel_driver) {
  const std::string set = variable(machine.user, "RUSTICL_ENABLE");
  const std::string at_login = enabled_at_login(machine.files);
  // The environment of another machine is unknown.
  const std::string enabled = !set.empty() ? set : machine.probe ? "" : at_login;
  return {"rusticl",
          {{"driver", kernel_driver},
           {"installed", yes(has_driver(machine.drivers, "rusticl"))},
           {"libmali", yes(has_driver(machine.drivers, "mali"))},
           {"set", set},
           {"enabled", enabled},
           {"names_panfrost", yes(names_panfrost(enabled))},
           {"panfrost_at_login", yes(names_panfrost(at_login))},
           {"lists_gpu", yes(machine.lists_gpu())}}};
}

Evidence libmali_evidence(const Machine& machine) {
  const std::string version = vendor_version(machine.files);
  const std::string loader = find_library(machine.files, machine.user, "libOpenCL.so.1");
  const bool is_loader = !loader.empty() && leads_to_mali(machine.files, loader);
  return {"libmali",
          {{"kernel", version.empty() ? "kbase" : "kbase, version " + version},
           {"installed", yes(is_loader || has_driver(machine.drivers, "mali"))},
           {"mesa", yes(has_driver(machine.drivers, "rusticl"))}}};
}

}  // namespace

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
      GpuNode node{path, find_value(facts, "DRIVER"), find_value(facts, "OF_COMPATIBLE_0")};
      if (!is_display(node.driver)) nodes.push_back(node);
    }
  }
  return nodes;
}

bool is_mali(const GpuNode& node) {
  return node.driver == "kbase" || node.driver == "panfrost" || node.driver == "panthor";
}

bool Machine::has_node(const std::string& kernel_driver) const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const GpuNode& node) { return node.driver == kernel_driver; });
}

EvidenceList node_evidence(const Machine& machine) {
  EvidenceList all;
  for (const GpuNode& node : machine.nodes) {
    all.push_back(read_node_facts(machine.files, machine.user, node));
  }
  const std::string gpu = orphan(machine.files);
  if (!gpu.empty()) {
    all.push_back({"node", {{"orphan", gpu}}});
  } else if (all.empty()) {
    all.push_back({"node", {}});
  }
  return all;
}

EvidenceList stack_evidence(const Machine& machine) {
  EvidenceList all;
  if (machine.has_node("kbase")) {
    all.push_back(libmali_evidence(machine));
    // Command-stream GPUs (from G610 on) need firmware that the kernel loads from a file.
    const std::string firmware = "/lib/firmware/mali_csffw.bin";
    const bool is_needed = machine.files.exists("/sys/class/misc/mali0/device/progress_timeout");
    const bool is_missing = is_needed && !machine.files.exists(firmware);
    all.push_back({"firmware", {{"missing", is_missing ? firmware : ""}}});
  }
  for (const char* driver : {"panfrost", "panthor"}) {
    if (machine.has_node(driver)) all.push_back(rusticl_evidence(machine, driver));
  }
  if (machine.has_node("lima")) all.push_back({"lima", {}});
  return all;
}

}  // namespace tilewright
