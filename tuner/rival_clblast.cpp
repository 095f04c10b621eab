#include "tuner/rivals.hpp"

#ifdef TILEWRIGHT_HAVE_CLBLAST

#include <clblast_c.h>
#include <fmt/format.h>

#include "runtime/opencl_error.hpp"

namespace tilewright {
namespace {

class ClblastContender : public Contender {
 public:
  explicit ClblastContender(const Arena& arena) : arena_(arena) {}

  std::string name() const override { return "clblast"; }

  void multiply() override {
    const GemmProblem& p = arena_.workload.problem();
    const auto transpose = [](Layout layout) {
      return layout == Layout::C() ? CLBlastTransposeYes : CLBlastTransposeNo;
    };
    const auto size = [](auto value) { return static_cast<std::size_t>(value); };
    cl_command_queue queue = arena_.queue();
    cl_event done = nullptr;
    const CLBlastStatusCode status = CLBlastSgemm(
        CLBlastLayoutRowMajor, transpose(layout_a_of(p.op)), transpose(layout_b_of(p.op)),
        size(p.shape.m), size(p.shape.n), size(p.shape.k), p.alpha, p.a.buffer, p.a.offset, p.a.ld,
        p.b.buffer, p.b.offset, p.b.ld, p.beta, p.c.buffer, p.c.offset, p.c.ld, &queue, &done);
    if (status != CLBlastSuccess) {
      throw Error(TW_OPENCL_ERROR,
                  fmt::format("CLBlastSgemm failed with status {}", static_cast<int>(status)));
    }
    check_opencl(cl::Event(done).wait(), "clWaitForEvents");
  }

  std::vector<float> result_at(
      const std::vector<std::pair<std::int64_t, std::int64_t>>& at) override {
    return read_elements(arena_, at);
  }

 private:
  Arena arena_;
};

}  // namespace

std::unique_ptr<Contender> clblast_contender(const Arena& arena) {
  return std::make_unique<ClblastContender>(arena);
}

}  // namespace tilewright

#else

namespace tilewright {

std::unique_ptr<Contender> clblast_contender(const Arena&) {
  return nullptr;
}

}  // namespace tilewright

#endif
