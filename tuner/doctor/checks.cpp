#include "tuner/doctor/checks.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace tilewright {
namespace {

constexpr FindingState kOk = FindingState::kOk;
constexpr FindingState kNote = FindingState::kNote;
constexpr FindingState kProblem = FindingState::kProblem;

// The facts of each subject. A fact that is not listed here does not compile (see below) or throws:
// a misspelt fact would never hold.
struct Subject {
  std::string_view name;
  std::string_view facts;  // separated by blanks
};
constexpr Subject kSubjects[] = {
    {"node", "orphan path exists driver usable mali description user group mode access"},
    {"loader", "asked path resolved mali usual missing tried"},
    {"icd",
     "variable value folder vendors_loader unnamed named_others path file from library surplus "
     "machine program_machine foreign loads load_failure driver twin silent devices pocl drop"},
    {"pocl", "unwritable_cache affinity"},
    {"cache", "variable folder shared obstacle"},
    {"libmali", "kernel installed mesa"},
    {"firmware", "missing"},
    {"rusticl", "driver installed libmali set enabled names_panfrost panfrost_at_login lists_gpu"},
    {"lima", ""},
    {"opencl",
     "other_machine culprit what crash failure unlisted problems_above device without_timers units "
     "other_part other_units team unusable obstacle"},
    {"profile",
     "damaged untrusted remedy path failure device origin remarks kind tuned other_software changed "
     "other_processor uncovered "
     "fallback mismatch relation"},
    {"clock", "exynos folder clock governor gpu fixed below_max reading"},
    {"watchdog", "who ms half_ms file cycles"},
    {"cpu", "governors"},
    {"temperature", "hot cool"},
    {"memory", "free_mib total_mib"},
    {"sensor", "name covers unreadable"},
};

// Remedies that several checks share.
constexpr const char* kInstallLoader =
    "sudo apt install ocl-icd-libopencl1, and remove the folder of the other library from "
    "LD_LIBRARY_PATH and /etc/ld.so.conf.d";
constexpr const char* kSeveralDrivers =
    "nothing to do; to use several drivers, install ocl-icd-libopencl1 and name the driver in an "
    "ICD file";
constexpr const char* kNameDriver =
    "sudo mkdir -p /etc/OpenCL/vendors; echo {path} | sudo tee /etc/OpenCL/vendors/{file}";
constexpr const char* kInstallLibmali =
    "install the libmali that matches the GPU and the version of the kernel driver, and name it in "
    "/etc/OpenCL/vendors/mali.icd";
constexpr const char* kInstallMesa =
    "sudo apt install mesa-opencl-icd (Mesa 24.1 or later for panthor), then export "
    "RUSTICL_ENABLE=panfrost; or boot the vendor's kernel";
constexpr const char* kEnableRusticl =
    "export RUSTICL_ENABLE=panfrost (also for the kernel driver panthor); to make it permanent: "
    "echo RUSTICL_ENABLE=panfrost | sudo tee -a /etc/environment";
constexpr const char* kCreateNode =
    "udev or devtmpfs creates it; a container must be started with --device {path}";
constexpr const char* kNoAccess =
    "{user} cannot read and write {description} (group {group}, mode {mode})";
constexpr const char* kNotKept = "compiled kernels are not kept: {folder} {obstacle}";
constexpr const char* kNameCache =
    "export TILEWRIGHT_CACHE=FOLDER, with a folder that only you can write";
constexpr const char* kUsesProfile = "device {device} uses a {kind} profile: {origin}";
constexpr const char* kPinClock = "echo performance | sudo tee {folder}/governor";

// The finding about a subject is that of its first check whose condition holds.
constexpr Check kChecks[] = {
    // Device nodes of GPUs, and GPUs without one.
    {"node", kProblem, "orphan", "the board has a GPU ({orphan}), but no kernel driver uses it",
     "sudo modprobe panfrost (panthor for Mali-G610 and later), or boot a kernel with the vendor's "
     "driver; dmesg | grep -i -e mali -e pan shows why it was not loaded"},
    {"node", kNote, "!path", "no device node of a GPU was found (/dev/mali0, /dev/dri/renderD*)",
     "nothing to do if the device is the CPU or an NVIDIA GPU; otherwise boot a kernel with a "
     "driver for the GPU"},
    {"node", kProblem, "!exists !driver", "the kernel lists a GPU, but {path} does not exist",
     kCreateNode},
    {"node", kProblem, "!exists", "the kernel driver {driver} is loaded, but {path} does not exist",
     kCreateNode},
    {"node", kOk, "usable", "{description} can be read and written", ""},
    // Not a problem: drivers of other GPUs may have other nodes (/dev/nvidia0), and virtual GPUs do
    // not compute.
    {"node", kProblem, "mali", kNoAccess, "{access}"},
    {"node", kNote, "", kNoAccess, "{access}"},

    // The OpenCL library that programs are linked with.
    {"loader", kProblem, "asked !path", "no OpenCL library can be loaded: {tried}",
     "sudo apt install ocl-icd-libopencl1, or set TILEWRIGHT_OPENCL to the path of an OpenCL "
     "library"},
    {"loader", kProblem, "!path", "libOpenCL.so.1 was not found in the library folders",
     "sudo apt install ocl-icd-libopencl1"},
    {"loader", kNote, "mali missing",
     "{path} is the vendor's driver ({resolved}), not a loader: it ignores ICD files and shows no "
     "other driver; it lacks {missing}",
     kSeveralDrivers},
    {"loader", kNote, "mali",
     "{path} is the vendor's driver ({resolved}), not a loader: it ignores ICD files and shows no "
     "other driver",
     kSeveralDrivers},
    {"loader", kNote, "missing", "{path} is a vendor's loader for OpenCL 1.1: it lacks {missing}",
     kInstallLoader},
    {"loader", kNote, "asked !usual",
     "{path} is a vendor's loader: its symbol versions differ from those of the usual loader, and "
     "it "
     "may ignore ICD files",
     "nothing to do if all devices are listed; otherwise: sudo apt install ocl-icd-libopencl1, and "
     "remove the folder of the other library from LD_LIBRARY_PATH and /etc/ld.so.conf.d"},
    {"loader", kOk, "asked", "{path} is used", ""},
    {"loader", kOk, "", "{path} exists", ""},

    // Drivers that the loader does not find.
    {"icd", kProblem, "variable", "{variable}={value} does not name a driver", "unset {variable}"},
    {"icd", kNote, "vendors_loader",
     "no file in {folder} names a driver, but {vendors_loader} is the vendor's driver",
     "nothing to do, unless a second driver is wanted"},
    {"icd", kProblem, "folder",
     "no file in {folder} names a driver, so there is no OpenCL platform (clinfo: 0 platforms)",
     "install an OpenCL driver: the vendor's libmali for the kernel driver kbase, mesa-opencl-icd "
     "for panfrost and panthor, or pocl-opencl-icd for the CPU (docs/boards.md in the sources of "
     "tilewright has the commands for each board)"},
    {"icd", kProblem, "unnamed !named_others",
     "{path} is installed, but no ICD file names it, so there is no OpenCL platform (clinfo: 0 "
     "platforms)",
     kNameDriver},
    {"icd", kNote, "unnamed", "{path} is installed, but no ICD file names it", kNameDriver},
    // ICD files, or the variable that replaces them, and the libraries that they name.
    {"icd", kProblem, "!library", "{from} is empty or cannot be read",
     "write the name of the driver's library on the first line of the file, or remove the file"},
    {"icd", kProblem, "surplus",
     "{from} has {surplus} the name {library}; the loader uses it as part of the name and finds no "
     "such library",
     "sudo sed -i '1s|.*|{library}|' '{from}'"},
    {"icd", kProblem, "!path", "{from} names {library}, which does not exist",
     "reinstall the driver, correct the path in {from}, or {drop}"},
    {"icd", kProblem, "!machine", "{from} names {path}, which is not a library",
     "reinstall the driver; a failed download may have left a text file in its place"},
    {"icd", kProblem, "foreign",
     "{from} names {path}, which is built for {machine}, but this program is built for "
     "{program_machine}",
     "install a driver for {program_machine}, or tilewright for {machine}"},
    {"icd", kProblem, "load_failure", "{from} names {path}, which cannot be loaded: {load_failure}",
     "install the missing libraries; ldd {path} lists them"},
    {"icd", kProblem, "!driver",
     "{from} names {path}, which is not an OpenCL driver: it lacks clIcdGetPlatformIDsKHR, or is "
     "the loader",
     "write the name of the driver's library into {from}, or {drop}"},
    {"icd", kNote, "twin",
     "{from} names {path}, like {twin}, so each of its devices is listed twice", "{drop}"},
    {"icd", kProblem, "silent !devices pocl", "{from} names {path}, which lists no device",
     "see the findings below about the device and its access rights, or install another version of "
     "the driver; POCL_DEBUG=all clinfo -l prints PoCL's messages"},
    {"icd", kProblem, "silent !devices", "{from} names {path}, which lists no device",
     "see the findings below about the device and its access rights, or install another version of "
     "the driver"},
    {"icd", kNote, "silent", "{from} names {path}, which lists no device",
     "nothing to do if its device is not in this machine ({drop} removes the driver)"},
    {"icd", kOk, "loads", "{from} names {path}, which can be loaded", ""},
    {"icd", kOk, "", "{from} names {path}, built for {machine}", ""},

    // Reasons for which PoCL lists no device, or its times vary.
    {"pocl", kProblem, "unwritable_cache",
     "PoCL cannot create or write its cache folder '{unwritable_cache}', and lists no device "
     "without it (the folder is $POCL_CACHE_DIR, or else $XDG_CACHE_HOME/pocl/kcache, or else "
     "$HOME/.cache/pocl/kcache)",
     "export POCL_CACHE_DIR=FOLDER, with a folder that you can write, such as /tmp/pocl-$USER"},
    {"pocl", kNote, "affinity=0",
     "POCL_AFFINITY=0 lets PoCL's threads move between cores, which makes times vary",
     "unset POCL_AFFINITY"},

    // The library's cache of compiled kernels.
    {"cache", kOk, "variable=off", "TILEWRIGHT_CACHE=off: compiled kernels are not kept", ""},
    {"cache", kNote, "!folder",
     "compiled kernels are not kept: neither TILEWRIGHT_CACHE nor XDG_CACHE_HOME nor HOME is set",
     kNameCache},
    {"cache", kNote, "shared", kNotKept, "chmod go-w '{folder}'"},
    {"cache", kNote, "obstacle", kNotKept, kNameCache},
    {"cache", kOk, "",
     "compiled kernels are kept in {folder}; if programs crash while they load kernels: export "
     "TILEWRIGHT_CACHE=off",
     ""},

    // Whether the kernel driver and the OpenCL driver belong together.
    {"libmali", kOk, "installed",
     "libmali is installed for the kernel driver {kernel}; both must be from the same DDK", ""},
    {"libmali", kProblem, "mesa",
     "the kernel driver is the vendor's ({kernel}), but no ICD file names libmali; Mesa does not "
     "work with this kernel driver",
     kInstallLibmali},
    {"libmali", kProblem, "",
     "the kernel driver is the vendor's ({kernel}), but no ICD file names libmali",
     kInstallLibmali},
    {"firmware", kProblem, "missing", "{missing} does not exist",
     "install the firmware that belongs to libmali, then reboot"},
    {"rusticl", kProblem, "!installed libmali",
     "the kernel driver is {driver}, but Mesa's rusticl is not installed; libmali needs the "
     "vendor's "
     "kernel driver, and a kernel can have only one of the two",
     kInstallMesa},
    {"rusticl", kProblem, "!installed",
     "the kernel driver is {driver}, but Mesa's rusticl is not installed", kInstallMesa},
    {"rusticl", kOk, "names_panfrost", "RUSTICL_ENABLE={enabled} for the kernel driver {driver}",
     ""},
    {"rusticl", kOk, "lists_gpu",
     "rusticl lists the GPU without RUSTICL_ENABLE, because this Mesa enables it by default", ""},
    {"rusticl", kProblem, "!set panfrost_at_login",
     "/etc/environment sets RUSTICL_ENABLE, but it is not set in this session",
     "log out and in again, or export RUSTICL_ENABLE=panfrost"},
    {"rusticl", kProblem, "!enabled",
     "RUSTICL_ENABLE is not set, and without it Mesa's rusticl lists no GPU", kEnableRusticl},
    {"rusticl", kProblem, "", "RUSTICL_ENABLE={enabled} does not name panfrost", kEnableRusticl},
    {"lima", kNote, "", "the GPU is a Mali-400 or Mali-450 (Utgard)",
     "nothing to do: these GPUs cannot run OpenCL"},

    // What the drivers reported.
    {"opencl", kNote, "other_machine",
     "drivers were not queried, because these are files of another machine",
     "run tilewright doctor on that machine"},
    {"opencl", kProblem, "culprit", "the driver of {culprit}, queried alone, {what}",
     "fix the problem with its device node that is listed above; otherwise install another version "
     "of the driver, or disable it: sudo mv {culprit} {culprit}.off"},
    {"opencl", kProblem, "crash", "the process that queried the drivers {crash}",
     "leave one ICD file at a time in /etc/OpenCL/vendors to find the driver; dmesg may show more"},
    {"opencl", kProblem, "failure", "{failure}",
     "see the findings about nodes and drivers above; otherwise install another version of the "
     "driver"},
    {"opencl", kProblem, "unlisted problems_above", "no driver lists {unlisted}",
     "fix the problems above, then check with clinfo -l"},
    {"opencl", kProblem, "unlisted", "no driver lists {unlisted}",
     "clinfo -l may show messages of the driver, and dmesg those of the kernel; otherwise install "
     "another version of the driver"},
    {"opencl", kProblem, "unusable", "device {unusable} cannot be used: {obstacle}",
     "end the program that holds the device, or reinstall its driver; dmesg may show more"},
    {"opencl", kNote, "without_timers", "device {without_timers} has no event timestamps",
     "nothing to do: kernels are timed with the host's clock, which takes longer and is less "
     "precise; under Mesa, a newer kernel may provide timestamps (panfrost: Linux 6.13)"},
    {"opencl", kNote, "other_part",
     "devices {device} and {other_part} have the same name, but {units} and {other_units} compute "
     "units",
     "tune each of them: tilewright tune --device {device}, then --device {other_part}"},
    {"opencl", kOk, "team", "{team} (docs/teams.md in the sources)", ""},
    {"opencl", kOk, "device", "{device}", ""},

    // Profiles for the devices.
    {"profile", kProblem, "damaged", "damaged profile, not used: {damaged}",
     "replace it (tilewright tune), or remove it: rm '{path}'"},
    {"profile", kNote, "untrusted", "not used: {untrusted}", "{remedy}"},
    {"profile", kProblem, "failure", "device {device}: {failure}",
     "correct or remove that file, or unset TILEWRIGHT_PROFILE"},
    {"profile", kNote, "origin !tuned", kUsesProfile, "tilewright tune --device {device}"},
    {"profile", kNote, "origin other_software",
     "device {device} uses a {kind} profile: {origin}{remarks}",
     "tilewright verify '{path}' --device {device}, or tilewright tune --device {device} "
     "--warm-start '{path}'"},
    {"profile", kNote, "origin changed",
     "device {device} uses a {kind} profile: {origin}; {changed} of its built-in kernels have "
     "changed since it was tuned, and their times are not used",
     "tilewright tune --device {device}"},
    {"profile", kOk, "origin fallback",
     "device {device} uses a {kind} profile: {origin}; for products that it does not cover: "
     "{fallback}",
     ""},
    {"profile", kNote, "origin uncovered",
     "device {device} uses a {kind} profile: {origin}; it does not cover {uncovered}: the built-in "
     "kernels run there",
     "tilewright tune --device {device}"},
    {"profile", kOk, "origin", kUsesProfile, ""},
    {"profile", kNote, "other_processor",
     "{path} was tuned on another processor, so device {device} does not use it: {mismatch}",
     "to start a tuning from its kernels: tilewright tune --device {device} --warm-start '{path}'"},
    {"profile", kNote, "mismatch",
     "{path} is a profile for {relation} with another driver or compiler target, so device {device} "
     "does not use it: {mismatch}",
     "to start a tuning from its kernels: tilewright tune --device {device} --warm-start '{path}'"},
    {"profile", kNote, "", "{path} also fits device {device}, but another profile has priority",
     "to use it, set TILEWRIGHT_PROFILE to its path; remove the profile that is not needed"},

    // What decides how fast kernels run, and how much their times vary.
    {"clock", kNote, "exynos",
     "{folder}/clock is {clock}, {folder}/dvfs_governor is {governor}; without devfreq, tune cannot "
     "watch the clock",
     "Linux 4.14 and later have devfreq; with this kernel, switch off dvfs in that folder if "
     "possible, and cool the board"},
    {"clock", kOk, "!folder !gpu", "no clock of a GPU in /sys/class/devfreq", ""},
    {"clock", kNote, "!folder",
     "the GPU's clock is not in /sys/class/devfreq, so tune cannot watch it",
     "cool the board, and check that the kernel was built with devfreq for the GPU"},
    {"clock", kNote, "governor=powersave", "{reading}; fixed at the lowest frequency", kPinClock},
    {"clock", kNote, "!fixed !governor=performance !governor=userspace !governor=unknown",
     "{reading}; the clock varies, so samples cannot be compared", kPinClock},
    {"clock", kNote, "governor=performance below_max",
     "{reading}; below the highest frequency, although the governor is performance",
     "the GPU is throttled, or the firmware limits it: check the temperatures, cool the board"},
    {"clock", kOk, "", "{reading}", ""},
    // By default, tune limits a launch to 200 ms; predictions may be wrong by a factor of two.
    {"watchdog", kNote, "ms<400", "{who} aborts a dispatch after {ms} ms",
     "tilewright tune --max-dispatch {half_ms}ms"},
    {"watchdog", kOk, "ms",
     "{who} aborts a dispatch after {ms} ms; tune keeps each dispatch below 200 ms", ""},
    {"watchdog", kOk, "cycles",
     "kbase aborts work that makes no progress for {cycles} GPU cycles ({file})", ""},
    {"watchdog", kOk, "",
     "kbase does not report when it aborts a dispatch; the default for OpenCL is 5 s", ""},
    {"cpu", kOk, "governors=performance", "governor of the CPU cores: {governors}", ""},
    {"cpu", kNote, "governors",
     "governor of the CPU cores: {governors}; launches take longer while a core is slow",
     "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"},
    {"temperature", kNote, "hot", "{hot}",
     "the board throttles, or is about to: add a fan before tuning"},
    {"temperature", kOk, "cool", "{cool}", ""},
    // Three buffers with matrices of 2880 x 2880, images, and the compiler need this much.
    {"memory", kNote, "total_mib free_mib<400", "{free_mib} MiB of {total_mib} MiB are available",
     "end other programs (such as the desktop), or tune with smaller --shapes; the device uses the "
     "same memory"},
    {"memory", kOk, "total_mib", "{free_mib} MiB of {total_mib} MiB are available", ""},
    {"sensor", kNote, "name unreadable",
     "the energy sensor {name} ({covers}) cannot be read: {unreadable}",
     "run as root, or see docs/energy.md in the sources; only bench --energy needs the sensor"},
    {"sensor", kOk, "name", "energy sensor {name}: covers {covers}", ""},
    {"sensor", kOk, "", "no energy sensor was found; bench --energy reports times only", ""},
};

constexpr bool has_fact(std::string_view subject, std::string_view fact) {
  for (const Subject& each : kSubjects) {
    if (each.name != subject) continue;
    for (std::string_view rest = each.facts; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (rest.substr(0, end) == fact) return true;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return false;
}

// The first {fact} in the text that the subject does not have, or "".
constexpr std::string_view unknown_placeholder(std::string_view subject, std::string_view text) {
  for (std::size_t begin = 0; (begin = text.find('{', begin)) != std::string_view::npos; ++begin) {
    const std::string_view fact = text.substr(begin + 1, text.find('}', begin) - begin - 1);
    if (!has_fact(subject, fact)) return fact;
  }
  return {};
}

// The first fact in the condition that the subject does not have, or "".
constexpr std::string_view unknown_term(std::string_view subject, std::string_view condition) {
  while (!condition.empty()) {
    const std::size_t end = std::min(condition.find(' '), condition.size());
    std::string_view fact = condition.substr(0, end);
    condition.remove_prefix(std::min(end + 1, condition.size()));
    if (fact.starts_with('!')) fact.remove_prefix(1);
    fact = fact.substr(0, fact.find_first_of("=<"));
    if (!has_fact(subject, fact)) return fact;
  }
  return {};
}

constexpr std::string_view first_unknown_fact(const Check& check) {
  const std::string_view in_condition = unknown_term(check.subject, check.condition);
  if (!in_condition.empty()) return in_condition;
  const std::string_view in_sentence = unknown_placeholder(check.subject, check.sentence);
  return in_sentence.empty() ? unknown_placeholder(check.subject, check.remedy) : in_sentence;
}

static_assert(std::all_of(std::begin(kChecks), std::end(kChecks),
                          [](const Check& check) { return first_unknown_fact(check).empty(); }),
              "a check names a fact that its subject does not have");

void require_known_facts(const Evidence& evidence) {
  const bool is_known =
      std::any_of(std::begin(kSubjects), std::end(kSubjects),
                  [&](const Subject& subject) { return subject.name == evidence.subject; });
  if (!is_known) throw std::invalid_argument("doctor: unknown subject " + evidence.subject);
  for (const auto& [fact, value] : evidence.facts) {
    if (has_fact(evidence.subject, fact)) continue;
    throw std::invalid_argument("doctor: " + evidence.subject + " has no fact " + fact);
  }
}

bool holds_term(std::string_view term, const Evidence& evidence) {
  const bool is_negated = term.front() == '!';
  if (is_negated) term.remove_prefix(1);
  const std::size_t name_size = std::min(term.find_first_of("=<"), term.size());
  const auto found = evidence.facts.find(std::string(term.substr(0, name_size)));
  const std::string fact = found == evidence.facts.end() ? "" : found->second;
  const std::string wanted(term.substr(std::min(name_size + 1, term.size())));
  bool holds = !fact.empty();
  if (name_size < term.size()) {
    holds = term[name_size] == '=' ? fact == wanted
                                   : holds && std::atof(fact.c_str()) < std::atof(wanted.c_str());
  }
  return holds != is_negated;
}

std::string filled(const char* text, const Evidence& evidence) {
  fmt::dynamic_format_arg_store<fmt::format_context> facts;
  for (const auto& [name, fact] : evidence.facts) facts.push_back(fmt::arg(name.c_str(), fact));
  return fmt::vformat(text, facts);
}

}  // namespace

std::span<const Check> all_checks() {
  return kChecks;
}

bool holds(const char* condition, const Evidence& evidence) {
  std::istringstream terms(condition);
  for (std::string term; terms >> term;) {
    if (!holds_term(term, evidence)) return false;
  }
  return true;
}

std::string unknown_fact(const Check& check) {
  return std::string(first_unknown_fact(check));
}

std::optional<Finding> finding_from(const Evidence& evidence) {
  require_known_facts(evidence);
  for (const Check& check : kChecks) {
    if (check.subject != evidence.subject || !holds(check.condition, evidence)) continue;
    return Finding{evidence.subject, check.state, filled(check.sentence, evidence),
                   filled(check.remedy, evidence)};
  }
  return std::nullopt;
}

}  // namespace tilewright
