// Resolves file names that occur in model files.
#pragma once

#include <optional>
#include <string>

#include "profiles/base/read_file.hpp"

namespace tilewright {

// Returns the path of the file `named` in the file `naming`, relative to the folder of `naming`.
// Returns nullopt if the path is outside this folder, either as written or after symbolic links are
// resolved. A model from an untrusted source therefore cannot make the reader open other files or
// quote them in errors.
std::optional<std::string> named_file_path(const std::string& naming, const std::string& named);

// Returns the extension in lower case, with its dot; empty if there is none.
std::string file_extension(const std::string& path);

}  // namespace tilewright
