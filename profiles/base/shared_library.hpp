// Loads a shared library at run time, so that programs are built without its headers and start
// without it.
#pragma once

#include <string>

namespace tilewright {

// A library that is never unloaded, because its threads may still run.
class SharedLibrary {
 public:
  // `file`: argument of dlopen(); "": the functions that the process has already loaded. `remedy`:
  // what to do if it cannot be loaded; a part of failure().
  explicit SharedLibrary(const std::string& file, const std::string& remedy = "");

  bool is_loaded() const { return is_loaded_; }
  // Returns why the library cannot be used, with its name; "" if it can.
  const std::string& failure() const { return failure_; }

  // Finds a function. Returns false and sets it to null if the library lacks it.
  template <class Function>
  bool find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(find_address(name));
    return function != nullptr;
  }
  // Like find(), but without this function the library cannot be used.
  template <class Function>
  void require(const char* name, Function*& function) {
    if (!find(name, function) && is_loaded_) failure_ = file_ + " has no function " + name;
  }

 private:
  void* find_address(const char* name) const;

  std::string file_;
  void* handle_ = nullptr;
  bool is_loaded_ = false;
  std::string failure_;
};

}  // namespace tilewright
