// What does a path name that is to be written, and what may become of it?
#pragma once

#include <string>

namespace tilewright {

// Where a file goes that a person named.
struct WriteTarget {
  std::string path;      // behind all symbolic links
  bool replaced = true;  // at once and whole; false: a pipe or a character device, written to
};

// Symbolic links are followed, also to a file that is yet to be made: a link stays a link. Pipes
// and character devices (/dev/null, /dev/stdout, a terminal) are written to and never replaced.
// Throws std::system_error that names the path and says why where it names anything else that is no
// regular file: a folder, a block device, a socket, and, for the same file cannot be replaced and
// go on being written, a regular file by way of a descriptor (/dev/stdout behind `> file`).
WriteTarget write_target(const std::string& path);

// The folder in which a path's last part lies.
std::string folder_of(const std::string& path);

// Throws std::system_error: "cannot write 'path': what", and what `code` (an errno) means.
[[noreturn]] void fail_to_write(const std::string& path, const char* what, int code);

}  // namespace tilewright
