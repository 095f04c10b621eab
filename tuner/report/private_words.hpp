// Removes from texts what names the user: paths of the home folder, and the names of user and
// machine.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>

namespace tilewright {

struct PrivateWords {
  std::string home;  // the user's folder; empty: not known, as below
  std::string user;
  std::string host;
};

// The words of this process: from its environment, the list of users and the machine's name.
PrivateWords private_words();

// An entry in the list of users.
struct UserAccount {
  std::string name;
  std::string home;
};

// What a process knows about its user.
struct ProcessUser {
  uid_t effective_uid = 0;
  std::string home;      // the variable HOME; "" if it is not set
  std::string sudo_uid;  // the variable SUDO_UID, which sudo sets to the user who called it
};

// Home and name in private_words(). Under sudo these are the home and the name of the user who
// called sudo. Name and home of root are not private, so they stay empty.
PrivateWords words_of_user(const ProcessUser& user,
                           const std::function<std::optional<UserAccount>(uid_t)>& account_of);

// The text with `~` for the home folder at the beginning of paths, with USER for the user's name
// where it is a part of a path (/media/ann/x) or stands before the host (ann@board), and HOST after
// that. Names in other places are not replaced: a driver may be called like the user. printable()
// spellings count, too. Not for JSON text, which has spellings of its own.
std::string without_private(const std::string& text, const PrivateWords& words);

// The same for all values in a JSON document; keys are not changed.
void make_private(nlohmann::ordered_json& json, const PrivateWords& words);

}  // namespace tilewright
