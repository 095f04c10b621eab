// Loads the shared library of a competitor, if this machine has it.
//
// It is loaded when the competitor is first used, not earlier: OpenBLAS starts threads and takes
// memory as soon as it is loaded, and waits for them at exit. The program is built without the
// headers of competitors, and runs where they are not installed.
#pragma once

#include <string>

namespace tilewright {

class CompetitorLibrary {
 public:
  // `file` is a name for dlopen(), `package` Debian's of what it is in. It stays loaded.
  CompetitorLibrary(const std::string& file, const std::string& package);

  // Finds one of its functions; one that is not there makes the library missing.
  template <class Function>
  void find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(find_symbol(name));
  }
  // Why it cannot be used, and what to install; "": it can.
  const std::string& missing() const { return missing_; }

 private:
  void* find_symbol(const char* name);

  std::string file_;
  void* handle_ = nullptr;
  std::string missing_;
};

}  // namespace tilewright
