#include "tuner/cli/help_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>

#include "tuner/journal/records/shares.hpp"
#include "tuner/tuning/report/live_line.hpp"

namespace tilewright {
namespace {

class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat() {
    for (const auto& [theirs, ours] : {std::pair{"Positionals", "Arguments"},
                                       {"SUBCOMMAND", "COMMAND"},
                                       {"INT", "N"},
                                       {"UINT", "N"},
                                       {"FLOAT", "NUMBER"}}) {
      label(theirs, ours);
    }
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return CLI::detail::find_and_replace(Formatter::make_help(app, name, mode), "\n\n\n", "\n\n");
  }

  std::string make_description(const CLI::App* app) const override {
    std::istringstream lines(app->get_description());
    std::string text;
    for (std::string line; std::getline(lines, line);) text += wrapped_help(line, 0, false) + "\n";
    return text + "\n";
  }

  // CLI11 would add the options that each option excludes.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    // After a colon CLI11 names conditions that the value is checked for.
    const std::string type = option->get_type_name();
    return " " + get_label(type.substr(0, type.find(':')));
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = option->get_description();
    const std::string value = option->get_default_str();
    if (!value.empty()) text += fmt::format(" [default: {}]", value);
    if (option->get_required() && !option->get_positional()) text += " [required]";
    return wrapped_help(text, get_column_width(), false);
  }

  // The first line of a description is the summary.
  std::string make_subcommand(const CLI::App* command) const override {
    const std::string all = command->get_description();
    return fmt::format("  {:<{}}{}\n", command->get_name(), get_column_width() - 2,
                       wrapped_help(all.substr(0, all.find('\n')), get_column_width(), true));
  }

  std::string make_footer(const CLI::App* app) const override {
    const auto is_time = [](const CLI::Option* option) {
      return option->get_type_name() == kTimeValue;
    };
    std::string text;
    if (!app->get_options(is_time).empty()) {
      text = fmt::format("{}: 200ms, 90s, 2m, 1h30m, or a number of seconds\n\n", kTimeValue);
    }
    return text + Formatter::make_footer(app);
  }
};

}  // namespace

std::string wrapped_help(const std::string& text, std::size_t indent, bool indents) {
  return wrapped(text, std::min(terminal_columns(), kMaxColumns), indent, indents);
}

void set_help_format(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormat>());
  app.set_help_flag("-h,--help", "Print this help");
}

}  // namespace tilewright
