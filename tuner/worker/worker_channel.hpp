// The worker's end of the line to its supervisor.
//
// Receives requests, announces phases and sends replies (worker_protocol.hpp). Knows nothing of
// what is asked.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

// The supervisor has gone while the worker was at work: there is nobody left to answer.
class SupervisorGone : public std::exception {
 public:
  const char* what() const noexcept override { return "the supervisor is gone"; }
};

class WorkerChannel {
 public:
  // Takes over the descriptor that the supervisor handed down, and keeps it from this process' own
  // children.
  explicit WorkerChannel(int descriptor);
  ~WorkerChannel();
  WorkerChannel(const WorkerChannel&) = delete;
  WorkerChannel& operator=(const WorkerChannel&) = delete;

  // Answers requests until the supervisor is gone: with what `answer` returns, or with the
  // exception that it throws.
  void serve(const std::function<nlohmann::json(const nlohmann::json& request)>& answer);

  // Sends what comes next. Waits until the supervisor has written it down where it may take the
  // board down: before each kernel's first build and first launch, if the request's kernels are
  // new. Throws SupervisorGone.
  void announce(const WorkerActivity& phase);

 private:
  std::optional<nlohmann::json> next_request();  // nullopt: the supervisor is gone
  std::optional<std::string> next_line();
  void write_line(const nlohmann::json& line);

  int descriptor_;
  std::string input_;
  bool is_new_ = false;    // what the request measures
  std::string reference_;  // of the request: it is known, and built and launched for comparison
  std::set<std::pair<WorkerActivityKind, std::string>> announced_;  // of the request
};

}  // namespace tilewright
