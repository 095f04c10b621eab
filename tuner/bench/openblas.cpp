#include "tuner/bench/openblas.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "tuner/bench/competitor_library.hpp"

namespace tilewright {
namespace {

OpenBlas load() {
  CompetitorLibrary library("libopenblas.so.0", "libopenblas0");
  OpenBlas result;
  library.find("cblas_sgemm", result.sgemm);
  library.find("cblas_dgemm", result.dgemm);
  library.find("cblas_cgemm", result.cgemm);
  library.find("cblas_zgemm", result.zgemm);
  library.find("cblas_sgemv", result.sgemv);
  library.find("openblas_get_config", result.config);
  library.find("openblas_get_corename", result.core_name);
  library.find("openblas_get_num_threads", result.threads);
  result.missing = library.missing();
  return result;
}

}  // namespace

const OpenBlas& openblas() {
  static const OpenBlas loaded = load();
  return loaded;
}

std::string openblas_details() {
  const OpenBlas& blas = openblas();
  // An OpenBLAS older than the CPU picks the kernels of an older one: then its figures are not its
  // best.
  return fmt::format("{}, kernels for {} (OPENBLAS_CORETYPE names others), {} threads",
                     blas.config(), blas.core_name(), blas.threads());
}

double openblas_seconds(const std::function<void()>& call, int calls) {
  constexpr std::chrono::milliseconds kSpin{30};
  call();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  const auto end = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(kSpin);
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace tilewright
