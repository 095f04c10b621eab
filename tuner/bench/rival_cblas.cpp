#include "tuner/bench/openblas.hpp"
#include "tuner/bench/rivals.hpp"

namespace tilewright {
namespace {

class CblasCompetitor : public Competitor {
 public:
  explicit CblasCompetitor(const Arena& arena)
      : problem_(arena.workload.problem()),
        a_(download(arena.queue, arena.workload.a().buffer)),
        b_(download(arena.queue, arena.workload.b().buffer)),
        c_(download(arena.queue, arena.workload.c().buffer)) {}

  std::string name() const override { return "cblas"; }

  std::string details() const override { return openblas_details(); }

  void multiply() override {
    const auto transpose = [](Layout layout) {
      return layout == Layout::C() ? OpenBlas::kTranspose : OpenBlas::kNoTranspose;
    };
    const auto size = [](auto value) { return static_cast<int>(value); };
    openblas().sgemm(OpenBlas::kRowMajor, transpose(layout_a_of(problem_.op)),
                     transpose(layout_b_of(problem_.op)), size(problem_.shape.m),
                     size(problem_.shape.n), size(problem_.shape.k), problem_.alpha, a_.data(),
                     size(problem_.a.ld), b_.data(), size(problem_.b.ld), problem_.beta, c_.data(),
                     size(problem_.c.ld));
  }

  double seconds_of(int calls) override {
    return openblas_seconds([&] { multiply(); }, calls);
  }

  std::vector<float> result_at(
      const std::vector<std::pair<std::int64_t, std::int64_t>>& at) override {
    std::vector<float> values;
    for (const auto& [i, j] : at) {
      values.push_back(
          c_[static_cast<std::size_t>(i) * problem_.c.ld + static_cast<std::size_t>(j)]);
    }
    return values;
  }

 private:
  GemmProblem problem_;
  std::vector<float> a_;
  std::vector<float> b_;
  std::vector<float> c_;
};

}  // namespace

std::unique_ptr<Competitor> cblas_competitor(const Arena& arena) {
  if (!openblas().missing.empty()) return nullptr;
  return std::make_unique<CblasCompetitor>(arena);
}

}  // namespace tilewright
