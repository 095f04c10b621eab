#include "tuner/report/private_words.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "profiles/printable.hpp"
#include "runtime/device/environment.hpp"

namespace tilewright {
namespace {

// Bytes beyond ASCII are letters.
bool is_of_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '-' || byte >= 0x80;
}

// Does an escape such as \n or \x0a end here? Its last letter belongs to no name. That of a letter
// beyond ASCII, such as \xc3, does.
bool follows_escape(std::string_view text, std::size_t at) {
  if (at >= 2 && text[at - 2] == '\\') return true;
  return at >= 4 && text[at - 4] == '\\' && text[at - 3] == 'x' && text[at - 2] < '8';
}

// Does no name or path go on before this place?
bool begins_at(std::string_view text, std::size_t at) {
  if (at == 0 || follows_escape(text, at)) return true;
  const char before = text[at - 1];
  return !is_of_name(before) && before != '/' && before != '.' && before != '~';
}

// Does no name go on here? A full stop ends one unless a letter follows.
bool ends_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return true;
  if (text[at] == '.') return at + 1 >= text.size() || !is_of_name(text[at + 1]);
  if (text.substr(at, 2) == "\\x") return at + 2 >= text.size() || text[at + 2] < '8';
  return !is_of_name(text[at]);
}

// Replaces `word`, which stands in text as `before` + `word` + `after`, where the whole has
// boundaries on both sides; `before` and `after` stay. An empty one is a boundary of a name.
struct Place {
  std::string before;
  std::string after;
};

void replace_all(std::string& text, const Place& place, const std::string& word,
                 const std::string& by) {
  if (word.empty()) return;
  const std::string whole = place.before + word + place.after;
  const std::string changed = place.before + by + place.after;
  for (auto at = text.find(whole); at != text.npos;) {
    const bool alone = (!place.before.empty() || begins_at(text, at)) &&
                       (!place.after.empty() || ends_at(text, at + whole.size()));
    if (alone) text.replace(at, whole.size(), changed);
    at = text.find(whole, at + (alone ? changed.size() - place.after.size() : 1));
  }
}

// The number that `text` holds; nullopt if it holds anything else.
std::optional<uid_t> uid_in(const std::string& text) {
  uid_t uid = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, uid);
  if (error != std::errc() || rest != end) return std::nullopt;
  return uid;
}

// The folder without slashes at its end; "" if it is no absolute path, or is not private.
std::string private_home(std::string folder) {
  if (!folder.starts_with('/')) return "";
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder == "/" || folder == "/root" ? "" : folder;
}

std::optional<UserAccount> account_in_user_list(uid_t uid) {
  const passwd* const entry = ::getpwuid(uid);
  if (entry == nullptr) return std::nullopt;
  return UserAccount{entry->pw_name, entry->pw_dir};
}

}  // namespace

PrivateWords words_of_user(const ProcessUser& user,
                           const std::function<std::optional<UserAccount>(uid_t)>& account_of) {
  const std::optional<uid_t> caller =
      user.effective_uid == 0 ? uid_in(user.sudo_uid) : std::nullopt;
  std::optional<UserAccount> account = account_of(caller.value_or(user.effective_uid));
  const bool is_under_sudo = caller.value_or(0) != 0 && account.has_value();
  if (!account) account.emplace();
  PrivateWords words;
  words.user = account->name == "root" ? "" : account->name;
  // sudo sets HOME to the home of root, unless it is configured to keep the caller's.
  if (!is_under_sudo) words.home = private_home(user.home);
  if (words.home.empty()) words.home = private_home(account->home);
  return words;
}

PrivateWords private_words() {
  const ProcessUser user{::geteuid(), environment("HOME"), environment("SUDO_UID")};
  PrivateWords words = words_of_user(user, account_in_user_list);
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) words.host = host.data();
  if (words.host == "localhost") words.host.clear();
  return words;
}

std::string without_private(const std::string& text, const PrivateWords& words) {
  std::string result = text;
  const auto replace = [&](const Place& place, const std::string& word, const std::string& by) {
    replace_all(result, place, word, by);
    replace_all(result, place, printable(word), by);  // as command lines are kept
  };
  replace({}, words.home, "~");
  replace({"/", ""}, words.user, "USER");
  if (!words.host.empty()) {
    replace({"", "@" + words.host}, words.user, "USER");
    replace({"@", ""}, words.host, "HOST");
  }
  return result;
}

void make_private(nlohmann::ordered_json& json, const PrivateWords& words) {
  if (json.is_string()) {
    json = without_private(json.get<std::string>(), words);
  } else if (json.is_structured()) {
    for (nlohmann::ordered_json& each : json) make_private(each, words);
  }
}

}  // namespace tilewright
