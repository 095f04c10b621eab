#include <memory>

#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/doctor/doctor.hpp"

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
      "doctor",
      "Check the OpenCL setup and suggest fixes\n\n"
      "Each item is reported as ok, note (could be better) or problem (OpenCL does not work; exit "
      "code 1).");
  auto a = std::make_shared<DoctorArguments>();
  command
      ->add_option("--root", a->root,
                   "Check the files below this folder, a copy of another machine's root; drivers "
                   "are not loaded")
      ->type_name("FOLDER")
      ->capture_default_str();
  add_json_flag(*command, a->json);
  command->callback([a, &exit_code] { exit_code = run_doctor(*a); });
}

}  // namespace tilewright
