// Finds the folder in which PoCL keeps compiled kernels. PoCL lists no device if it cannot write
// there, and does not report why.
#pragma once

#include <string>

namespace tilewright {

// Returns the folder that PoCL uses, given the values of $POCL_CACHE_DIR, $XDG_CACHE_HOME and $HOME
// ("" if a variable is not set).
std::string pocl_cache_folder(const std::string& pocl_cache_dir, const std::string& xdg_cache_home,
                              const std::string& home);

// Returns true if this process can write to the folder, or create it if it does not exist.
bool can_write_folder(const std::string& folder);

// Returns PoCL's folder for the environment of this process if this process can neither write to it
// nor create it; otherwise "".
std::string unwritable_pocl_cache();

}  // namespace tilewright
