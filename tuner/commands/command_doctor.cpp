#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <memory>

#include "tuner/commands/commands.hpp"
#include "tuner/doctor/doctor.hpp"
#include "tuner/terminal/say.hpp"
#include "tuner/terminal/usage_error.hpp"

namespace tilewright {
namespace {

struct DoctorArguments {
  std::string root = "/";
  bool json = false;
};

std::string user_name() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry == nullptr ? "" : entry->pw_name;
}

// Of the program on this machine: its environment, and libraries are tried.
DoctorUser this_user() {
  DoctorUser user;
  for (const std::string& name : doctor_variables()) {
    const char* value = ::getenv(name.c_str());
    if (value != nullptr && *value != '\0') user.environment[name] = value;
  }
  user.machine = elf_machine(BoardFiles(), "/proc/self/exe");
  user.why_not_loaded = [](const std::string& library) { return probe_library(library); };
  return user;
}

// Which drivers crash or hang when they are asked alone, by their ICD file.
std::map<std::string, std::string> culprits_of(const std::vector<Driver>& drivers) {
  std::map<std::string, std::string> culprits;
  for (const Driver& driver : drivers) {
    if (driver.icd_file.empty() || driver.path.empty()) continue;
    const OpenClProbe alone = probe_opencl(driver.icd_file);
    if (!alone.failure.empty()) culprits[driver.icd_file] = alone.failure;
  }
  return culprits;
}

int run_doctor(const DoctorArguments& arguments) {
  const BoardFiles files(arguments.root);
  if (!files.is_folder("/")) {
    throw UsageError(fmt::format("--root: {} is not a folder", arguments.root));
  }
  const bool here = files.root().empty();
  DoctorUser user = here ? this_user() : DoctorUser{};
  user.name = user_name();
  user.may_use = [&](const std::string& path) {
    return ::faccessat(AT_FDCWD, files.here(path).c_str(), R_OK | W_OK, AT_EACCESS) == 0;
  };
  std::optional<OpenClProbe> probe;
  std::map<std::string, std::string> culprits;
  if (here) {
    probe = probe_opencl();
    if (!probe->failure.empty()) culprits = culprits_of(drivers_of(files, user));
  }
  const Findings findings = examine(files, user, probe, culprits, default_search_path());
  say_lines(arguments.json ? to_json_text(findings) + "\n" : to_text(findings));
  return has_problems(findings) ? 1 : 0;
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "doctor", "Tell why OpenCL does not work here, or not as well as it could, and what to do");
  auto a = std::make_shared<DoctorArguments>();
  command
      ->add_option("--root", a->root,
                   "look at the files below this folder, a copy of another machine's; its drivers "
                   "are not loaded")
      ->capture_default_str();
  command->add_flag("--json", a->json, "print JSON");
  command->callback([a, &exit_code] { exit_code = run_doctor(*a); });
}

}  // namespace tilewright
