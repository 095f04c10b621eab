#include "tuner/bench/bench_worker.hpp"

#include <nlohmann/json.hpp>

#include "tuner/measure/device/device_sensors.hpp"

namespace tilewright {

BenchSession::BenchSession(const ListedDevice& listed, const BenchRequest& request,
                           Announce announced)
    : device(listed),
      announce(std::move(announced)),
      on(listed.device),
      library(Library::open(on.context, listed.device, request.source())),
      competitors(on),
      floor(on.context, on.queue),
      random(request.seed) {
  if (!request.energy) return;
  EnergyRule rule;
  rule.min_s = request.energy_sample_s;
  energy.emplace(find_device_sensors(device, request.sensors), rule);
  energy->measure_idle(announce);
}

BenchItem BenchSession::floor_item() {
  return {{FigureKind::kLaunchFloor, "launch floor"},
          "the empty kernel",
          [this](int launches) { return floor.time_runs(launches); },
          [this] { floor.time_runs(1); }};
}

nlohmann::json BenchWorker::answer(const nlohmann::json& request) {
  const auto asked = request.get<BenchRequest>();
  is_new_ = asked.is_new;
  if (!session_) {
    session_.emplace(device_, asked, [this](WorkerActivity activity) {
      activity.is_new = is_new_ && activity.kind != WorkerActivityKind::kStart;
      announce_(activity);
    });
  }
  BenchReply reply;
  reply.profile = session_->library->origin();
  reply.result.op = asked.op;
  reply.result.shape = asked.shape;
  reply.result.batch = asked.batch;
  if (asked.model.empty()) {
    if (!products_) products_.emplace(*session_, asked);
    products_->answer(asked, reply);
  } else {
    if (!net_) net_.emplace(*session_, asked);
    net_->answer(asked, reply);
  }
  return reply;
}

}  // namespace tilewright
