#include "runtime/device/profile_search.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "profiles/base/printable.hpp"
#include "profiles/base/read_file.hpp"
#include "profiles/hardware_name.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/environment.hpp"
#include "runtime/device/shipped_profiles.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFilesSkipped = "; files were skipped (see tilewright doctor)";

// A profile that was named, and by what if it was not the caller.
struct Named {
  std::string name;
  std::string why = {};
  bool forced = false;
  bool relative = false;  // is_relative() is true

  std::string text() const { return with_why(name); }
  std::string with_why(const std::string& what) const {
    return why.empty() ? what : fmt::format("{} ({})", what, why);
  }
};

// Accepts a profile that was named. Every problem is an error.
FoundProfile accept(Profile profile, const Named& named, const DeviceIdentity& device) {
  FoundProfile found;
  found.origin = named.text();
  const auto hard = hard_mismatch(profile, device);
  const auto soft = soft_mismatch(profile, device);
  if (hard && !named.forced && !named.relative) {
    throw Error(TW_WRONG_DEVICE,
                fmt::format("{} is a profile for another device: {}", named.text(), *hard));
  }
  found.under_other_software = hard || soft;
  if (found.under_other_software) {
    const bool predicted = profile.kind == ProfileKind::kPredicted;
    const bool other = is_other_processor(profile.device.processor, device.processor);
    found.origin += hard && named.relative ? "; tuned under another driver"
                    : hard                 ? "; for another device, but forced"
                    : predicted            ? "; predicted, not measured"
                    : other                ? "; tuned on another processor"
                                           : "; tuned with other software";
    found.remarks = fmt::format("; {}; each kernel is verified at first use", hard ? *hard : *soft);
  }
  if (const std::size_t changed = profile.changed_built_in.size(); changed > 0) {
    found.remarks += fmt::format(
        "; {} of the built-in kernels that it measured have changed: tune again", changed);
  }
  found.profile = std::move(profile);
  return found;
}

FoundProfile named_file(const Named& named, const DeviceIdentity& device,
                        const GenericProfile& generic) {
  if (const FileContent probe = read_file(named.name, {0, 0}); !probe.can_be_opened) {
    throw Error(TW_NO_PROFILE, fmt::format("profile {} {}", named.text(), probe.failure));
  }
  try {
    FoundProfile found = accept(load_profile(named.name, generic), named, device);
    found.path = named.name;
    return found;
  } catch (const ProfileError& error) {
    throw Error(TW_BAD_PROFILE, named.with_why(error.what()));
  }
}

FoundProfile named_text(const std::string& text, bool forced, const DeviceIdentity& device,
                        const GenericProfile& generic) {
  try {
    return accept(parse_profile(text, "profile text", generic), {"text in memory", "", forced},
                  device);
  } catch (const ProfileError& error) {
    throw Error(TW_BAD_PROFILE, error.what());
  }
}

// How well a usable profile fits the device, worst first. The two GPUs of a Mali-T628 differ only
// in their number of cores.
enum class Fit {
  kPredictedForOtherUnits,  // never measured, and for another number of compute units
  kPredicted,               // never measured
  kRelative,       // the same hardware, reported with another vendor or version of OpenCL C
  kOtherUnits,     // measured on a device of this name with another number of compute units
  kOtherSoftware,  // another driver or platform, or other software in the device's name
  kExact,
};

Fit profile_fit(const Profile& profile, const DeviceIdentity& device) {
  const bool other_units = profile.device.compute_units != device.compute_units;
  if (profile.kind == ProfileKind::kPredicted) {
    return other_units ? Fit::kPredictedForOtherUnits : Fit::kPredicted;
  }
  if (hard_mismatch(profile, device)) return Fit::kRelative;
  if (other_units) return Fit::kOtherUnits;
  return soft_mismatch(profile, device) ? Fit::kOtherSoftware : Fit::kExact;
}

bool offers(const DeviceLimits& device, const DeviceLimits& wanted) {
  return device.max_work_group_size >= wanted.max_work_group_size &&
         device.max_work_item_sizes[0] >= wanted.max_work_item_sizes[0] &&
         device.max_work_item_sizes[1] >= wanted.max_work_item_sizes[1] &&
         device.local_memory_bytes >= wanted.local_memory_bytes &&
         device.local_memory_is_dedicated == wanted.local_memory_is_dedicated &&
         (device.image_support || !wanted.image_support);
}

// True if the profile was tuned on the same hardware, but with a driver that reports another vendor
// or version of OpenCL C.
bool is_relative(const Profile& profile, const DeviceIdentity& device) {
  return profile.kind == ProfileKind::kTuned &&
         hardware_name(profile.device.name) == hardware_name(device.name) &&
         offers(device.limits, profile.device.limits);
}

// State of a search through the folders.
struct Walk {
  struct Usable {
    Fit fit;
    FoundProfile found;
  };
  std::vector<Usable> usable;    // in the order of the folders
  std::string damaged;           // "; skipped a damaged profile: ..." for each damaged file
  std::string other_processors;  // "; not used: ..." for each profile of another processor
  std::vector<UntrustedProfile> untrusted;

  // The number of usable profiles that fit exactly. After the first one, another file can only be
  // its fallback; after the second one, none can change the result.
  std::ptrdiff_t num_exact() const;
  // The profile that fits best, with its fallback. `usable` must not be empty.
  FoundProfile take_best();
};

std::ptrdiff_t Walk::num_exact() const {
  return std::count_if(usable.begin(), usable.end(),
                       [](const Usable& file) { return file.fit == Fit::kExact; });
}

FoundProfile Walk::take_best() {
  std::stable_sort(usable.begin(), usable.end(),
                   [](const Usable& a, const Usable& b) { return a.fit > b.fit; });
  FoundProfile best = std::move(usable.front().found);
  const auto is_tuned = [](const FoundProfile& found) {
    return found.profile.kind == ProfileKind::kTuned;
  };
  if (usable.size() > 1 && is_tuned(best) && is_tuned(usable[1].found)) {
    best.remarks += fmt::format("; for products that it does not cover: {}", usable[1].found.path);
    best.fallback.push_back(std::move(usable[1].found));
  }
  if (!damaged.empty()) best.origin += kFilesSkipped;
  best.remarks += damaged;
  best.untrusted = std::move(untrusted);
  return best;
}

// The value of the first string with this key, or nullopt if there is none without escapes.
std::optional<std::string_view> first_text(std::string_view toml, std::string_view key) {
  const std::string opening = fmt::format("\n{} = \"", key);
  const std::size_t found = toml.find(opening);
  if (found == std::string_view::npos) return std::nullopt;
  toml.remove_prefix(found + opening.size());
  const std::size_t end = toml.find_first_of("\"\\\n");
  if (end == std::string_view::npos || toml[end] != '"') return std::nullopt;
  return toml.substr(0, end);
}

// The first lines of a file, which identify the device. Folders contain profiles of several
// megabytes for many devices, and a starting program should not parse all of them.
std::string read_head(const std::string& file) {
  constexpr std::size_t kHead = 1024;  // bytes; includes everything before [device.limits]
  return read_file(file, {0, kHead}).bytes;
}

// True if the first lines of a file show that it is a profile of other hardware, or the generic
// one. False if they are not conclusive; then the parser decides.
bool is_for_others(std::string_view head, const DeviceIdentity& device) {
  const auto kind = first_text(head, "kind");
  if (kind == to_text(ProfileKind::kGeneric)) return true;
  const auto name = first_text(head, "name");
  if (!kind || !name) return false;
  if (kind == to_text(ProfileKind::kPredicted)) return !names_kind(device.name, *name);
  return kind == to_text(ProfileKind::kTuned) && hardware_name(*name) != hardware_name(device.name);
}

// True if a profile was tuned on another processor, which `walk` then says.
bool is_refused(std::string_view processor, const std::string& file, const DeviceIdentity& device,
                Walk& walk) {
  if (!is_other_processor(processor, device.processor)) return false;
  walk.other_processors +=
      fmt::format("; not used: {} was tuned on the processor {}, and this is {}", file,
                  in_quotes(processor), in_quotes(device.processor));
  return true;
}

// Examines one file.
void consider(const std::string& file, const OwnProfiles& own, const DeviceIdentity& device,
              const GenericProfile& generic, Walk& walk) {
  const std::string head = read_head(file);
  if (is_for_others(head, device)) return;
  if (is_refused(first_text(head, "processor").value_or(""), file, device, walk)) return;
  if (auto untrusted = why_not_used(file, own)) {
    if (walk.num_exact() == 0) walk.untrusted.push_back(std::move(*untrusted));
    return;
  }
  try {
    Profile profile = load_profile(file, generic);
    if (profile.kind == ProfileKind::kGeneric) return;
    if (is_refused(profile.device.processor, file, device, walk)) return;
    const bool relative = hard_mismatch(profile, device).has_value();
    if (relative && !is_relative(profile, device)) return;
    const Fit fit = profile_fit(profile, device);
    FoundProfile found =
        accept(std::move(profile), {file, "matches the device", false, relative}, device);
    found.path = file;
    walk.usable.push_back({fit, std::move(found)});
  } catch (const ProfileError& error) {
    walk.damaged += fmt::format("; skipped a damaged profile: {}", error.what());
  }
}

}  // namespace

SearchPath default_search_path() {
  SearchPath path;
  path.named_file = environment("TILEWRIGHT_PROFILE");
  if (std::string folder = user_profile_folder(); !folder.empty()) {
    path.folders.push_back(std::move(folder));
  }
  const std::string library = own_file();
  for (std::string& folder : shipped_profile_folders(library, TILEWRIGHT_PROFILE_FOLDER)) {
    path.folders.push_back(std::move(folder));
  }
  path.own = own_profiles(library);
  return path;
}

std::string user_profile_folder() {
  const std::string data_home = base_folder("XDG_DATA_HOME", ".local/share");
  return data_home.empty() ? "" : data_home + "/tilewright/profiles";
}

std::string origin_text(const FoundProfile& found) {
  std::string text = found.origin;
  for (const TrustReport& report : trust_reports(found.untrusted)) {
    text += "; not used: " + to_text(report);
  }
  return text;
}

std::vector<std::string> profile_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    if (it->path().extension() == ".toml") files.push_back(it->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

FoundProfile find_profile(const ProfileSource& source, const SearchPath& path,
                          const DeviceIdentity& device, const GenericProfile& generic) {
  switch (source.kind()) {
    case ProfileSource::Kind::kFile:
      return named_file({source.value(), "", source.is_forced()}, device, generic);
    case ProfileSource::Kind::kText:
      return named_text(source.value(), source.is_forced(), device, generic);
    case ProfileSource::Kind::kBuiltin:
      return {.profile = generic.get(), .origin = "built-in"};
    case ProfileSource::Kind::kAutomatic:
      break;
  }
  if (!path.named_file.empty()) {
    const char* const why = "named by TILEWRIGHT_PROFILE";
    if (path.named_file == "builtin") {
      return {.profile = generic.get(), .origin = fmt::format("built-in ({})", why)};
    }
    return named_file({path.named_file, why, source.is_forced()}, device, generic);
  }
  Walk walk;
  for (const std::string& folder : path.folders) {
    for (const std::string& file : profile_files(folder)) {
      std::error_code missing;  // then it is no file of the folder
      if (fs::equivalent(file, path.excluded, missing)) continue;
      if (walk.num_exact() < 2) consider(file, path.own, device, generic, walk);
    }
  }
  if (!walk.usable.empty()) return walk.take_best();
  return {
      .profile = generic.get(),
      .origin = fmt::format("built-in; none tuned for this device{}",
                            walk.damaged.empty() ? "" : kFilesSkipped),
      .remarks = fmt::format("; searched {}; run tilewright tune to make products faster{}{}",
                             fmt::join(path.folders, " and "), walk.other_processors, walk.damaged),
      .untrusted = std::move(walk.untrusted)};
}

}  // namespace tilewright
