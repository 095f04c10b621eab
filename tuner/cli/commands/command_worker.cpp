#include <stdlib.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <thread>

#include "profiles/base/shared_library.hpp"
#include "profiles/base/usage_error.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "runtime/device/device_identity.hpp"
#include "runtime/opencl/opencl_loader.hpp"
#include "tuner/bench/bench_worker.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/measure/device/device_queue.hpp"
#include "tuner/measure/device/device_sensors.hpp"
#include "tuner/measure/session/measuring.hpp"
#include "tuner/process/worker_channel.hpp"

namespace tilewright {
namespace {

struct WorkerArguments {
  std::string device;
  std::string cache_dir;
  std::string sysfs = "/sys";
  std::string icd;
  double settle_s = 0.0;
  int channel = -1;
};

// If memory runs out, the system should kill the worker rather than the supervisor, which writes
// the journal. Errors are ignored.
void volunteer_for_the_oom_killer() {
  std::ofstream("/proc/self/oom_score_adj") << 500;
}

// Handles requests. The device is opened at the first request that needs it.
class RequestHandler {
 public:
  RequestHandler(const WorkerArguments& arguments, WorkerChannel& channel)
      : arguments_(arguments), channel_(channel) {}

  nlohmann::json answer(const nlohmann::json& message) {
    const std::string what = message.at("do");
    if (what == "devices") return listed();
    // A library whose constructors crash kills the worker, which the supervisor notices.
    if (what == "load") return SharedLibrary(message.at("library").get<std::string>()).failure();
    if (!session_) open();
    if (what == "hello") return opened();
    if (what == "health") {
      session_->health_check();
      return true;
    }
    if (what == "rates") {
      return session_->measure_rates(message.at("seconds").get<double>(),
                                     message.at("known").get<DeviceRates>(),
                                     message.value("precision", Precision::kSingle));
    }
    if (what == "bench") return bench_->answer(message.at("request"));
    if (what == "measure") {
      const auto request = message.at("request").get<MeasureRequest>();
      return {{"outcomes", Measuring(*session_, request).run()}};
    }
    throw UsageError("a worker cannot '" + what + "'");
  }

 private:
  static nlohmann::json listed() {
    const DeviceList list = enumerate_devices();
    nlohmann::json devices = nlohmann::json::array();
    for (const ListedDevice& device : list.devices) {
      devices.push_back({{"type", to_text(device_kind(device.device))},
                         {"unified_memory", shares_host_memory(device.device)},
                         {"timers", has_timers(device.device)},
                         {"identity", device.identity},
                         {"obstacle", device.obstacle}});
    }
    std::vector<SensorInfo> gpu_sensors;
    for (const EnergySensor& sensor : find_nvml_sensors(sensor_places().nvml)) {
      gpu_sensors.push_back(sensor.info);
    }
    const OpenClLoader loader = opencl_loader();
    return {{"devices", devices},
            {"gpu_sensors", gpu_sensors},
            {"failures", list.failures},
            {"loader",
             {{"path", loader.path},
              {"has_usual_versions", loader.has_usual_versions},
              {"missing", loader.missing},
              {"tried", loader.tried}}}};
  }

  // Returns the description of the device and the failures of others. The supervisor prints the
  // failures, because the standard error of this process is not shown.
  OpenedDevice opened() const {
    OpenedDevice opened = session_->opened();
    opened.device.name_is_shared = shares_name(listed_.devices, opened.device.identity);
    opened.failures = listed_.failures;
    return opened;
  }

  void open() {
    std::this_thread::sleep_for(std::chrono::duration<double>(arguments_.settle_s));
    listed_ = enumerate_devices();
    const ListedDevice& device = choose_device(listed_, arguments_.device);
    const auto announce = [this](const WorkerActivity& activity) { channel_.announce(activity); };
    session_ =
        std::make_unique<DeviceSession>(device, arguments_.cache_dir, announce, arguments_.sysfs);
    bench_ = std::make_unique<BenchWorker>(device, announce);
  }

  const WorkerArguments& arguments_;
  WorkerChannel& channel_;
  DeviceList listed_;
  std::unique_ptr<DeviceSession> session_;
  std::unique_ptr<BenchWorker> bench_;
};

void run_worker(const WorkerArguments& arguments) {
  // This must be set before the loader searches for drivers.
  if (!arguments.icd.empty()) ::setenv("OCL_ICD_VENDORS", arguments.icd.c_str(), 1);
  // The library that measures whole calls uses the same cache. A tuning must not displace the
  // kernels of applications.
  if (!arguments.cache_dir.empty()) ::setenv("TILEWRIGHT_CACHE", arguments.cache_dir.c_str(), 1);
  volunteer_for_the_oom_killer();
  WorkerChannel channel(arguments.channel);
  RequestHandler handler(arguments, channel);
  channel.serve([&](const nlohmann::json& request) { return handler.answer(request); });
}

}  // namespace

void add_worker_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "worker", "Own the device on behalf of a tuning, which starts and replaces this process");
  command->group("");  // not shown in --help, because users do not need it
  auto a = std::make_shared<WorkerArguments>();
  command->add_option("--device", a->device, "as tune takes it");
  command->add_option("--cache-dir", a->cache_dir, "of program binaries; empty: none");
  command->add_option("--sysfs", a->sysfs, "where the device's clock is looked for");
  command->add_option("--icd", a->icd, "the one driver's .icd file that the loader is to read");
  command->add_option("--settle", a->settle_s, "seconds to wait before the device is opened")
      ->check(CLI::Range(0.0, 60.0));
  command->add_option("--channel", a->channel, "descriptor of the socket to the supervisor")
      ->required();
  command->callback([a] { run_worker(*a); });
}

}  // namespace tilewright
