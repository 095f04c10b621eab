// How does a worker speak to its supervisor?
//
// The worker's end of the line. Nothing here knows what is asked, only how asking, announcing and
// answering go (worker_protocol.hpp).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tuner/records/worker_protocol.hpp"
#include "tuner/worker/worker_lines.hpp"

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

  // Waits for a request; nullopt: the supervisor is gone.
  std::optional<nlohmann::json> next_request();

  // Tells what comes next. What may take the board down waits until the supervisor has read it and
  // written it down: each kernel's first build and first launch, where the request's kernels are
  // new. Throws SupervisorGone.
  void announce(const WorkerActivity& phase);

  // One of them ends each request. Both throw SupervisorGone.
  void reply(const nlohmann::json& reply);
  // The exception that is being handled, by its kind.
  void reply_current_exception();

 private:
  std::optional<std::string> next_line();
  void write_line(const nlohmann::json& line);

  int descriptor_;
  std::string input_;
  bool is_new_ = false;    // what the request measures
  std::string reference_;  // of the request: built and launched beside what is new
  std::set<std::pair<WorkerActivityKind, std::string>> announced_;  // of the request
};

}  // namespace tilewright
