// Removes from texts what names the user: paths of the home folder, and the names of user and
// machine.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tilewright {

struct PrivateWords {
  std::string home;  // the user's folder; empty: not known, as below
  std::string user;
  std::string host;
};

// The words of this process: from its environment, the list of users and the machine's name. Those
// of root are empty.
PrivateWords private_words();

// The text with `~` for the home folder at the beginning of paths, with USER for the user's name
// where it is a part of a path (/media/ann/x) or stands before the host (ann@board), and HOST after
// that. Names in other places are not replaced: a driver may be called like the user. printable()
// spellings count, too. Not for JSON text, which has spellings of its own.
std::string without_private(const std::string& text, const PrivateWords& words);

// The same for all values in a JSON document; keys are not changed.
void make_private(nlohmann::ordered_json& json, const PrivateWords& words);

}  // namespace tilewright
