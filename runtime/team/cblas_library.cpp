#include "runtime/team/cblas_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "runtime/call/error.hpp"

namespace tilewright {
namespace {

template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  return function != nullptr;
}

int count_threads(void* library) {
  int (*count)() = nullptr;
  if (find(library, "openblas_get_num_threads", count)) return count();
  if (find(library, "MKL_Get_Max_Threads", count)) return count();
  std::ptrdiff_t (*blis_count)() = nullptr;  // dim_t
  // Without a number of its own, BLIS returns -1, and uses the variables OMP_NUM_THREADS and
  // others.
  if (find(library, "bli_thread_get_num_threads", blis_count)) {
    return static_cast<int>(std::max<std::ptrdiff_t>(0, blis_count()));
  }
  return 0;
}

}  // namespace

CblasLibrary load_cblas(const std::string& file) {
  void* const library = file.empty() ? RTLD_DEFAULT : ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr && !file.empty()) {
    const char* why = ::dlerror();  // contains the name of the file
    throw Error(TW_INVALID_VALUE, fmt::format("the CBLAS library cannot be loaded: {}",
                                              why == nullptr ? file.c_str() : why));
  }
  CblasLibrary found;
  const bool has_single = find(library, "cblas_sgemm", found.sgemm);
  const bool has_double = find(library, "cblas_dgemm", found.dgemm);
  const bool has_complex = find(library, "cblas_cgemm", found.cgemm);
  const bool has_double_complex = find(library, "cblas_zgemm", found.zgemm);
  if (has_single || has_double || has_complex || has_double_complex) {
    found.num_threads = count_threads(library);
    return found;
  }
  throw Error(TW_INVALID_VALUE,
              fmt::format("{} has none of cblas_sgemm, cblas_dgemm, cblas_cgemm and cblas_zgemm",
                          file.empty() ? "the program" : file));
}

}  // namespace tilewright
