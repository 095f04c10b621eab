// What stands here beside a table of theirs?
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/device_choice.hpp"
#include "tuner/tables/table_report.hpp"
#include "tuner/worker/device_worker.hpp"

namespace tilewright {

struct TableRequest {
  WorkerSetup setup;              // names the device
  std::string profile;            // as choose_profile() takes it
  std::vector<GemmShape> shapes;  // instead of theirs; empty: theirs
  double seconds = 2.0;           // measuring time of a row
  double max_dispatch_ns = MeasureOptions{}.max_dispatch_ns;
  std::string command;                                                       // goes into the report
  std::function<void(const std::string&)> told = [](const std::string&) {};  // what is measured
};

// The request and what it needs, which is opened when it is first asked for: many tables need no
// device.
class TableBench {
 public:
  explicit TableBench(TableRequest request) : request_(std::move(request)) {}

  // Throws Error if the device or its driver is broken, UsageError if there is none.
  TableReport run(const SeedTable& table);

  const TableRequest& request() const { return request_; }
  DeviceWorker& worker();
  const ListedDevice& device();
  // As the profile knows it; else it is measured, once. GFLOPS; 0: it cannot be.
  double peak_gflops(const DeviceRates& known);

 private:
  TableRequest request_;
  DeviceList devices_;
  std::unique_ptr<DeviceWorker> worker_;
  std::optional<double> peak_gflops_;
};

// By kind; each in a file of its own or with its like.
TableReport kernels_table(const SeedTable& table, TableBench& bench);
TableReport footprint_table(const SeedTable& table);
TableReport misses_table(const SeedTable& table);
TableReport layers_table(const SeedTable& table);
TableReport nets_table(const SeedTable& table, TableBench& bench);
TableReport products_table(const SeedTable& table, TableBench& bench);
TableReport device_table(const SeedTable& table, TableBench& bench);
TableReport order_table(const SeedTable& table, TableBench& bench);

}  // namespace tilewright
