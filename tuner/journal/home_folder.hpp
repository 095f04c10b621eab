// Replaces the path of the user's home folder in texts that people publish.
#pragma once

#include <sys/types.h>

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewright {

// The home folder of the user; under sudo that of the user who called it. "" if it is not known.
// The home folder of root is not private, so it counts as not known.
std::string home_folder();

// The text with `~` for the folder at the start of paths, also where printable() spells it. Other
// paths stay, and so do names in them. Not for JSON text, which spells characters differently.
std::string without_home(const std::string& text, const std::string& home = home_folder());

// Applies without_home() to all values in a JSON document. Keys stay.
void remove_home(nlohmann::ordered_json& json, const std::string& home = home_folder());

// What home_folder() depends on.
struct ProcessUser {
  uid_t effective_uid = 0;
  std::string home;      // the variable HOME; "" if it is not set
  std::string sudo_uid;  // the variable SUDO_UID, which sudo sets to the user who called it
};
// `listed_home`: the folder that the list of users has for a number; "" if it has none.
std::string home_folder(const ProcessUser& user,
                        const std::function<std::string(uid_t)>& listed_home);

}  // namespace tilewright
