#include "tuner/energy/sensor_choice.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "tuner/energy/lower_case.hpp"

namespace tilewright {
namespace {

using Sensors = std::vector<EnergySensor>;
using Wanted = std::function<bool(const EnergySensor&)>;

Sensors select(const Sensors& all, const Wanted& wanted) {
  Sensors selected;
  std::copy_if(all.begin(), all.end(), std::back_inserter(selected), wanted);
  return selected;
}

// Returns "" if all of these sensors can be read.
std::string first_failure(const Sensors& sensors) {
  for (const EnergySensor& sensor : sensors) {
    if (sensor.info.unreadable.empty()) continue;
    return fmt::format("the sensor {} ({}) cannot be read: {}", sensor.info.name,
                       sensor.info.covers, sensor.info.unreadable);
  }
  return "";
}

// The sensors of one family that cover a kind of thing.
Wanted covers(SensorScope scope, SensorFamily family) {
  return [scope, family](const EnergySensor& sensor) {
    return sensor.scope == scope && sensor.family == family && sensor.pci_address.empty();
  };
}

// Returns groups of sensors, the best first. The sensors of a group are added up. Groups may be
// empty.
std::vector<Sensors> candidate_groups(const Sensors& all, const MeteredDevice& device) {
  constexpr SensorFamily kFamilies[] = {SensorFamily::kNvml, SensorFamily::kRapl,
                                        SensorFamily::kHwmon, SensorFamily::kIna231};
  std::vector<Sensors> groups;
  if (device.kind == DeviceKind::kGpu) {
    // The first sensor of a card covers the whole card, others a part of it.
    for (EnergySensor& card : select(all, [&](const EnergySensor& sensor) {
           return !device.pci_address.empty() && sensor.pci_address == device.pci_address;
         })) {
      groups.push_back({std::move(card)});
    }
    Sensors of_name = select(all, [&](const EnergySensor& sensor) {
      return !sensor.device_name.empty() && sensor.device_name == device.name;
    });
    if (of_name.size() == 1) groups.push_back(std::move(of_name));
  }
  for (const SensorFamily family : kFamilies) {
    if (device.kind == DeviceKind::kGpu) {
      groups.push_back(select(all, covers(SensorScope::kGpu, family)));
    } else if (device.kind == DeviceKind::kCpu) {
      groups.push_back(select(all, covers(SensorScope::kCpu, family)));
    }
  }
  // Several sensors of the whole board would count its energy several times.
  for (EnergySensor& board : select(
           all, [](const EnergySensor& sensor) { return sensor.scope == SensorScope::kBoard; })) {
    groups.push_back({std::move(board)});
  }
  return groups;
}

// True if the sensor has this name, or if it ends with this word: "package-0" is "rapl package-0",
// and "core" is "rapl package-0/core", but not "rapl package-0/uncore". Case is ignored.
bool has_name(const EnergySensor& sensor, const std::string& name) {
  const std::string own = lower_case(sensor.info.name);
  const std::string given = lower_case(name);
  return own == given || own.ends_with(" " + given) || own.ends_with("/" + given);
}

// A sensor of the whole board contains all of its parts, but perhaps only one of several power
// supplies. The counter of "rapl package-0" contains the energy of its zones, such as "rapl
// package-0/core", but not that of the memory ("dram").
bool counts_twice(const EnergySensor& whole, const EnergySensor& part) {
  if (whole.scope == SensorScope::kBoard) return part.scope != SensorScope::kBoard;
  return part.family == SensorFamily::kRapl && part.info.name.starts_with(whole.info.name + "/") &&
         !part.info.name.ends_with("/dram");
}

// A sentence if the energy of one sensor is contained in that of another; otherwise "".
std::string first_overlap(const Sensors& sensors) {
  for (const EnergySensor& whole : sensors) {
    for (const EnergySensor& part : sensors) {
      if (!counts_twice(whole, part)) continue;
      return fmt::format(
          "the energy of {} is contained in that of {}, so their sum counts it "
          "twice; name one of them",
          part.info.name, whole.info.name);
    }
  }
  return "";
}

SensorChoice choose_by_name(const Sensors& all, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const EnergySensor& sensor : all) known.push_back(sensor.info.name);
  SensorChoice choice;
  std::vector<bool> is_chosen(all.size(), false);
  for (const std::string& name : names) {
    const bool is_exact = std::any_of(
        all.begin(), all.end(), [&](const EnergySensor& sensor) { return has_name(sensor, name); });
    bool exists = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool has_part =
          lower_case(all[i].info.name).find(lower_case(name)) != std::string::npos;
      if (!(is_exact ? has_name(all[i], name) : has_part)) continue;
      exists = is_chosen[i] = true;
    }
    if (exists) continue;
    choice.missing =
        fmt::format("no sensor has a name with '{}'; this machine has: {}", name,
                    known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
    return choice;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_chosen[i]) choice.sensors.push_back(all[i]);
  }
  choice.missing = first_overlap(choice.sensors);
  if (choice.missing.empty()) choice.missing = first_failure(choice.sensors);
  if (!choice.missing.empty()) choice.sensors.clear();
  return choice;
}

}  // namespace

SensorChoice choose_sensors(const std::vector<EnergySensor>& all, const MeteredDevice& device,
                            const std::vector<std::string>& names) {
  if (!names.empty()) return choose_by_name(all, names);
  SensorChoice choice;
  for (Sensors& group : candidate_groups(all, device)) {
    if (group.empty()) continue;
    const std::string failure = first_failure(group);
    if (failure.empty()) return {std::move(group), ""};
    if (choice.missing.empty()) choice.missing = failure;
  }
  if (choice.missing.empty()) {
    choice.missing = fmt::format("no energy sensor covers this device ({})", device.name);
  }
  return choice;
}

}  // namespace tilewright
