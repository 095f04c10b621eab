#include "tuner/process/worker_channel.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/process/worker_lines.hpp"

namespace tilewright {

WorkerChannel::WorkerChannel(int descriptor) : descriptor_(descriptor) {
  if (::fcntl(descriptor_, F_SETFD, FD_CLOEXEC) != 0) throw SupervisorGone();
}

WorkerChannel::~WorkerChannel() {
  ::close(descriptor_);
}

std::optional<std::string> WorkerChannel::next_line() {
  for (;;) {
    const std::size_t end = input_.find('\n');
    if (end != std::string::npos) {
      std::string line = input_.substr(0, end);
      input_.erase(0, end + 1);
      return line;
    }
    char buffer[4096];
    const ssize_t read = ::recv(descriptor_, buffer, sizeof buffer, 0);
    if (read > 0) {
      input_.append(buffer, static_cast<std::size_t>(read));
    } else if (read == 0 || errno != EINTR) {
      return std::nullopt;
    }
  }
}

void WorkerChannel::write_line(const nlohmann::json& line) {
  const std::string text = to_line(line) + '\n';
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t written =
        ::send(descriptor_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (written >= 0) {
      sent += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      throw SupervisorGone();
    }
  }
}

void WorkerChannel::announce(WorkerActivity activity) {
  activity.is_new = activity.is_new && announced_.insert({activity.kind, activity.what}).second;
  write_line({{"activity", activity}});
  if (activity.is_new && !next_line()) throw SupervisorGone();
}

void WorkerChannel::serve(
    const std::function<nlohmann::json(const nlohmann::json& request)>& answer) {
  try {
    while (const std::optional<std::string> request = next_line()) {
      announced_.clear();
      try {
        write_line({{"reply", answer(nlohmann::json::parse(*request))}});
      } catch (const SupervisorGone&) {
        throw;
      } catch (const std::exception&) {
        write_line(error_message(std::current_exception()));
      }
    }
  } catch (const SupervisorGone&) {
    // Nobody waits for the reply.
  }
}

}  // namespace tilewright
