#include "tuner/tables/table_bench.hpp"

#include <stdexcept>

namespace tilewright {

DeviceWorker& TableBench::worker() {
  if (!worker_) worker_ = std::make_unique<DeviceWorker>(request_.setup);
  return *worker_;
}

const ListedDevice& TableBench::device() {
  if (devices_.devices.empty()) devices_ = list_devices();
  return choose_device(devices_, request_.setup.device);
}

double TableBench::peak_gflops(const DeviceRates& known) {
  constexpr double kMost_s = 20.0;
  if (known.peak_gflops > 0.0) return known.peak_gflops;
  if (!peak_gflops_) {
    const auto answer = worker().measure_rates(kMost_s);
    const auto* reply = std::get_if<RatesReply>(&answer);
    peak_gflops_ = reply == nullptr ? 0.0 : reply->rates.peak_gflops;
  }
  return *peak_gflops_;
}

TableReport TableBench::run(const SeedTable& table) {
  if (table.kind == "kernels") return kernels_table(table, *this);
  if (table.kind == "footprint") return footprint_table(table);
  if (table.kind == "misses") return misses_table(table);
  if (table.kind == "layers") return layers_table(table);
  if (table.kind == "nets") return nets_table(table, *this);
  if (table.kind == "products") return products_table(table, *this);
  if (table.kind == "device") return device_table(table, *this);
  if (table.kind == "order") return order_table(table, *this);
  if (table.kind != "notes") throw std::logic_error("no such kind of table: " + table.kind);
  return {{their_grid(table)}, {table.data.at("reason")}, std::nullopt, 0};
}

}  // namespace tilewright
