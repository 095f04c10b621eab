#include "tuner/cli/help_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tuner/tuning/report/live_line.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMaxColumns = 100;  // longer lines are hard to read
constexpr std::size_t kMaxNameWidth = 27;
// CLI11's names for options and commands without a group.
constexpr const char* kNoOptionGroup = "Options";
constexpr const char* kNoCommandGroup = "Subcommands";

constexpr char kHardBlank = '\x01';  // a blank at which no line may be broken

std::size_t line_width() {
  return std::min(terminal_columns(), kMaxColumns);
}

// Breaks the text into lines of at most line_width() characters. The first line starts in column
// `indent`, the others start with as many blanks.
std::string wrapped(const std::string& text, std::size_t indent) {
  const std::size_t width = line_width();
  std::istringstream words(text);
  std::string result;
  std::size_t column = indent;
  for (std::string word; words >> word;) {
    const bool is_first = column == indent;
    if (!is_first && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  std::replace(result.begin(), result.end(), kHardBlank, ' ');
  return result;
}

// The paragraphs of a description, which are separated by empty lines.
std::string paragraphs(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", begin), text.size());
    result += wrapped(text.substr(begin, end - begin), 0) + "\n\n";
    begin = end + 2;
  }
  return result;
}

// What the value of an option is called in the help: N for whole numbers.
std::string value_name(const CLI::Option& option) {
  // After a colon CLI11 names conditions that the value is checked for.
  const std::string type = option.get_type_name().substr(0, option.get_type_name().find(':'));
  if (type == "INT" || type == "UINT") return "N";
  return type == "FLOAT" ? "NUMBER" : type;
}

// "-h, --help", "--budget TIME", "PROFILE"
std::string option_name(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string names;
  for (const std::string& name : option.get_snames()) names += "-" + name + ", ";
  for (const std::string& name : option.get_lnames()) names += "--" + name + ", ";
  names.resize(names.size() - 2);
  return option.get_type_size() == 0 ? names : names + " " + value_name(option);
}

HelpEntry journal_entry_name(const CLI::Option& option) {
  std::string description = option.get_description();
  if (!option.get_default_str().empty()) {
    description += fmt::format(" [default:{}{}]", kHardBlank, option.get_default_str());
  }
  if (option.get_required() && !option.get_positional()) description += " [required]";
  return {option_name(option), description};
}

template <class Condition>
std::vector<HelpEntry> lineup_entries(const CLI::App& app, const Condition& condition) {
  std::vector<HelpEntry> entries;
  for (const CLI::Option* option : app.get_options(condition))
    entries.push_back(journal_entry_name(*option));
  return entries;
}

std::string usage(const CLI::App& app, const std::string& name,
                  const std::vector<const CLI::App*>& commands) {
  std::string text = "Usage: " + name;
  std::string positionals;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      const bool is_list = option->get_expected_max() > 1;
      const std::string word = option_name(*option) + (is_list ? "..." : "");
      positionals += option->get_required() ? " " + word : " [" + word + "]";
    } else if (option->get_required()) {
      text += " " + option_name(*option);
    }
  }
  text += " [OPTIONS]" + positionals;
  return text + (commands.empty() ? "" : " COMMAND") + "\n";
}

std::string option_tables(const CLI::App& app) {
  const std::vector<std::string> groups = app.get_groups();
  std::string text;
  for (const std::string& group : groups) {
    if (group.empty() || group == kNoOptionGroup) continue;
    text += help_table(group, lineup_entries(app, [&](const CLI::Option* option) {
                         return option->get_group() == group && !option->get_positional();
                       }));
  }
  const char* const title = text.empty() ? "Options" : "Other options";
  std::vector<HelpEntry> others = lineup_entries(app, [](const CLI::Option* option) {
    return option->get_group() == kNoOptionGroup && !option->get_positional();
  });
  // --help is CLI11's first option, and a reader's last.
  if (!others.empty()) std::rotate(others.begin(), others.begin() + 1, others.end());
  return text + help_table(title, others);
}

std::string command_tables(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> groups;
  for (const CLI::App* command : commands) {
    const std::string& group = command->get_group();
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  std::string text;
  for (const std::string& group : groups) {
    std::vector<HelpEntry> entries;
    for (const CLI::App* command : commands) {
      if (command->get_group() != group) continue;
      // The first line of a description is the summary.
      const std::string& all = command->get_description();
      entries.push_back({command->get_name(), all.substr(0, all.find('\n'))});
    }
    text += help_table(group == kNoCommandGroup ? "Commands" : group, entries);
  }
  return text;
}

bool has_time(const CLI::App& app) {
  const std::vector<const CLI::Option*> options = app.get_options();
  return std::any_of(options.begin(), options.end(),
                     [](const CLI::Option* option) { return value_name(*option) == kTimeValue; });
}

class HelpFormat : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    const std::vector<const CLI::App*> commands =
        app->get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
    std::string text = paragraphs(app->get_description()) + usage(*app, name, commands);
    text += help_table("Arguments", lineup_entries(*app, [](const CLI::Option* option) {
                         return option->get_positional();
                       }));
    text += command_tables(commands) + option_tables(*app);
    if (has_time(*app)) {
      text += fmt::format("\n{}: 200ms, 90s, 2m, 1h30m, or a number of seconds\n", kTimeValue);
    }
    if (!app->get_footer().empty()) text += "\n" + app->get_footer() + "\n";
    return text;
  }
};

}  // namespace

std::string help_table(const std::string& title, const std::vector<HelpEntry>& entries) {
  if (entries.empty()) return "";
  std::size_t name_width = 0;
  for (const HelpEntry& entry : entries) {
    if (entry.name.size() <= kMaxNameWidth) name_width = std::max(name_width, entry.name.size());
  }
  const std::size_t indent = 2 + name_width + 2;
  std::string text = fmt::format("\n{}:\n", title);
  for (const HelpEntry& entry : entries) {
    text += "  " + entry.name;
    text += entry.name.size() > name_width ? "\n" + std::string(indent, ' ')
                                           : std::string(indent - 2 - entry.name.size(), ' ');
    text += wrapped(entry.description, indent) + "\n";
  }
  return text;
}

void set_help_format(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormat>());
  app.set_help_flag("-h,--help", "Print this help");
}

}  // namespace tilewright
