#include <memory>

#include "profiles/base/write_file.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/journal/home_folder.hpp"
#include "tuner/report/report_data.hpp"
#include "tuner/tuning/tuning_files.hpp"

namespace tilewright {

void add_report_command(CLI::App& app) {
  struct Arguments {
    std::vector<std::string> profiles;
    std::vector<std::string> benches;
    bool sources = false;
    std::string output;
  };
  CLI::App* command = app.add_subcommand(
      "report",
      "Write an HTML page about profiles: plots, comparisons, chosen kernels, failures\n\n"
      "The journal of a profile is read from FILE.journal.jsonl in the same folder, if it exists.");
  auto a = std::make_shared<Arguments>();
  command->add_option("PROFILE", a->profiles, "Profiles to show")->required();
  command
      ->add_option("--bench", a->benches,
                   "Output of `bench --json` or `net bench --json` to include")
      ->type_name("FILE...");
  command->add_flag("--sources", a->sources, "Include the source of the kernels that run");
  command->add_option("--output", a->output, "Page to write")->type_name("FILE")->required();
  command->footer(
      "Examples:\n"
      "  tilewright report board.toml --output report.html\n"
      "  tilewright report before.toml after.toml --bench bench.json --output report.html");
  command->callback([a] {
    std::vector<std::string> files = a->benches;
    for (const std::string& profile : a->profiles) {
      files.insert(files.end(), {profile, profile + ".journal.jsonl"});
    }
    refuse_input("--output", a->output, files);
    ReportInputs inputs = read_report_inputs(a->profiles, a->benches);
    inputs.sources = a->sources;
    nlohmann::ordered_json data = report_data(inputs);
    remove_home(data);
    write_file_atomically(a->output, report_page(data));
    print_path(a->output);
  });
}

}  // namespace tilewright
