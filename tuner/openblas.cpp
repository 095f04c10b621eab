#include "tuner/openblas.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#ifdef TILEWRIGHT_HAVE_CBLAS
#include <cblas.h>
#endif

namespace tilewright {

std::string openblas_details() {
#if defined(TILEWRIGHT_HAVE_CBLAS) && defined(OPENBLAS_VERSION)
  // An OpenBLAS older than the CPU picks the kernels of an older one: then its figures are not its
  // best.
  return fmt::format("{}, kernels for {} (OPENBLAS_CORETYPE names others), {} threads",
                     openblas_get_config(), openblas_get_corename(), openblas_get_num_threads());
#else
  return "";
#endif
}

double openblas_seconds(const std::function<void()>& call, int calls) {
  constexpr std::chrono::milliseconds kSpin{30};
  call();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  const auto end = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(kSpin);
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace tilewright
