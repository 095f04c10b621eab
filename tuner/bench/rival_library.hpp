// Is the shared library of a rival on this machine?
//
// Loaded when the rival is asked for, and not before: OpenBLAS starts threads and takes memory as
// soon as it is there, and at exit waits for them. So the program is built without rivals' headers,
// too, and runs where they are not installed.
#pragma once

#include <string>

namespace tilewright {

class RivalLibrary {
 public:
  // `file` is a name for dlopen(), `package` Debian's of what it is in. It stays loaded.
  RivalLibrary(const std::string& file, const std::string& package);

  // Finds one of its functions; one that is not there makes the library missing.
  template <class Function>
  void find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(address_of(name));
  }
  // Why it cannot be used, and what to install; "": it can.
  const std::string& missing() const { return missing_; }

 private:
  void* address_of(const char* name);

  std::string file_;
  void* handle_ = nullptr;
  std::string missing_;
};

}  // namespace tilewright
