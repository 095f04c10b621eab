#include "tuner/doctor/checks.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace tilewright {
namespace {

constexpr FindingState kOk = FindingState::kOk;
constexpr FindingState kNote = FindingState::kNote;
constexpr FindingState kProblem = FindingState::kProblem;

// Remedies that several checks share.
constexpr const char* kInstallLoader =
    "sudo apt install ocl-icd-libopencl1, and take the folder of the other library out of "
    "LD_LIBRARY_PATH and /etc/ld.so.conf.d";
constexpr const char* kSeveralDrivers =
    "nothing, or, for several drivers at once: install ocl-icd-libopencl1 and name the driver in "
    "an ICD file";
constexpr const char* kNameDriver =
    "sudo mkdir -p /etc/OpenCL/vendors; echo {path} | sudo tee /etc/OpenCL/vendors/{file}";
constexpr const char* kInstallLibmali =
    "install the libmali that matches the GPU and the kernel driver's version, and name it in "
    "/etc/OpenCL/vendors/mali.icd";
constexpr const char* kInstallMesa =
    "sudo apt install mesa-opencl-icd (Mesa 24.1 or later for panthor), then export "
    "RUSTICL_ENABLE=panfrost; or boot the vendor's kernel";
constexpr const char* kEnableRusticl =
    "export RUSTICL_ENABLE=panfrost (for good: echo RUSTICL_ENABLE=panfrost | sudo tee -a "
    "/etc/environment); it is panfrost for the kernel driver panthor, too";
constexpr const char* kPinClock = "echo performance | sudo tee {folder}/governor";

// The checks of each subject, grouped in the order in which one should fix problems. For each piece
// of evidence, the first check that applies becomes the finding.
constexpr Check kChecks[] = {
    // Device nodes of GPUs, and GPUs without one.
    {"node", kProblem, "orphan",
     "the board has a GPU ({orphan}), and no kernel driver has taken it",
     "sudo modprobe panfrost (panthor for G610 on), or boot a kernel with the vendor's driver; "
     "dmesg | grep -i -e mali -e pan says why not"},
    {"node", kNote, "!path", "there is neither /dev/mali0 nor a GPU's /dev/dri/renderD*",
     "nothing, if the device is the CPU or has nodes of another kind (NVIDIA); else a kernel with "
     "a driver for the GPU"},
    {"node", kProblem, "!exists !driver", "the kernel lists a GPU, but {path} is not there",
     "udev or devtmpfs makes it (a container must be given it: --device {path})"},
    {"node", kProblem, "!exists", "the kernel driver {driver} runs, but {path} is not there",
     "udev or devtmpfs makes it (a container must be given it: --device {path})"},
    {"node", kOk, "usable", "{description} can be read and written", ""},
    // Not a problem: drivers of other GPUs may have their own nodes (/dev/nvidia0), and virtual
    // GPUs cannot compute.
    {"node", kProblem, "mali",
     "{description} may not be read and written by {user} (group {group}, mode {mode})",
     "{access}"},
    {"node", kNote, "",
     "{description} may not be read and written by {user} (group {group}, mode {mode})",
     "{access}"},

    // The OpenCL library that programs are linked with.
    {"loader", kProblem, "asked !path", "no OpenCL library can be loaded: {tried}",
     "sudo apt install ocl-icd-libopencl1, or name a library in TILEWRIGHT_OPENCL"},
    {"loader", kProblem, "!path", "libOpenCL.so.1 is not in the folders of libraries",
     "sudo apt install ocl-icd-libopencl1"},
    {"loader", kNote, "mali missing",
     "{path} is the vendor's driver itself ({resolved}): ICD files are not read, and no other "
     "driver is seen; it has no {missing}",
     kSeveralDrivers},
    {"loader", kNote, "mali",
     "{path} is the vendor's driver itself ({resolved}): ICD files are not read, and no other "
     "driver is seen",
     kSeveralDrivers},
    {"loader", kNote, "missing",
     "{path} is the loader of a vendor, for OpenCL 1.1: it has no {missing}", kInstallLoader},
    {"loader", kNote, "asked !usual",
     "{path} is the loader of a vendor: its symbol versions are not those of the usual loader, and "
     "it may not read ICD files",
     "nothing, if all devices are listed; else sudo apt install ocl-icd-libopencl1, and take the "
     "folder of the other library out of LD_LIBRARY_PATH and /etc/ld.so.conf.d"},
    {"loader", kOk, "asked", "{path} is called", ""},
    {"loader", kOk, "", "{path} is there", ""},

    // Drivers that the loader does not find.
    {"icd", kProblem, "variable", "OCL_ICD_VENDORS={variable} names no driver",
     "unset OCL_ICD_VENDORS"},
    {"icd", kNote, "vendors_loader",
     "{folder} names no driver, but {vendors_loader} is the vendor's driver itself",
     "nothing, as long as no second driver is wanted"},
    {"icd", kProblem, "folder", "{folder} names no driver, so that clinfo shows 0 platforms",
     "install an OpenCL driver: the vendor's libmali for the kernel driver kbase, mesa-opencl-icd "
     "for panfrost and panthor, pocl-opencl-icd for the CPU (docs/tune-your-board.md has the "
     "commands for each board)"},
    {"icd", kProblem, "unnamed !named_others",
     "{path} is here, and no ICD file names it, so that clinfo shows 0 platforms", kNameDriver},
    {"icd", kNote, "unnamed", "{path} is here, and no ICD file names it", kNameDriver},
    // ICD files, or the variable that replaces them, and the libraries that they name.
    {"icd", kProblem, "!library", "{from} is empty or cannot be read",
     "write the name of the driver's library on its first line, or remove it"},
    {"icd", kProblem, "surplus",
     "{from} has {surplus} the name {library}: the loader takes it as a part of the name and finds "
     "no such library",
     "echo {library} | sudo tee '{from}'"},
    {"icd", kProblem, "!path", "{from} names {library}, which is not there",
     "install the driver again, write the right path into {from}, or remove it"},
    {"icd", kProblem, "!machine", "{from} names {path}, which is no library",
     "install the driver again: a download may have left a text in its place"},
    {"icd", kProblem, "foreign",
     "{from} names {path}, which is for {machine}; this program is for {program_machine}",
     "install the driver for the same architecture, or a tilewright for the driver's"},
    {"icd", kProblem, "load_failure", "{from} names {path}, which does not load: {load_failure}",
     "ldd {path} shows libraries that are missing; install them"},
    {"icd", kProblem, "!driver",
     "{from} names {path}, which is no OpenCL driver: it lacks clIcdGetPlatformIDsKHR, or is the "
     "loader",
     "write the driver's library into {from}, or {drop}"},
    {"icd", kNote, "twin",
     "{from} names {path}, as {twin} does: each of its devices is listed twice", "{drop}"},
    {"icd", kProblem, "silent !devices pocl", "{from} names {path}, which lists no device",
     "look for its device or for the right to use it in the findings below, or install another "
     "version of the driver; POCL_DEBUG=all clinfo -l prints PoCL's own messages"},
    {"icd", kProblem, "silent !devices", "{from} names {path}, which lists no device",
     "look for its device or for the right to use it in the findings below, or install another "
     "version of the driver"},
    {"icd", kNote, "silent", "{from} names {path}, which lists no device",
     "nothing, if its device is not in this machine ({drop} removes it)"},
    {"icd", kOk, "loads", "{from} names {path}, which loads", ""},
    {"icd", kOk, "", "{from} names {path}, for {machine}", ""},

    // What prevents PoCL from listing a device, or makes its times unsteady.
    {"pocl", kProblem, "unwritable_cache",
     "PoCL can neither write nor make its cache folder '{unwritable_cache}', and lists no device "
     "without it (it takes $POCL_CACHE_DIR, else $XDG_CACHE_HOME/pocl/kcache, else "
     "$HOME/.cache/pocl/kcache)",
     "export POCL_CACHE_DIR=FOLDER, a folder that you may write, such as /tmp/pocl-$USER"},
    {"pocl", kNote, "affinity=0",
     "POCL_AFFINITY=0 lets PoCL's threads move between cores, which makes times unsteady",
     "unset POCL_AFFINITY"},

    // Whether the kernel driver and the OpenCL driver belong together.
    {"libmali", kOk, "installed",
     "libmali is there for the kernel driver {kernel}: the two must be of one DDK", ""},
    {"libmali", kProblem, "mesa",
     "the kernel driver is the vendor's ({kernel}), and no ICD file leads to libmali; Mesa does not "
     "work on this kernel driver",
     kInstallLibmali},
    {"libmali", kProblem, "",
     "the kernel driver is the vendor's ({kernel}), and no ICD file leads to libmali",
     kInstallLibmali},
    {"firmware", kProblem, "missing", "{missing} is not there",
     "install the firmware that comes with libmali, then reboot"},
    {"rusticl", kProblem, "!installed libmali",
     "the kernel driver is {driver}, and Mesa's rusticl is not installed; libmali wants the vendor's "
     "kernel driver, and a kernel has one or the other",
     kInstallMesa},
    {"rusticl", kProblem, "!installed",
     "the kernel driver is {driver}, and Mesa's rusticl is not installed", kInstallMesa},
    {"rusticl", kOk, "names_panfrost", "RUSTICL_ENABLE={enabled} for the kernel driver {driver}",
     ""},
    {"rusticl", kOk, "lists_gpu",
     "it lists the GPU without RUSTICL_ENABLE: this Mesa enables it by itself", ""},
    {"rusticl", kProblem, "!set panfrost_at_login",
     "/etc/environment sets RUSTICL_ENABLE, which is not in this environment",
     "log out and in again, or export RUSTICL_ENABLE=panfrost"},
    {"rusticl", kProblem, "!enabled",
     "RUSTICL_ENABLE is not set, and Mesa's rusticl shows no GPU by itself", kEnableRusticl},
    {"rusticl", kProblem, "", "RUSTICL_ENABLE={enabled} does not name panfrost", kEnableRusticl},
    {"lima", kNote, "", "the GPU is a Mali-400 or 450 (Utgard)",
     "nothing helps: these GPUs cannot run OpenCL"},

    // The replies of the drivers.
    {"opencl", kNote, "other_machine", "drivers were not asked: these files are of another machine",
     "run tilewright doctor on that machine"},
    {"opencl", kProblem, "culprit", "the driver of {culprit}, asked alone, {what}",
     "fix the problem of its device node, which is listed above; else install another version of "
     "it, or disable it: sudo mv {culprit} {culprit}.off"},
    {"opencl", kProblem, "crash", "the process that asked the drivers for their devices {crash}",
     "leave one ICD file at a time in /etc/OpenCL/vendors to find the driver; dmesg may say more"},
    {"opencl", kProblem, "failure", "{failure}",
     "see the findings about nodes and drivers above; else install another version of the driver"},
    {"opencl", kProblem, "unlisted problems_above", "no driver lists {unlisted}",
     "fix the problems above; then clinfo -l lists it"},
    {"opencl", kProblem, "unlisted", "no driver lists {unlisted}",
     "clinfo -l may show the driver's own messages, and dmesg the kernel's; else install another "
     "version of the driver"},
    {"opencl", kNote, "without_timers", "device {without_timers} cannot time its commands",
     "nothing need be done: kernels are timed by the host's clock, which takes longer and shows "
     "less; under Mesa, a newer kernel may give the GPU timestamps (panfrost: Linux 6.13)"},
    {"opencl", kNote, "other_part",
     "devices {device} and {other_part} have the same name and {units} and {other_units} compute "
     "units",
     "tune them apart: tilewright tune --device {device}, then --device {other_part}"},
    {"opencl", kOk, "device", "{device}", ""},

    // Profiles for the devices.
    {"profile", kProblem, "damaged", "passed over: {damaged}",
     "write it anew (tilewright tune), or remove it: rm '{path}'"},
    {"profile", kProblem, "failure", "device {device}: {failure}",
     "mend or remove that file, or unset TILEWRIGHT_PROFILE"},
    {"profile", kNote, "origin !tuned", "device {device} is served by {kind}: {origin}",
     "tilewright tune --device {device}"},
    {"profile", kNote, "origin other_software", "device {device} is served by {kind}: {origin}",
     "tilewright verify '{path}' --device {device}, or tilewright tune --device {device} "
     "--warm-start '{path}'"},
    {"profile", kNote, "origin uncovered",
     "device {device} is served by {kind}: {origin}; it does not cover {uncovered}: the built-in "
     "kernels run there",
     "tilewright tune --device {device}"},
    {"profile", kOk, "origin", "device {device} is served by {kind}: {origin}", ""},
    {"profile", kNote, "other_processor",
     "{path} was tuned on another processor, and device {device} does not use it: {mismatch}",
     "tilewright tune --device {device} --warm-start '{path}' starts with its kernels"},
    {"profile", kNote, "mismatch",
     "{path} is a profile of {relation} under another driver or compiler target, and does not "
     "serve device {device}: {mismatch}",
     "tilewright tune --device {device} --warm-start '{path}' starts with its kernels"},
    {"profile", kNote, "", "{path} fits device {device}, too, but another one comes first",
     "TILEWRIGHT_PROFILE=FILE names one; remove the other if nothing needs it"},

    // What determines how fast and how steadily kernels run.
    {"clock", kNote, "exynos",
     "{folder}/clock says {clock}, {folder}/dvfs_governor {governor}; there is no devfreq, so that "
     "tune cannot watch the clock",
     "a kernel from 4.14 on has devfreq; with this one, switch the GPU's dvfs off in that folder, "
     "if it allows it, and cool the board"},
    {"clock", kOk, "!folder !gpu", "no GPU's clock under /sys/class/devfreq", ""},
    {"clock", kNote, "!folder",
     "the GPU's clock is not under /sys/class/devfreq, so that tune cannot watch it",
     "cool the board, and look whether the kernel was built with devfreq for the GPU"},
    {"clock", kNote, "governor=powersave", "{reading}; pinned at its lowest", kPinClock},
    {"clock", kNote, "!fixed !governor=performance !governor=userspace !governor=unknown",
     "{reading}; it floats, which makes samples incomparable", kPinClock},
    {"clock", kNote, "governor=performance below_max",
     "{reading}; below its highest although pinned there",
     "it is throttled, or the firmware caps it: look at the temperatures, cool the board"},
    {"clock", kOk, "", "{reading}", ""},
    // By default, tune limits a launch to 200 ms; predictions may be wrong by a factor of two.
    {"watchdog", kNote, "ms<400", "{who} ends a dispatch after {ms} ms",
     "tilewright tune --max-dispatch {half_ms}ms"},
    {"watchdog", kOk, "ms", "{who} ends a dispatch after {ms} ms; tune keeps each below 200 ms",
     ""},
    {"watchdog", kOk, "cycles",
     "kbase ends what makes no progress for {cycles} GPU cycles ({file})", ""},
    {"watchdog", kOk, "",
     "kbase does not say when it ends a dispatch; its defaults are 5 s for OpenCL", ""},
    {"cpu", kOk, "governors=performance", "governor of the cores: {governors}", ""},
    {"cpu", kNote, "governors",
     "governor of the cores: {governors}; launches take longer while a core is slow",
     "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"},
    {"temperature", kNote, "hot", "{hot}",
     "it throttles, or is about to: put a fan on it before tuning"},
    {"temperature", kOk, "cool", "{cool}", ""},
    // Three buffers with matrices of 2880 x 2880, images, and the compiler need this much.
    {"memory", kNote, "total_mib free_mib<400", "{free_mib} MiB of {total_mib} MiB are available",
     "end what is not needed (the desktop), or tune with smaller --shapes: a device shares this "
     "memory"},
    {"memory", kOk, "total_mib", "{free_mib} MiB of {total_mib} MiB are available", ""},
};

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

std::optional<Finding> finding_from(const Evidence& evidence) {
  for (const Check& check : kChecks) {
    if (check.subject != evidence.subject || !holds(check.condition, evidence)) continue;
    return Finding{evidence.subject, check.state, filled(check.sentence, evidence),
                   filled(check.remedy, evidence)};
  }
  return std::nullopt;
}

}  // namespace tilewright
