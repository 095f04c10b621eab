#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "profiles/base/usage_error.hpp"
#include "profiles/base/write_file.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/journal/merge.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/tuning_files.hpp"

namespace tilewright {
namespace {

struct MergeArguments {
  std::vector<std::string> journals;
  std::string output;
  int max_kernels = 0;
};

// Adds the command lines of the tunings, so that the profile records how it was measured.
std::string with_tunings(const std::string& command_line, const std::vector<Session>& sessions) {
  std::vector<std::string> tunings;
  for (const Session& session : sessions) {
    const bool is_new =
        std::find(tunings.begin(), tunings.end(), session.command_line) == tunings.end();
    if (is_new) tunings.push_back(session.command_line);
  }
  return fmt::format("{}; journals written by: {}", command_line, fmt::join(tunings, "; "));
}

void run_merge(const MergeArguments& arguments, const std::string& command_line) {
  refuse_input("--output", arguments.output, arguments.journals);
  std::vector<JournalContents> journals;
  for (const std::string& path : arguments.journals) {
    const auto& all = arguments.journals;
    const auto is_it = [&](const std::string& other) { return is_same_file(path, other); };
    if (std::count_if(all.begin(), all.end(), is_it) > 1) {
      throw UsageError(fmt::format("merge: journal {} is given twice", path));
    }
    journals.push_back(read_journal(path));
    if (const auto reason = merge_difference(journals.back().header, journals.front().header)) {
      throw JournalError(
          fmt::format("journal {} cannot be combined with {}: {}", path, all.front(), *reason));
    }
  }
  const JournalContents merged = merge(journals, arguments.journals);
  const Profile profile =
      make_profile(merged, arguments.max_kernels, with_tunings(command_line, merged.sessions));
  write_file_atomically(arguments.output, write_profile(profile));
  print("{}: {} kernels and {} results, from {} candidates in {} journals{}\n", arguments.output,
        profile.kernels.size(), profile.results.size(), merged.outcomes.size(), journals.size(),
        profile.provenance.complete ? "" : "; the tuning is not complete");
  const std::vector<int> missing = missing_shards(journals);
  if (!missing.empty()) {
    print(stderr, "tilewright: of {} parts (--shard), these are missing: {}\n",
          journals.front().header.shards, fmt::format("{}", fmt::join(missing, ", ")));
  }
  if (const auto excess = explain_excess(profile, arguments.max_kernels)) {
    print(stderr, "tilewright: {}\n", *excess);
  }
}

}  // namespace

void add_merge_command(CLI::App& app, const std::string& command_line) {
  CLI::App* command = app.add_subcommand(
      "merge",
      "Combine tuning journals of identical boards into one profile\n\n"
      "The journals are parts of one tuning (tune --shard), or tunings for different shapes with "
      "at "
      "least one in common.");
  auto arguments = std::make_shared<MergeArguments>();
  command->add_option("JOURNAL", arguments->journals, "Journals of `tilewright tune`")->required();
  command->add_option("--output", arguments->output, "Profile to write")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--max-kernels", arguments->max_kernels,
                   "Limit the number of product kernels in the profile [default: no limit]")
      ->check(CLI::NonNegativeNumber);
  command->footer(
      "Example:\n"
      "  tilewright merge a.toml.journal.jsonl b.toml.journal.jsonl --output board.toml");
  command->callback([arguments, command_line] { run_merge(*arguments, command_line); });
}

}  // namespace tilewright
