#include "tuner/bench/competitors/openblas.hpp"

#include <fmt/format.h>

#include "tuner/bench/competitors/competitor_library.hpp"

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
  // An OpenBLAS that is older than the CPU runs kernels for an older CPU, which may be slower.
  return fmt::format("{}, kernels for {} (OPENBLAS_CORETYPE selects others), {} threads",
                     blas.config(), blas.core_name(), blas.threads());
}

}  // namespace tilewright
