#include <fmt/format.h>

#include "tuner/bench/competitors/competitors.hpp"
#include "tuner/bench/competitors/openblas.hpp"

namespace tilewright {
namespace {

// Element: type of real numbers, or of the parts of complex numbers.
template <class Element>
class CblasProduct : public ProductCompetitor {
 public:
  // `complex` is null for real numbers, which use `gemm`.
  CblasProduct(const ProductArena& arena, OpenBlas::Gemm<Element>* gemm,
               OpenBlas::ComplexGemm* complex)
      : problem_(arena.workload.problem()),
        gemm_(gemm),
        complex_(complex),
        a_(read_operand(arena, arena.workload.a())),
        b_(read_operand(arena, arena.workload.b())),
        c_(read_operand(arena, arena.workload.c())) {}

  std::string details() const override {
    const bool half = problem_.precision == Precision::kHalf;
    return openblas_details() +
           (half ? "; it has no half precision: SGEMM of the same numbers" : "");
  }

  void run() override {
    const auto transpose = [](Layout layout) {
      return layout == Layout::C() ? OpenBlas::kTranspose : OpenBlas::kNoTranspose;
    };
    const auto size = [](auto value) { return static_cast<int>(value); };
    const int ta = transpose(op_layout_a(problem_.op));
    const int tb = transpose(op_layout_b(problem_.op));
    const int m = size(problem_.shape.m);
    const int n = size(problem_.shape.n);
    const int k = size(problem_.shape.k);
    const Element alpha[] = {1, 0};
    const Element beta[] = {0, 0};
    if (complex_ != nullptr) {
      complex_(OpenBlas::kRowMajor, ta, tb, m, n, k, alpha, a_.data(), size(problem_.a.ld),
               b_.data(), size(problem_.b.ld), beta, c_.data(), size(problem_.c.ld));
    } else {
      gemm_(OpenBlas::kRowMajor, ta, tb, m, n, k, *alpha, a_.data(), size(problem_.a.ld), b_.data(),
            size(problem_.b.ld), *beta, c_.data(), size(problem_.c.ld));
    }
  }

  std::vector<double> result_at(const Elements& at) override {
    const std::size_t ld = (problem_.complex ? 2 : 1) * problem_.c.ld;
    std::vector<double> values;
    for (const auto& [i, j] : at) {
      values.push_back(c_[static_cast<std::size_t>(i) * ld + static_cast<std::size_t>(j)]);
    }
    return values;
  }

 private:
  static std::vector<Element> read_operand(const ProductArena& arena, const Matrix& matrix) {
    const std::vector<double> elements =
        download(arena.on.queue, matrix.buffer, arena.workload.problem().precision);
    std::vector<Element> host;
    for (const double element : elements) host.push_back(static_cast<Element>(element));
    return host;
  }

  GemmProblem problem_;
  OpenBlas::Gemm<Element>* gemm_;
  OpenBlas::ComplexGemm* complex_;
  std::vector<Element> a_;
  std::vector<Element> b_;
  std::vector<Element> c_;
};

OpenBlas load_openblas() {
  SharedLibrary library("libopenblas.so.0", "install it (Debian: libopenblas0)");
  OpenBlas result;
  static_cast<CblasLibrary&>(result) = find_cblas(library);
  library.require("cblas_sgemv", result.sgemv);
  library.require("openblas_get_config", result.config);
  library.require("openblas_get_corename", result.core_name);
  result.missing = library.failure();
  return result;
}

}  // namespace

const OpenBlas& openblas() {
  static const OpenBlas loaded = load_openblas();
  return loaded;
}

std::string openblas_details() {
  const OpenBlas& blas = openblas();
  // An OpenBLAS that is older than the CPU runs kernels for an older CPU, which may be slower.
  return fmt::format("{}, kernels for {} (OPENBLAS_CORETYPE selects others), {} threads",
                     blas.config(), blas.core_name(), blas.num_threads);
}

std::unique_ptr<ProductCompetitor> cblas_product(const ProductArena& arena) {
  const OpenBlas& blas = openblas();
  if (!blas.missing.empty()) return nullptr;
  const GemmProblem& problem = arena.workload.problem();
  if (problem.precision == Precision::kDouble) {
    return std::make_unique<CblasProduct<double>>(arena, blas.dgemm,
                                                  problem.complex ? blas.zgemm : nullptr);
  }
  return std::make_unique<CblasProduct<float>>(arena, blas.sgemm,
                                               problem.complex ? blas.cgemm : nullptr);
}

}  // namespace tilewright
