// What do the files of a machine say, be it this one or a copy of another's?
//
// Paths are those of the machine ("/etc/passwd"); they are looked for below a root folder, and
// symbolic links are followed as they would be there, absolute ones from the root on. A file that
// is not there or cannot be read is no error: a board need not have it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

class BoardFiles {
 public:
  // "/" or "" is this machine.
  explicit BoardFiles(const std::string& root = "/");

  const std::string& root() const { return root_; }  // "" for this machine
  // The machine's path with all links followed, whether there is anything or not.
  std::string resolved(const std::string& path) const;
  // Where that is here.
  std::string here(const std::string& path) const { return root_ + resolved(path); }
  bool exists(const std::string& path) const;
  bool is_folder(const std::string& path) const;
  // Names in a folder, sorted; none if there is no such folder.
  std::vector<std::string> entries(const std::string& folder) const;
  // The first 64 KiB; nullopt: not readable.
  std::optional<std::string> text(const std::string& path) const;
  // Does the file hold these bytes?
  bool contains(const std::string& path, const std::string& bytes) const;
  // The first line without blanks around it; "": none.
  std::string line(const std::string& path) const;
  // The number that a file begins with; nullopt: there is none.
  std::optional<std::int64_t> number(const std::string& path) const;

 private:
  std::string root_;
};

// The words of a text, split at blanks and line ends.
std::vector<std::string> words_of(const std::string& text);
// Likewise the lines.
std::vector<std::string> lines_of(const std::string& text);
// The value behind "KEY=" or "KEY:" at the begin of a line, without blanks around it; "": none.
std::string value_of(const std::string& text, const std::string& key);

}  // namespace tilewright
