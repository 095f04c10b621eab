// Gathers facts about the GPUs: who may use them, and whether the kernel driver and the OpenCL
// driver belong together.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "tuner/doctor/gather.hpp"

namespace tilewright {
namespace {

// These are not GPUs: on some kernels, mere display controllers have a render node, too.
constexpr std::string_view kDisplays[] = {"rockchip",  "rockchip-drm", "exynos-drm", "meson-drm",
                                          "meson",     "mediatek-drm", "sun4i-drm",  "vgem",
                                          "simpledrm", "tidss"};

struct Group {
  std::string name;  // "": unknown
  std::vector<std::string> members;
};

Group find_group(const BoardFiles& files, unsigned gid) {
  for (const std::string& line : files.lines("/etc/group")) {
    std::istringstream fields(line);
    std::string name, password, number, members;
    for (std::string* field : {&name, &password, &number, &members}) {
      std::getline(fields, *field, ':');
    }
    if (number == std::to_string(gid)) return {name, split_words(members, ',')};
  }
  return {};
}

// Returns what to do so that the user can read and write a device node.
std::string access_remedy(const std::string& user, const std::string& path, unsigned mode,
                          const Group& group) {
  const std::string who = user.empty() ? "$USER" : user;
  const bool group_may = (mode & 0060U) == 0060U;
  if (!group_may || group.name.empty() || group.name == "root") {
    const std::string node = path.substr(path.rfind('/') + 1);
    return fmt::format(
        "give a group access: echo 'KERNEL==\"{0}\", MODE=\"0660\", GROUP=\"video\"' | sudo tee "
        "/etc/udev/rules.d/50-{0}.rules; sudo udevadm control --reload; sudo udevadm trigger; sudo "
        "usermod -aG video {1}; then log in again",
        node, who);
  }
  if (std::find(group.members.begin(), group.members.end(), user) != group.members.end()) {
    return fmt::format("{} was added to group {} after this login: log out and in again", who,
                       group.name);
  }
  return fmt::format("sudo usermod -aG {} {}; then log in again", group.name, who);
}

Evidence node_evidence(const Machine& machine, const GpuNode& node) {
  const std::string& user = machine.user.name;
  struct stat status = {};
  const bool is_known = ::stat(machine.files.here(node.path).c_str(), &status) == 0;
  const Group group = is_known ? find_group(machine.files, status.st_gid) : Group();
  const unsigned mode = status.st_mode & 0777U;
  std::string description = node.path;
  if (!node.driver.empty() || !node.hardware.empty()) {
    description += fmt::format(" ({}{}{})", node.driver.empty() ? "unknown driver" : node.driver,
                               node.hardware.empty() ? "" : ", ", node.hardware);
  }
  return {"node",
          {{"path", node.path},
           {"driver", node.driver},
           {"description", description},
           {"exists", yes(machine.files.exists(node.path))},
           {"usable", yes(machine.user.may_use(node.path))},
           {"mali", yes(node.is_mali())},
           {"user", user.empty() ? "this user" : user},
           {"group", group.name.empty() ? "unknown" : group.name},
           {"mode", fmt::format("{:04o}", mode)},
           {"access", access_remedy(user, node.path, mode, group)}}};
}

// Returns a GPU in the device tree that no driver has taken; "" if there is none.
std::string orphan(const BoardFiles& files) {
  const std::string folder = "/sys/bus/platform/devices/";
  for (const std::string& name : files.entries(folder)) {
    const std::string uevent = folder + name + "/uevent";
    const std::string compatible = files.value(uevent, "OF_COMPATIBLE_0");
    const bool is_mali =
        compatible.starts_with("arm,mali") || compatible.find("-mali") != std::string::npos;
    if (is_mali && files.value(uevent, "DRIVER").empty()) return compatible;
  }
  return "";
}

Evidence libmali_evidence(const Machine& machine) {
  std::string version;
  for (const char* module : {"mali_kbase", "bifrost_kbase", "midgard_kbase", "mali"}) {
    version = machine.files.line(fmt::format("/sys/module/{}/version", module));
    if (!version.empty()) break;
  }
  const std::string loader = find_loader(machine.files, machine.user);
  const bool is_loader = !loader.empty() && leads_to_mali(machine.files, loader);
  return {"libmali",
          {{"kernel", version.empty() ? "kbase" : "kbase, version " + version},
           {"installed", yes(is_loader || has_driver(machine.drivers, "mali"))},
           {"mesa", yes(has_driver(machine.drivers, "rusticl"))}}};
}

bool names_panfrost(const std::string& drivers) {
  const std::vector<std::string> names = split_words(drivers, ',');
  // "panfrost:0" enables only the first device.
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.substr(0, name.find(':')) == "panfrost";
  });
}

Evidence rusticl_evidence(const Machine& machine, const std::string& kernel_driver) {
  const std::string set = machine.user.variable("RUSTICL_ENABLE");
  std::string at_login = machine.files.value("/etc/environment", "RUSTICL_ENABLE");
  std::erase(at_login, '"');
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

}  // namespace

std::string kbase_file(const std::string& name) {
  return "/sys/class/misc/mali0/device/" + name;
}

bool GpuNode::is_mali() const {
  return driver == "kbase" || driver == "panfrost" || driver == "panthor";
}

std::vector<GpuNode> gpu_nodes(const BoardFiles& files) {
  std::vector<GpuNode> nodes;
  if (files.exists("/dev/mali0") || files.exists("/sys/class/misc/mali0")) {
    // The attribute gpuinfo ("Mali-G57 5 cores r0p1 0x9091") exists since about DDK r5.
    const std::string info = files.line(kbase_file("gpuinfo"));
    nodes.push_back({"/dev/mali0", "kbase",
                     info.empty() ? files.value(kbase_file("uevent"), "OF_COMPATIBLE_0") : info});
  }
  std::set<std::string> names;
  for (const char* folder : {"/dev/dri", "/sys/class/drm"}) {
    for (const std::string& name : files.entries(folder)) {
      if (!name.starts_with("renderD") || !names.insert(name).second) continue;
      const std::string uevent = "/sys/class/drm/" + name + "/device/uevent";
      const std::string driver = files.value(uevent, "DRIVER");
      if (std::find(std::begin(kDisplays), std::end(kDisplays), driver) != std::end(kDisplays)) {
        continue;
      }
      nodes.push_back({"/dev/dri/" + name, driver, files.value(uevent, "OF_COMPATIBLE_0")});
    }
  }
  return nodes;
}

bool Machine::has_node(const std::string& kernel_driver) const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const GpuNode& node) { return node.driver == kernel_driver; });
}

void gather_nodes(const Machine& machine, EvidenceList& all) {
  for (const GpuNode& node : machine.nodes) all.push_back(node_evidence(machine, node));
  const std::string gpu = orphan(machine.files);
  if (!gpu.empty()) {
    all.push_back({"node", {{"orphan", gpu}}});
  } else if (machine.nodes.empty()) {
    all.push_back({"node", {}});
  }
}

void gather_stack(const Machine& machine, EvidenceList& all) {
  if (machine.has_node("kbase")) {
    all.push_back(libmali_evidence(machine));
    // Command-stream GPUs (from G610 on) need firmware that the kernel loads from a file.
    const std::string firmware = "/lib/firmware/mali_csffw.bin";
    const bool is_needed = machine.files.exists(kbase_file("progress_timeout"));
    const bool is_missing = is_needed && !machine.files.exists(firmware);
    all.push_back({"firmware", {{"missing", is_missing ? firmware : ""}}});
  }
  for (const char* driver : {"panfrost", "panthor"}) {
    if (machine.has_node(driver)) all.push_back(rusticl_evidence(machine, driver));
  }
  if (machine.has_node("lima")) all.push_back({"lima", {}});
}

}  // namespace tilewright
