#include "tuner/networks/net_competitors.hpp"

#include <chrono>

#include "runtime/call/gemm_problem.hpp"
#include "runtime/device/device_matrix.hpp"
#include "tuner/bench/profile_choice.hpp"
#include "tuner/measure/measurement.hpp"

namespace tilewright {
namespace {

class LibraryNet : public NetCompetitor {
 public:
  LibraryNet(std::string name, Mlp net, const NetArena& arena)
      : name_(std::move(name)), net_(std::move(net)), arena_(arena) {}

  std::string name() const override { return name_; }

  void forward() override {
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
  std::string name_;
  Mlp net_;
  NetArena arena_;
};

}  // namespace

double NetCompetitor::seconds_of(int forwards) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < forwards; ++i) forward();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::unique_ptr<NetCompetitor> library_net(const std::string& name, Mlp net,
                                           const NetArena& arena) {
  return std::make_unique<LibraryNet>(name, std::move(net), arena);
}

std::unique_ptr<NetCompetitor> NetRivals::make(const std::string& name, const NetArena& arena) {
  if (name == "cblas") return cblas_net(arena);
  auto known = nets_.find(name);
  if (known == nets_.end()) {
    cl_int code = CL_SUCCESS;
    const cl::Device device = arena.on.queue.getInfo<CL_QUEUE_DEVICE>(&code);
    check_opencl(code, "clGetCommandQueueInfo");
    const Library library = Library::open(arena.on.context, device, choose_profile(name));
    known = nets_.emplace(name, Mlp(library, arena.model, type_of(arena.precision))).first;
  }
  return library_net(name, known->second, arena);
}

std::vector<std::string> known_net_rivals() {
  return {"builtin", "cblas"};
}

}  // namespace tilewright
