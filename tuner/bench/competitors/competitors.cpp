#include "tuner/bench/competitors/competitors.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "profiles/base/usage_error.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/device_identity.hpp"
#include "runtime/device/device_matrix.hpp"
#include "tuner/bench/competitors/openblas.hpp"
#include "tuner/measure/device/profile_choice.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kProgramPrefix = "exec:";

class LibraryProduct : public DeviceProduct {
 public:
  LibraryProduct(LibraryHandle library, int half_sums, const ProductArena& arena)
      : DeviceProduct(arena),
        library_(std::move(library)),
        half_sums_(half_sums),
        call_(to_gemm_call(arena.workload.problem())) {}

  int half_sums() const override { return half_sums_; }
  std::vector<std::string> kernels() override { return library_->kernels_for(call_); }

  void run() override {
    const Workload& w = arena_.workload;
    check_opencl(library_->gemm(arena_.on.queue, call_, w.a(), w.b(), w.c()).wait(),
                 "clWaitForEvents");
  }

 private:
  LibraryHandle library_;
  int half_sums_;
  GemmCall call_;
};

class LibraryNetwork : public NetworkCompetitor {
 public:
  LibraryNetwork(const Network& net, const NetworkArena& arena) : net_(net), arena_(arena) {}

  void run() override {
    check_opencl(net_.forward(arena_.on.queue, arena_.x, arena_.y, arena_.batch).wait(),
                 "clWaitForEvents");
  }

  std::vector<float> output() const override {
    std::vector<float> output(arena_.batch * net_.outputs());
    check_opencl(read_as(arena_.on.queue, arena_.y.buffer, arena_.precision, output),
                 "reading a buffer (outputs)");
    return output;
  }

 private:
  const Network& net_;
  const NetworkArena arena_;
};

class ProgramProduct : public ProductCompetitor {
 public:
  ProgramProduct(std::shared_ptr<CompetitorProgram> program, const ProductArena& arena)
      : program_(std::move(program)) {
    const Workload& w = arena.workload;
    program_->set_product(w.problem().op, w.shape(), download(arena.on.queue, w.a().buffer),
                          download(arena.on.queue, w.b().buffer));
  }

  std::string details() const override { return program_->details(); }
  void run() override { program_->run_ns(1); }
  double time_runs(int runs) override { return 1e-9 * program_->run_ns(runs); }
  pid_t process() const override { return program_->process(); }
  std::vector<double> result_at(const Elements& at) override {
    const std::vector<float> values = program_->elements(at);
    return {values.begin(), values.end()};
  }

 private:
  std::shared_ptr<CompetitorProgram> program_;
};

bool is_profile_name(const std::string& name) {
  return std::filesystem::path(name).extension() == ".toml";
}

cl::Device queue_device(const cl::CommandQueue& queue) {
  cl_int code = CL_SUCCESS;
  cl::Device device = queue.getInfo<CL_QUEUE_DEVICE>(&code);
  check_opencl(code, "clGetCommandQueueInfo");
  return device;
}

void check_competitors(const std::vector<std::string>& names, const std::vector<std::string>& known,
                       bool programs) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end() || is_profile_name(name) ||
        (programs && is_program_name(name))) {
      continue;
    }
    throw UsageError(fmt::format("--compare: '{}' is not one of {}, a profile (FILE.toml){}", name,
                                 fmt::join(known, ", "),
                                 programs ? " or a program (exec:PATH)" : ""));
  }
}

}  // namespace

double Competitor::time_runs(int runs) {
  const double start_s = steady_now_s();
  for (int i = 0; i < runs; ++i) run();
  return steady_now_s() - start_s;
}

std::vector<double> DeviceProduct::result_at(const Elements& at) {
  const Matrix& c = arena_.workload.c();
  const GemmProblem& problem = arena_.workload.problem();
  const std::vector<double> host = download(arena_.on.queue, c.buffer, problem.precision);
  const std::size_t ld = (problem.complex ? 2 : 1) * c.ld;
  std::vector<double> values;
  for (const auto& [i, j] : at) {
    values.push_back(host[static_cast<std::size_t>(i) * ld + static_cast<std::size_t>(j)]);
  }
  return values;
}

GemmCall to_gemm_call(const GemmProblem& problem) {
  const auto transpose = [](Layout layout) {
    return layout == Layout::C() ? Transpose::kYes : Transpose::kNo;
  };
  GemmCall call;
  call.m = static_cast<std::size_t>(problem.shape.m);
  call.n = static_cast<std::size_t>(problem.shape.n);
  call.k = static_cast<std::size_t>(problem.shape.k);
  call.alpha = problem.alpha;
  call.beta = problem.beta;
  call.type = to_element_type(problem);
  call.trans_a = transpose(op_layout_a(problem.op));
  call.trans_b = transpose(op_layout_b(problem.op));
  return call;
}

std::unique_ptr<ProductCompetitor> library_product(LibraryHandle library, int half_sums,
                                                   const ProductArena& arena) {
  return std::make_unique<LibraryProduct>(std::move(library), half_sums, arena);
}

std::unique_ptr<NetworkCompetitor> library_network(const Network& net, const NetworkArena& arena) {
  return std::make_unique<LibraryNetwork>(net, arena);
}

const LibraryHandle& Competitors::library(const std::string& name) {
  auto known = libraries_.find(name);
  if (known == libraries_.end()) {
    known = libraries_
                .emplace(name,
                         Library::open(on_.context, queue_device(on_.queue), choose_profile(name)))
                .first;
  }
  return known->second;
}

std::unique_ptr<ProductCompetitor> Competitors::product(const std::string& name,
                                                        const ProductArena& arena) {
  if (name == "cblas") return cblas_product(arena);
  if (name == "clblast") return clblast_product(arena);
  if (is_program_name(name)) {
    std::shared_ptr<CompetitorProgram>& program = programs_[name];
    if (!program) {
      program = std::make_shared<CompetitorProgram>(name.substr(kProgramPrefix.size()),
                                                    identify(queue_device(on_.queue)).name);
    }
    return std::make_unique<ProgramProduct>(program, arena);
  }
  const int half_sums = is_profile_name(name) ? max_half_sums(load_profile(name)) : 0;
  return library_product(library(name), half_sums, arena);
}

std::unique_ptr<NetworkCompetitor> Competitors::net(const std::string& name,
                                                    const NetworkArena& arena) {
  if (name == "cblas") return cblas_network(arena);
  auto known = nets_.find(name);
  if (known == nets_.end()) {
    known =
        nets_.try_emplace(name, library(name), arena.model, to_element_type(arena.precision)).first;
  }
  return library_network(known->second, arena);
}

void check_product_competitors(const std::vector<std::string>& names) {
  check_competitors(names, {"builtin", "cblas", "clblast"}, true);
}

void check_network_competitors(const std::vector<std::string>& names) {
  check_competitors(names, {"builtin", "cblas"}, false);
}

bool is_program_name(const std::string& name) {
  return name.starts_with(kProgramPrefix) && name.size() > kProgramPrefix.size();
}

std::string why_missing(const std::string& name) {
  if (name != "cblas") return missing_clblast();
  return openblas().missing.empty() ? "it runs sequences of affine layers and activations only"
                                    : openblas().missing;
}

}  // namespace tilewright
