#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>

#include "profiles/atomic_file.hpp"
#include "tuner/commands/commands.hpp"
#include "tuner/doctor/this_machine.hpp"
#include "tuner/report/submission.hpp"
#include "tuner/terminal/one_file.hpp"
#include "tuner/terminal/say.hpp"
#include "tuner/terminal/usage_error.hpp"

namespace tilewright {
namespace {

struct SubmitArguments {
  std::string profile;
  std::string output;
  bool yes = false;
};

void tell(const Submission& submission) {
  say("{} would hold\n", submission.name);
  for (const SentFile& file : submission.files) {
    say("  {:<13}{:>9} bytes: {}\n", file.name, file.content.size(), file.what);
  }
  say("Your home folder and the names of user and machine are left out. Device, driver and files\n"
      "of the system are named. Nothing is sent: you attach the archive to an issue.\n");
}

bool asked() {
  if (isatty(STDIN_FILENO) == 0) {
    throw UsageError("--yes: it is needed where nobody can be asked whether to write the archive");
  }
  say("Write it? [y/N] ");
  std::fflush(standard_output());
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes" || answer == "Yes";
}

int run_submit(const SubmitArguments& arguments) {
  const std::vector<std::string> read = {arguments.profile, arguments.profile + ".journal.jsonl"};
  if (!arguments.output.empty()) refuse_input("--output", arguments.output, read);
  const ReportInputs inputs = read_report_inputs({arguments.profile}, {});
  const ReportProfile& tuned = inputs.profiles.front();
  if (tuned.profile.kind != ProfileKind::kTuned) {
    throw UsageError(fmt::format("submit: {} is a {} profile: nobody measured it",
                                 arguments.profile, to_text(tuned.profile.kind)));
  }
  const Submission submission = submission_of(tuned, findings_below("/", false), private_words());
  const std::string output = arguments.output.empty() ? submission.name + ".tar" : arguments.output;
  refuse_input("--output", output, read);
  tell(submission);
  if (!tuned.profile.provenance.complete) {
    say("The tuning was stopped before its end: the same command completes it.\n");
  }
  if (!arguments.yes && !asked()) return 1;
  write_file_atomically(output, tar_of(submission));
  say_path(output);
  return 0;
}

}  // namespace

void add_submit_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "submit", "Write an archive of a tuned profile for others to review, without private data");
  auto a = std::make_shared<SubmitArguments>();
  command->add_option("profile", a->profile, "profile, with its journal beside it")->required();
  command->add_option("--output", a->output,
                      "archive to write; default: named by device, driver and profile");
  command->add_flag("--yes", a->yes, "write it without asking");
  command->callback([a, &exit_code] { exit_code = run_submit(*a); });
}

}  // namespace tilewright
