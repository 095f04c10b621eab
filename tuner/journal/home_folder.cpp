#include "tuner/journal/home_folder.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

// Returns true for characters of a file name. Bytes beyond ASCII count as letters.
bool is_name_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '-' || byte >= 0x80;
}

// Returns true if an escape sequence such as \n or \x0a ends before `at`. Its last letter is not
// part of a name, unless the sequence stands for a byte beyond ASCII, such as \xc3.
bool follows_escape(std::string_view text, std::size_t at) {
  if (at >= 2 && text[at - 2] == '\\') return true;
  return at >= 4 && text[at - 4] == '\\' && text[at - 3] == 'x' && text[at - 2] < '8';
}

// Returns true if a path can start at this position.
bool starts_at(std::string_view text, std::size_t at) {
  if (at == 0 || follows_escape(text, at)) return true;
  const char before = text[at - 1];
  return !is_name_character(before) && before != '/' && before != '.' && before != '~';
}

// Returns true if the name of a folder ends at this position. A full stop ends it unless a letter
// follows.
bool ends_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return true;
  if (text[at] == '.') return at + 1 >= text.size() || !is_name_character(text[at + 1]);
  if (text.substr(at, 2) == "\\x") return at + 2 >= text.size() || text[at + 2] < '8';
  return !is_name_character(text[at]);
}

void replace_paths(std::string& text, const std::string& folder) {
  for (auto at = text.find(folder); at != text.npos; at = text.find(folder, at + 1)) {
    if (starts_at(text, at) && ends_at(text, at + folder.size())) {
      text.replace(at, folder.size(), "~");
    }
  }
}

// Parses a user number; nullopt if the text is anything else.
std::optional<uid_t> parse_uid(const std::string& text) {
  uid_t uid = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, uid);
  if (error != std::errc() || rest != end) return std::nullopt;
  return uid;
}

// Returns the folder without trailing slashes; "" if it is not an absolute path, or not private.
std::string private_folder(std::string folder) {
  if (!folder.starts_with('/')) return "";
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder == "/" || folder == "/root" ? "" : folder;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string home_folder(const ProcessUser& user,
                        const std::function<std::string(uid_t)>& listed_home) {
  // sudo sets HOME to the home of root, unless it is configured to keep the caller's.
  if (user.effective_uid == 0) {
    const uid_t caller = parse_uid(user.sudo_uid).value_or(0);
    const std::string home = caller == 0 ? "" : private_folder(listed_home(caller));
    if (!home.empty()) return home;
  }
  const std::string home = private_folder(user.home);
  return home.empty() ? private_folder(listed_home(user.effective_uid)) : home;
}

std::string home_folder() {
  return home_folder({::geteuid(), variable("HOME"), variable("SUDO_UID")}, [](uid_t uid) {
    const passwd* const entry = ::getpwuid(uid);
    return std::string(entry == nullptr ? "" : entry->pw_dir);
  });
}

std::string without_home(const std::string& text, const std::string& home) {
  if (home.empty() || text.empty()) return text;
  std::string result = text;
  replace_paths(result, home);
  replace_paths(result, printable(home));  // as in recorded command lines
  return result;
}

void remove_home(nlohmann::ordered_json& json, const std::string& home) {
  if (json.is_string()) {
    json = without_home(json.get<std::string>(), home);
  } else if (json.is_structured()) {
    for (nlohmann::ordered_json& each : json) remove_home(each, home);
  }
}

}  // namespace tilewright
