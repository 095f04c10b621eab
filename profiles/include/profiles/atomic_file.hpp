// How is a file written so that nobody ever sees half of it?
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// Writes `content` to `path` through a temporary file in the same folder, fsync and rename:
// afterwards the file is wholly old or wholly new, also after a power cut. Throws std::system_error
// that names the path; the temporary file is removed then.
void write_file_atomically(const std::string& path, std::string_view content);

// Is this the name of such a temporary file? One stays behind where a process is killed.
bool is_temporary_file_name(std::string_view name);

}  // namespace tilewright
