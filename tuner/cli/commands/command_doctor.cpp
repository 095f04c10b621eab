#include <memory>

#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/doctor/this_machine.hpp"

namespace tilewright {
namespace {

struct DoctorArguments {
  std::string root = "/";
  bool json = false;
};

int run_doctor(const DoctorArguments& arguments) {
  const Findings findings = findings_below(arguments.root);
  print_lines(arguments.json ? to_json_text(findings) + "\n" : to_text(findings));
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
