// How is a worker replaced without anybody waiting for it?
//
// One request at a time goes to a worker process. Where the last one was lost, a new one is
// started, opens the device and passes a health check first; all of that happens inside poll().
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "tuner/worker/device_worker.hpp"

namespace tilewright {

// Why there is no reply to a request.
struct LostRequest {
  bool overstayed = false;
  bool out_of_time = false;  // the time for all was over, and it may merely have been late
  bool answered = false;     // the worker lives, but reported an error
  bool killed = false;       // from outside: the system, or a person, may be to blame
  Phase phase;               // the last that was announced; kStart: none was
  std::string how;           // a predicate: "died of SIGSEGV", "reported an error: ..."
  std::string last_words;
};
using RequestEnd = std::variant<nlohmann::json, LostRequest>;

class ReplaceableWorker {
 public:
  // Starts the first one.
  explicit ReplaceableWorker(WorkerSetup setup);

  // Waits for the first one. Throws as DeviceWorker's constructor does.
  void open();
  const DeviceFacts& facts() const { return facts_; }

  // `message` is called when the worker is ready for it; `fresh`: it has never been asked anything.
  using Message = std::function<nlohmann::json(bool fresh)>;
  void start(Message message);
  bool busy() const { return step_ != Step::kIdle; }
  // nullopt: still at work. Throws DeviceLost.
  std::optional<RequestEnd> poll();
  // No build or launch lasts longer than kGrace_s beyond this.
  void end_by(std::optional<std::chrono::steady_clock::time_point> end);
  // Wall time from the worker's being ready for the request to its end.
  double took_s() const { return took_s_; }

  WorkerProcess& process() { return *process_; }
  // The next request finds a new worker.
  void abandon();

  std::function<void(const Phase&)> on_phase;

 private:
  enum class Step { kIdle, kOpening, kChecking, kAtWork };

  void launch();
  void send_request();
  RequestEnd request_end(const nlohmann::json& message);
  RequestEnd lose(LostRequest lost);
  void advance(const WorkerAnswer& answer);
  void health_failed(const std::string& what);

  WorkerSetup setup_;
  std::unique_ptr<WorkerProcess> process_;
  DeviceFacts facts_;
  Step step_ = Step::kIdle;
  Message message_;
  bool fresh_ = true;
  int failed_checks_ = 0;  // in a row
  std::string last_loss_;  // a sentence
  std::chrono::steady_clock::time_point begin_;
  double took_s_ = 0.0;
};

}  // namespace tilewright
