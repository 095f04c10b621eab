// Writes files: atomically where a file is replaced, directly where the path names a pipe or a
// character device.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// Writes `content` to the path that a user named. A regular file is replaced as a whole: a
// temporary file in the same folder is written, synced and renamed, so that readers, and a machine
// that lost power, find either the old file or the new one. The new file has the mode of the old
// one. write_target() describes links, pipes and devices.
// Throws std::system_error that names the file; no temporary file stays.
void write_file_atomically(const std::string& path, std::string_view content);

// The same for a file in a folder that only this user can write to: the new file has mode 0600 and
// replaces whatever has its name. No link is followed.
void write_private_file_atomically(const std::string& path, std::string_view content);

// True for names of the temporary files. One stays where the process is killed.
bool is_temporary_file_name(std::string_view name);

struct WriteTarget {
  std::string path;      // without symbolic links, unless it is a pipe or a device
  bool replaced = true;  // false: a pipe or a character device, which is written to
};

// Finds out what write_file_atomically() would write to. Symbolic links are followed, also to a
// file that does not exist yet: the link stays and its target is replaced. Pipes and character
// devices (/dev/stdout, /dev/null, a terminal) are written to.
// Throws std::system_error for everything else: folders, block devices, sockets, and a regular file
// that is named by a descriptor (/dev/stdout after `> file`): whoever holds the descriptor would go
// on writing to the replaced file.
WriteTarget write_target(const std::string& path);

// Syncs a folder, so that a file that was created or renamed in it survives a power cut. False: it
// failed, and errno is set.
bool sync_folder(const std::string& folder);

// The folder part of a path: "." without a slash.
std::string folder_of(const std::string& path);

}  // namespace tilewright
