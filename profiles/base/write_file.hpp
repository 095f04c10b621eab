// Writes files: regular files are replaced atomically; pipes and character devices are written
// directly.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// Writes `content` to a path that a user named. A regular file is replaced as a whole: a temporary
// file in the same folder is written, synced and renamed, so that readers find either the old or
// the new file, even after a power failure. The new file gets the mode of the old one. See
// write_target() for links, pipes and devices. Throws std::system_error, which names the file; no
// temporary file remains.
void write_file_atomically(const std::string& path, std::string_view content);

// Writes a file atomically in a folder that only this user can write to. The new file has mode 0600
// and replaces anything that has its name. Links are not followed.
void write_private_file_atomically(const std::string& path, std::string_view content);

// True for names of temporary files. A temporary file remains only if the process is killed.
bool is_temporary_file_name(std::string_view name);

// The file that a path refers to.
struct WriteTarget {
  std::string path;      // without symbolic links, except for pipes and devices
  bool replaced = true;  // false: a pipe or a character device, which is written directly
};

// Finds the file that write_file_atomically() would write. Symbolic links are followed, even to a
// file that does not exist yet: the link is kept and its target is replaced. Pipes and character
// devices (/dev/stdout, /dev/null, a terminal) are written directly. Throws std::system_error for
// everything else: folders, block devices, sockets, and a regular file that is named by a
// descriptor (/dev/stdout after `> file`), because the owner of the descriptor would continue to
// write to the replaced file.
WriteTarget write_target(const std::string& path);

// Syncs a folder, so that files that were created or renamed in it survive a power failure. Returns
// false on failure; errno tells why.
bool sync_folder(const std::string& folder);

// The folder part of a path, or "." if it has no slash.
std::string parent_folder(const std::string& path);

}  // namespace tilewright
