// Resolves file names that occur in model files.
#pragma once

#include <optional>
#include <string>

#include "profiles/base/read_file.hpp"

namespace tilewright {

// Returns the path of the file `named` in the file `naming`, relative to the folder of `naming`.
// Returns nullopt if the path as written is outside this folder. After symbolic links are resolved,
// the file must be in this folder or below it, or in the folder of the real file `naming` or below
// it: caches of models consist of links into one folder. A model from an untrusted source therefore
// cannot make the reader open other files or quote them in errors.
std::optional<std::string> named_file_path(const std::string& naming, const std::string& named);

// Returns the extension in lower case, with its dot; empty if there is none.
std::string file_extension(const std::string& path);

}  // namespace tilewright
