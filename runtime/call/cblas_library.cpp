#include "runtime/call/cblas_library.hpp"

#include <algorithm>
#include <cstddef>

namespace tilewright {

CblasLibrary find_cblas(SharedLibrary& library) {
  CblasLibrary found;
  library.require("cblas_sgemm", found.sgemm);
  library.require("cblas_dgemm", found.dgemm);
  library.require("cblas_cgemm", found.cgemm);
  library.require("cblas_zgemm", found.zgemm);
  int (*count)() = nullptr;
  std::ptrdiff_t (*blis_count)() = nullptr;  // dim_t
  if (library.find("openblas_get_num_threads", count) ||
      library.find("MKL_Get_Max_Threads", count)) {
    found.num_threads = count();
  } else if (library.find("bli_thread_get_num_threads", blis_count)) {
    // Without a number of its own, BLIS returns -1, and uses the variables OMP_NUM_THREADS and
    // others.
    found.num_threads = static_cast<int>(std::max<std::ptrdiff_t>(0, blis_count()));
  }
  return found;
}

}  // namespace tilewright
