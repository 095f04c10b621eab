#include "tuner/bench/openblas.hpp"
#include "tuner/bench/rivals.hpp"

namespace tilewright {
namespace {

// Of SGEMM or DGEMM.
template <class Element>
class CblasCompetitor : public Competitor {
 public:
  CblasCompetitor(const Arena& arena, OpenBlas::Gemm<Element>* gemm)
      : problem_(arena.workload.problem()),
        gemm_(gemm),
        a_(host_of(arena, arena.workload.a())),
        b_(host_of(arena, arena.workload.b())),
        c_(host_of(arena, arena.workload.c())) {}

  std::string name() const override { return "cblas"; }

  std::string details() const override {
    const bool half = problem_.precision == Precision::kHalf;
    return openblas_details() + (half ? "; it has no halfs: SGEMM of the same numbers" : "");
  }

  void multiply() override {
    const auto transpose = [](Layout layout) {
      return layout == Layout::C() ? OpenBlas::kTranspose : OpenBlas::kNoTranspose;
    };
    const auto size = [](auto value) { return static_cast<int>(value); };
    gemm_(OpenBlas::kRowMajor, transpose(layout_a_of(problem_.op)),
          transpose(layout_b_of(problem_.op)), size(problem_.shape.m), size(problem_.shape.n),
          size(problem_.shape.k), static_cast<Element>(problem_.alpha), a_.data(),
          size(problem_.a.ld), b_.data(), size(problem_.b.ld), static_cast<Element>(problem_.beta),
          c_.data(), size(problem_.c.ld));
  }

  double seconds_of(int calls) override {
    return openblas_seconds([&] { multiply(); }, calls);
  }

  std::vector<double> result_at(
      const std::vector<std::pair<std::int64_t, std::int64_t>>& at) override {
    std::vector<double> values;
    for (const auto& [i, j] : at) {
      values.push_back(
          c_[static_cast<std::size_t>(i) * problem_.c.ld + static_cast<std::size_t>(j)]);
    }
    return values;
  }

 private:
  static std::vector<Element> host_of(const Arena& arena, const Matrix& matrix) {
    const std::vector<double> elements =
        download(arena.queue, matrix.buffer, arena.workload.problem().precision);
    std::vector<Element> host;
    for (const double element : elements) host.push_back(static_cast<Element>(element));
    return host;
  }

  GemmProblem problem_;
  OpenBlas::Gemm<Element>* gemm_;
  std::vector<Element> a_;
  std::vector<Element> b_;
  std::vector<Element> c_;
};

}  // namespace

std::unique_ptr<Competitor> cblas_competitor(const Arena& arena) {
  const OpenBlas& blas = openblas();
  if (!blas.missing.empty()) return nullptr;
  if (arena.workload.problem().precision == Precision::kDouble) {
    return std::make_unique<CblasCompetitor<double>>(arena, blas.dgemm);
  }
  return std::make_unique<CblasCompetitor<float>>(arena, blas.sgemm);
}

}  // namespace tilewright
