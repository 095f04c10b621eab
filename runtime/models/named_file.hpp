// Which file does a name of one mean?
#pragma once

#include <optional>
#include <string>

#include "profiles/base/read_file.hpp"

namespace tilewright {

// The path of a file that another one names, relative to its own folder; nullopt unless it lies in
// that folder or below it, by its name and after all links are followed. So a model of unknown
// origin cannot have files read, and quoted in errors, from elsewhere.
std::optional<std::string> named_file_path(const std::string& naming, const std::string& named);

// The extension in small letters, with its dot; empty if there is none.
std::string file_extension(const std::string& path);

}  // namespace tilewright
