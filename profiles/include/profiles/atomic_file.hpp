// How is a file written so that nobody ever sees half of it, and nothing but a file is replaced?
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// Writes `content` to what a person named as `path`; all files go through here. Through a
// temporary file in the same folder, fsync and rename: afterwards the file is wholly old or wholly
// new, also after a power cut. write_target.hpp says what becomes of links, pipes and devices.
// Throws std::system_error that names the file; the temporary file is removed then.
void write_file_atomically(const std::string& path, std::string_view content);

// The same for a file in a folder that is this user's alone (regular_file.hpp): a file of mode 0600
// takes the place of whatever has its name, and no link is followed.
void write_private_file_atomically(const std::string& path, std::string_view content);

// Is this the name of such a temporary file? One stays behind where a process is killed.
bool is_temporary_file_name(std::string_view name);

}  // namespace tilewright
