#include "tuner/cli/command_line_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMaxLength = 64;                // of names that are compared
constexpr std::string_view kExcludes = " excludes ";  // in messages of CLI11

// Levenshtein distance: the number of characters to replace, remove or insert.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// "; did you mean 'NAME'?" with the nearest name; empty if no name is near.
std::string suggestion(const std::string& given, const std::vector<std::string>& names) {
  if (given.size() > kMaxLength) return "";
  std::string nearest;
  // Names farther away are not suggested.
  std::size_t least = std::max(std::size_t{1}, given.size() / 3) + 1;
  for (const std::string& name : names) {
    const bool is_begin = given.size() > 1 && name.rfind(given, 0) == 0;
    const std::size_t distance = is_begin ? 0 : edit_distance(given, name);
    if (distance >= std::min(least, name.size())) continue;
    nearest = name;
    least = distance;
  }
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The error for an argument that the command does not have.
std::string unexpected(const CLI::App& command, const std::string& argument) {
  if (argument.rfind('-', 0) == 0) {
    const std::string name = argument.substr(0, argument.find('='));
    return fmt::format("unknown option {}{}", in_quotes(name),
                       suggestion(name, option_names(command)));
  }
  const std::vector<std::string> commands = command_names(command);
  if (commands.empty()) return fmt::format("unexpected argument {}", in_quotes(argument));
  return fmt::format("unknown command {}{}", in_quotes(argument), suggestion(argument, commands));
}

}  // namespace

std::string command_line_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  std::string path;  // such as "mlp tune"
  while (command->remaining().empty() && !command->get_subcommands().empty()) {
    command = command->get_subcommands().back();
    path += (path.empty() ? "" : " ") + command->get_name();
  }
  const std::vector<std::string> extras = command->remaining();
  std::string what = printable(error.what());  // it may contain an argument
  // A misspelt name is the cause of a missing argument, so report it first.
  if (!extras.empty()) {
    what = unexpected(*command, extras.front());
  } else if (error.get_name() == "ArgumentMismatch" && what.ends_with(" missing")) {
    what = what.substr(0, what.find(": ")) + ": its value is missing";
  } else if (const std::size_t at = what.find(kExcludes); at != std::string::npos) {
    what.replace(at, kExcludes.size(), " cannot be used with ");
  }
  const char* const end = what.ends_with('?') ? "" : ";";
  const std::string prefix = path.empty() ? "" : path + ": ";
  const std::string help = path.empty() ? "tilewright" : "tilewright " + path;
  return fmt::format("{}{}{} see '{} --help'", prefix, what, end, help);
}

}  // namespace tilewright
