#include "tuner/bench/bench_worker.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "tuner/bench/bench_session.hpp"
#include "tuner/bench/profile_choice.hpp"

namespace tilewright {

BenchSession::BenchSession(const ListedDevice& listed, const BenchRequest& request,
                           Announce announced)
    : device(listed),
      announce(std::move(announced)),
      on(listed.device),
      library(Library::open(on.context, listed.device, choose_profile(request.profile))),
      competitors(on),
      floor(on.context, on.queue),
      random(request.seed) {}

BenchItem BenchSession::floor_item() {
  return {{FigureKind::kLaunchFloor, "launch floor"}, "the empty kernel", [this](int calls) {
            return floor.seconds_of(calls);
          }};
}

struct BenchWorker::Benches {
  Benches(const ListedDevice& device, const BenchRequest& request, const Announce& announce)
      : session(device, request, announce) {}

  BenchReply answer(const BenchRequest& request) {
    BenchReply reply;
    reply.profile = session.library.profile_origin();
    reply.result.op = request.op;
    reply.result.shape = request.shape;
    reply.result.batch = request.batch;
    if (request.model.empty()) {
      if (!products) products.emplace(session, request);
      products->measure(request, reply);
    } else {
      if (!net) net.emplace(session, request);
      net->measure(request, reply);
    }
    return reply;
  }

  BenchSession session;
  std::optional<ProductBench> products;
  std::optional<NetBench> net;
};

BenchWorker::BenchWorker(const ListedDevice& device, Announce announce)
    : device_(device), announce_(std::move(announce)) {}
BenchWorker::~BenchWorker() = default;

nlohmann::json BenchWorker::answer(const nlohmann::json& request) {
  const auto asked = request.get<BenchRequest>();
  if (!benches_) benches_ = std::make_unique<Benches>(device_, asked, announce_);
  return benches_->answer(asked);
}

}  // namespace tilewright
