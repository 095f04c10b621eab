#include "runtime/team/cblas_member.hpp"

#include <fmt/format.h>

#include <complex>

#include "runtime/call/error.hpp"

namespace tilewright {
namespace {

// Extents and leading dimensions are at most 2,000,000,000.
int to_int(std::size_t value) {
  return static_cast<int>(value);
}

template <class Real>
void run_real(CblasLibrary::Gemm<Real>* gemm, const HostGemm& product) {
  const GemmCall& call = product.call;
  gemm(static_cast<int>(call.order), static_cast<int>(call.trans_a), static_cast<int>(call.trans_b),
       to_int(call.m), to_int(call.n), to_int(call.k), static_cast<Real>(call.alpha.real()),
       static_cast<const Real*>(product.a.data), to_int(product.a.ld),
       static_cast<const Real*>(product.b.data), to_int(product.b.ld),
       static_cast<Real>(call.beta.real()), static_cast<Real*>(product.c.data),
       to_int(product.c.ld));
}

template <class Real>
void run_complex(CblasLibrary::ComplexGemm* gemm, const HostGemm& product) {
  const GemmCall& call = product.call;
  const std::complex<Real> alpha(call.alpha);
  const std::complex<Real> beta(call.beta);
  gemm(static_cast<int>(call.order), static_cast<int>(call.trans_a), static_cast<int>(call.trans_b),
       to_int(call.m), to_int(call.n), to_int(call.k), &alpha, product.a.data, to_int(product.a.ld),
       product.b.data, to_int(product.b.ld), &beta, product.c.data, to_int(product.c.ld));
}

CblasLibrary load_cblas(const std::string& file) {
  SharedLibrary library(file);
  if (!library.is_loaded()) {
    throw Error(TW_INVALID_VALUE,
                fmt::format("the CBLAS library cannot be loaded: {}", library.failure()));
  }
  const CblasLibrary found = find_cblas(library);
  if (found.sgemm || found.dgemm || found.cgemm || found.zgemm) return found;
  throw Error(TW_INVALID_VALUE,
              fmt::format("{} has none of cblas_sgemm, cblas_dgemm, cblas_cgemm and cblas_zgemm",
                          file.empty() ? "the program" : file));
}

}  // namespace

CblasMember::CblasMember(const std::string& file)
    : functions_(load_cblas(file)), name_(file.empty() ? "the program's CBLAS" : file) {}

std::string CblasMember::profile_name() const {
  const std::string file = name_.substr(name_.rfind('/') + 1);
  if (functions_.num_threads == 0) return file;
  return fmt::format("{}, {} thread{}", file, functions_.num_threads,
                     functions_.num_threads == 1 ? "" : "s");
}

bool CblasMember::supports(ElementType type) const {
  switch (type) {
    case ElementType::kFloat:
      return functions_.sgemm != nullptr;
    case ElementType::kDouble:
      return functions_.dgemm != nullptr;
    case ElementType::kComplexFloat:
      return functions_.cgemm != nullptr;
    case ElementType::kComplexDouble:
      return functions_.zgemm != nullptr;
    case ElementType::kHalf:
      break;
  }
  return false;
}

void CblasMember::multiply(const HostGemm& product) const {
  switch (product.call.type) {
    case ElementType::kFloat:
      return run_real(functions_.sgemm, product);
    case ElementType::kDouble:
      return run_real(functions_.dgemm, product);
    case ElementType::kComplexFloat:
      return run_complex<float>(functions_.cgemm, product);
    case ElementType::kComplexDouble:
      return run_complex<double>(functions_.zgemm, product);
    case ElementType::kHalf:
      break;
  }
}

}  // namespace tilewright
