#include "tuner/bench/rivals.hpp"

#include <chrono>
#include <filesystem>
#include <string_view>

#include "profiles/profile_text.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/device_identity.hpp"
#include "tuner/bench/openblas.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kProgramPrefix = "exec:";

class LibraryCompetitor : public Competitor {
 public:
  LibraryCompetitor(std::string name, Library library, int half_sums, const Arena& arena)
      : name_(std::move(name)),
        library_(std::move(library)),
        half_sums_(half_sums),
        arena_(arena),
        call_(call_of(arena.workload.problem())) {}

  std::string name() const override { return name_; }
  int half_sums() const override { return half_sums_; }

  void multiply() override {
    const Workload& w = arena_.workload;
    check_opencl(library_.gemm(arena_.queue, call_, w.a(), w.b(), w.c()).wait(), "clWaitForEvents");
  }

  std::vector<double> result_at(
      const std::vector<std::pair<std::int64_t, std::int64_t>>& at) override {
    return elements_of_c(arena_, at);
  }

 private:
  std::string name_;
  Library library_;
  int half_sums_;
  Arena arena_;
  GemmCall call_;
};

}  // namespace

double Competitor::seconds_of(int calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) multiply();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

GemmCall call_of(const GemmProblem& problem) {
  const auto transpose = [](Layout layout) {
    return layout == Layout::C() ? Transpose::kYes : Transpose::kNo;
  };
  GemmCall call;
  call.m = static_cast<std::size_t>(problem.shape.m);
  call.n = static_cast<std::size_t>(problem.shape.n);
  call.k = static_cast<std::size_t>(problem.shape.k);
  call.alpha = problem.alpha;
  call.beta = problem.beta;
  call.type = type_of(problem);
  call.trans_a = transpose(layout_a_of(problem.op));
  call.trans_b = transpose(layout_b_of(problem.op));
  return call;
}

std::vector<double> elements_of_c(const Arena& arena,
                                  const std::vector<std::pair<std::int64_t, std::int64_t>>& at) {
  const Matrix& c = arena.workload.c();
  const std::vector<double> host =
      download(arena.queue, c.buffer, arena.workload.problem().precision);
  const std::size_t ld = (arena.workload.problem().complex ? 2 : 1) * c.ld;
  std::vector<double> values;
  for (const auto& [i, j] : at) {
    values.push_back(host[static_cast<std::size_t>(i) * ld + static_cast<std::size_t>(j)]);
  }
  return values;
}

std::unique_ptr<Competitor> library_competitor(const std::string& name, Library library,
                                               int half_sums, const Arena& arena) {
  return std::make_unique<LibraryCompetitor>(name, std::move(library), half_sums, arena);
}

std::unique_ptr<Competitor> Rivals::make(const std::string& name, const Arena& arena) {
  if (name == "cblas") return cblas_competitor(arena);
  if (name == "clblast") return clblast_competitor(arena);
  cl_int code = CL_SUCCESS;
  const cl::Device device = arena.queue.getInfo<CL_QUEUE_DEVICE>(&code);
  check_opencl(code, "clGetCommandQueueInfo");
  if (is_program_name(name)) {
    std::shared_ptr<RivalProgram>& program = programs_[name];
    if (!program) {
      program =
          std::make_shared<RivalProgram>(name.substr(kProgramPrefix.size()), identify(device).name);
    }
    return program_competitor(name, program, arena);
  }
  const bool file = is_profile_name(name);
  const ProfileSource source = file ? ProfileSource::file(name) : ProfileSource::builtin();
  Library library = Library::open(arena.context, device, source);
  const int half_sums = file ? most_half_sums(load_profile(name)) : 0;
  return library_competitor(name, std::move(library), half_sums, arena);
}

bool is_profile_name(const std::string& rival) {
  return std::filesystem::path(rival).extension() == ".toml";
}

bool is_program_name(const std::string& rival) {
  return rival.starts_with(kProgramPrefix) && rival.size() > kProgramPrefix.size();
}

std::string why_missing(const std::string& rival) {
  return rival == "cblas" ? openblas().missing : missing_clblast();
}

std::vector<std::string> known_rivals() {
  return {"builtin", "cblas", "clblast"};
}

}  // namespace tilewright
