#include "tuner/bench/rivals.hpp"

namespace tilewright {
namespace {

class ProgramCompetitor : public Competitor {
 public:
  ProgramCompetitor(std::string name, std::shared_ptr<RivalProgram> program, const Arena& arena)
      : name_(std::move(name)), program_(std::move(program)) {
    const Workload& w = arena.workload;
    program_->set_product(w.problem().op, w.shape(), download(arena.queue, w.a().buffer),
                          download(arena.queue, w.b().buffer));
  }

  std::string name() const override { return name_; }
  std::string details() const override { return program_->details(); }
  void multiply() override { program_->run_ns(1); }
  double seconds_of(int calls) override { return 1e-9 * program_->run_ns(calls); }
  bool is_foreign() const override { return true; }
  std::vector<double> result_at(
      const std::vector<std::pair<std::int64_t, std::int64_t>>& at) override {
    const std::vector<float> values = program_->elements(at);
    return {values.begin(), values.end()};
  }

 private:
  std::string name_;
  std::shared_ptr<RivalProgram> program_;
};

}  // namespace

std::unique_ptr<Competitor> program_competitor(const std::string& name,
                                               std::shared_ptr<RivalProgram> program,
                                               const Arena& arena) {
  return std::make_unique<ProgramCompetitor>(name, std::move(program), arena);
}

}  // namespace tilewright
