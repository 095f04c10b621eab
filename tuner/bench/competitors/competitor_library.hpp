// Loads the shared library of a competitor, if this machine has it.
//
// The library is loaded at the first use of the competitor, because OpenBLAS starts threads and
// allocates memory as soon as it is loaded, and waits for its threads at exit. The program is built
// without the headers of competitors and runs on machines that do not have them.
#pragma once

#include <string>

namespace tilewright {

class CompetitorLibrary {
 public:
  // `file`: argument of dlopen(). `package`: the Debian package that contains it. The library is
  // never unloaded.
  CompetitorLibrary(const std::string& file, const std::string& package);

  // Finds a function. If it does not exist, the library counts as missing.
  template <class Function>
  void find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(find_symbol(name));
  }
  // Returns why the library cannot be used and what to install; "" if it can be used.
  const std::string& missing() const { return missing_; }

 private:
  void* find_symbol(const char* name);

  std::string file_;
  void* handle_ = nullptr;
  std::string missing_;
};

}  // namespace tilewright
