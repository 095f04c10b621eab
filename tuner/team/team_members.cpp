#include "tuner/team/team_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "profiles/base/usage_error.hpp"
#include "runtime/team/cblas_member.hpp"
#include "runtime/team/device_member.hpp"
#include "tuner/measure/device/device_choice.hpp"
#include "tuner/measure/device/device_queue.hpp"

namespace tilewright {
namespace {

// Parses all of the text as a number; -1 if it is none.
int parse_number(std::string_view text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

TeamMemberName parse_member(const std::string& text) {
  const bool is_device =
      !text.empty() && text.find_first_not_of("0123456789/") == std::string::npos;
  if (!is_device) return {text};
  const std::size_t slash = text.find('/');
  TeamMemberName name{text, parse_number(text.substr(0, slash))};
  if (slash != std::string::npos) name.units = parse_number(text.substr(slash + 1));
  const bool has_units = slash == std::string::npos || name.units > 0;
  if (name.device >= 0 && has_units) return name;
  throw UsageError(fmt::format(
      "--team: '{}' is neither a device (0), nor a part of one (0/2: two compute units)", text));
}

// The sub-devices of one device, in the order of the names.
std::vector<cl::Device> divide(const ListedDevice& device,
                               const std::vector<TeamMemberName>& names) {
  std::vector<cl_device_partition_property> counts{CL_DEVICE_PARTITION_BY_COUNTS};
  for (const TeamMemberName& name : names) {
    if (name.device == device.index && name.units > 0) counts.push_back(name.units);
  }
  counts.insert(counts.end(), {CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0});
  cl::Device whole = device.device;
  std::vector<cl::Device> parts;
  if (whole.createSubDevices(counts.data(), &parts) == CL_SUCCESS) return parts;
  throw UsageError(fmt::format("--team: device {} has {} compute units and cannot be divided so",
                               device.index, device.identity.compute_units));
}

const ListedDevice& find_device(const DeviceList& list, const TeamMemberName& name) {
  for (const ListedDevice& device : list.devices) {
    if (device.index != name.device) continue;
    if (device.obstacle.empty()) return device;
    throw UsageError(
        fmt::format("--team: device {} cannot be used: {}", name.device, device.obstacle));
  }
  throw UsageError(
      fmt::format("--team: there is no device {}; `tilewright devices` lists them", name.device));
}

}  // namespace

std::vector<TeamMemberName> parse_team(const std::string& argument) {
  std::vector<TeamMemberName> names;
  std::istringstream stream(argument + ",");  // so that an empty name at the end is one, too
  for (std::string text; std::getline(stream, text, ',');) names.push_back(parse_member(text));
  const auto is_empty = [](const TeamMemberName& name) { return name.text.empty(); };
  if (names.size() < 2 || std::any_of(names.begin(), names.end(), is_empty)) {
    throw UsageError("--team: name at least two members, for example 0,1 or 0,libopenblas.so.0");
  }
  for (const TeamMemberName& name : names) {
    const auto of_device = std::count_if(
        names.begin(), names.end(), [&](const auto& other) { return other.device == name.device; });
    if (name.device < 0 || name.units > 0 || of_device == 1) continue;
    throw UsageError(fmt::format(
        "--team: device {} is named whole and again; name parts of it, for example {}/2,{}/2",
        name.device, name.device, name.device));
  }
  return names;
}

std::vector<std::shared_ptr<const TeamMember>> open_team(const std::vector<TeamMemberName>& names) {
  const DeviceList list = enumerate_devices();
  std::map<int, std::vector<cl::Device>> parts;  // that are not used yet, the next one last
  std::vector<std::shared_ptr<const TeamMember>> members;
  for (const TeamMemberName& name : names) {
    if (name.device < 0) {
      members.push_back(std::make_shared<CblasMember>(name.text));
      continue;
    }
    const ListedDevice& listed = find_device(list, name);
    cl::Device device = listed.device;
    if (name.units > 0) {
      auto [known, is_new] = parts.try_emplace(name.device);
      if (is_new) {
        known->second = divide(listed, names);
        std::reverse(known->second.begin(), known->second.end());
      }
      device = known->second.back();
      known->second.pop_back();
    }
    const DeviceQueue on(device);
    members.push_back(std::make_shared<DeviceMember>(Library::open(on.context, device), on.queue));
  }
  return members;
}

}  // namespace tilewright
