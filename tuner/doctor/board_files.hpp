// Reads the files of a machine: of this one, or of a copy of another machine's file system.
//
// Paths are those of the machine ("/etc/passwd") and are looked up below a root folder. Symbolic
// links are followed as on that machine, so absolute ones start at the root folder. A missing or
// unreadable file is not an error, since no board has all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

// The files of one machine.
class BoardFiles {
 public:
  // "/" or "" stands for this machine.
  explicit BoardFiles(const std::string& root = "/");

  const std::string& root() const { return root_; }  // "" for this machine
  // Returns the machine's path with all links resolved. The file need not exist.
  std::string resolved(const std::string& path) const;
  // Returns where that path is on this machine.
  std::string here(const std::string& path) const { return root_ + resolved(path); }
  bool exists(const std::string& path) const;
  bool is_folder(const std::string& path) const;
  // Returns the sorted names in a folder; none if there is no such folder.
  std::vector<std::string> entries(const std::string& folder) const;
  // Returns the first 64 KiB of a file; "" if it is not readable.
  std::string text(const std::string& path) const;
  // Returns the lines of a file without surrounding white space.
  std::vector<std::string> lines(const std::string& path) const;
  // Returns the first of them; "" if there is none.
  std::string line(const std::string& path) const;
  // Returns the value after "KEY=" or "KEY:" at the start of a line, without surrounding white
  // space; "" if there is none.
  std::string value(const std::string& path, const std::string& key) const;
  // Returns the number at the start of a file; nullopt if there is none.
  std::optional<std::int64_t> number(const std::string& path) const;
  // Returns true if the file contains these bytes.
  bool contains(const std::string& path, const std::string& bytes) const;

 private:
  std::string root_;
};

// Splits a text at white space and at the separator.
std::vector<std::string> split_words(const std::string& text, char separator = ' ');

}  // namespace tilewright
