// The worker's end of the connection to its supervisor.
//
// It receives requests, announces activities and sends replies (worker_protocol.hpp). It does not
// interpret the contents of requests.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// Thrown if the supervisor has gone while the worker was busy, so that nobody waits for the reply.
class SupervisorGone : public std::exception {
 public:
  const char* what() const noexcept override { return "the supervisor is gone"; }
};

// The worker's end of the socket. Not thread-safe.
class WorkerChannel {
 public:
  // Takes ownership of the socket that the supervisor passed to this process. Child processes of
  // this process do not inherit it.
  explicit WorkerChannel(int descriptor);
  ~WorkerChannel();
  WorkerChannel(const WorkerChannel&) = delete;
  WorkerChannel& operator=(const WorkerChannel&) = delete;

  // Replies to requests until the supervisor is gone. `answer` handles a request; its result, or
  // the exception that it throws, is sent back.
  void serve(const std::function<nlohmann::json(const nlohmann::json& request)>& answer);

  // Announces the next activity to the supervisor. The first announcement with `is_new` of a kind
  // and name in a request returns only after the supervisor has recorded it. Further ones are sent
  // without `is_new`. Throws SupervisorGone.
  void announce(WorkerActivity activity);

 private:
  std::optional<std::string> next_line();  // nullopt: the supervisor is gone
  void write_line(const nlohmann::json& line);

  int descriptor_;
  std::string input_;
  // What was announced with `is_new` during this request.
  std::set<std::pair<WorkerActivityKind, std::string>> announced_;
};

}  // namespace tilewright
