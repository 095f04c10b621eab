// Finds the folder in which PoCL keeps compiled kernels. PoCL lists no device if it cannot write
// there, and does not report why.
#pragma once

#include <string>

namespace tilewright {

// That folder by the values of $POCL_CACHE_DIR, $XDG_CACHE_HOME and $HOME ("": not set).
std::string pocl_cache_folder(const std::string& pocl_cache_dir, const std::string& xdg_cache_home,
                              const std::string& home);

// That folder by the environment of this process, if this process can neither write nor make it;
// else "".
std::string unwritable_pocl_cache();

}  // namespace tilewright
