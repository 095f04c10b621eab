// Measures products and networks for `bench` and `net bench`, in the worker process.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "runtime/api/library.hpp"
#include "runtime/device/profile_search.hpp"
#include "runtime/network/network.hpp"
#include "tuner/bench/bench_energy.hpp"
#include "tuner/bench/bench_item.hpp"
#include "tuner/bench/bench_protocol.hpp"
#include "tuner/bench/competitors/competitors.hpp"
#include "tuner/bench/device_plans.hpp"
#include "tuner/measure/device/device_choice.hpp"
#include "tuner/measure/device/device_queue.hpp"
#include "tuner/measure/rates/launch_bench.hpp"

namespace tilewright {

struct BenchSession {
  BenchSession(const ListedDevice& listed, const BenchRequest& request, Announce announced);
  BenchSession(const BenchSession&) = delete;  // competitors point to it
  BenchSession& operator=(const BenchSession&) = delete;

  // Adds the competitors of the request that this machine has. `make` creates a competitor from its
  // name, and `item` creates its item.
  template <class Make, class Item>
  void add_competitors(const BenchRequest& request, BenchReply& reply, const Make& make,
                       const Item& item, std::vector<BenchItem>& items) {
    for (const std::string& name : request.competitors) {
      const std::string what = name + " on " + request.title();
      if (request.is_excluded(name) || request.is_excluded(what)) continue;
      announce({WorkerActivityKind::kBuild, name});
      auto competitor = make(name);
      if (!competitor) {
        reply.not_here[name] = why_missing(name);
        continue;
      }
      if (!competitor->details().empty()) reply.details[name] = competitor->details();
      BenchItem added =
          item(BenchFigure{FigureKind::kCompetitor, name}, what, std::move(competitor));
      added.first = WorkerActivityKind::kBuild;  // it may compile in its first call
      items.push_back(std::move(added));
    }
  }
  BenchItem floor_item();

  const ListedDevice& device;
  Announce announce;
  DeviceQueue on;
  LibraryHandle library;
  Competitors competitors;
  LaunchFloor floor;
  std::mt19937_64 random;
  std::optional<EnergyTurns> energy;  // if the request asks for it
};

// Returns an item whose calls are runs of a competitor.
template <class Kind>
BenchItem competitor_item(BenchFigure figure, std::string what,
                          const std::shared_ptr<Kind>& competitor) {
  BenchItem item;
  item.figure = std::move(figure);
  item.what = std::move(what);
  item.time_runs = [competitor](int calls) { return competitor->time_runs(calls); };
  item.warm_up = [competitor] { competitor->run(); };
  item.process = competitor->process();
  return item;
}

class ProductBench {
 public:
  ProductBench(BenchSession& session, const BenchRequest& request);
  void answer(const BenchRequest& request, BenchReply& reply);

 private:
  ProductBench(BenchSession& session, FoundProfile found);
  // Adds an item for each plan of the profile whose kernels can be loaded.
  template <class MakeItem>
  void add_plans(const BenchRequest& request, const ProductArena& arena, const MakeItem& item,
                 BenchReply& reply, std::vector<BenchItem>& items);

  BenchSession& session_;
  DevicePlans plans_;
  TemporaryPool temporaries_;
};

class NetworkBench {
 public:
  // Throws ModelError if the model cannot be read.
  NetworkBench(BenchSession& session, const BenchRequest& request);
  void answer(const BenchRequest& request, BenchReply& reply);

 private:
  const Network& net(const BenchRequest& request);

  BenchSession& session_;
  NetworkModel model_;
  std::optional<Network> net_;
};

class BenchWorker {
 public:
  // `announce` is called before each activity that may crash the process.
  BenchWorker(const ListedDevice& device, Announce announce)
      : device_(device), announce_(std::move(announce)) {}
  // Handles a request of run_benchmark(). Throws Error if it cannot be measured.
  nlohmann::json answer(const nlohmann::json& request);

 private:
  const ListedDevice& device_;
  Announce announce_;
  bool is_new_ = false;  // the kernels of the request are new on its product
  // Set since the first request.
  std::optional<BenchSession> session_;
  std::optional<ProductBench> products_;
  std::optional<NetworkBench> net_;
};

}  // namespace tilewright
