#include "tuner/networks/net_steps.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/device/timed_queue.hpp"
#include "tuner/measure/measurement.hpp"

namespace tilewright {

NetSteps::NetSteps(Mlp net, const NetArena& arena)
    : net_(std::move(net)),
      arena_(arena),
      queue_(timed_queue(arena.on.context, arena.on.queue.getInfo<CL_QUEUE_DEVICE>())),
      steps_(net_.describe(arena.batch).size()) {}

void NetSteps::add_forward(std::vector<double>& step_ns) {
  std::vector<std::pair<std::size_t, cl::Event>> commands;
  MlpForward with;
  with.observer = [&](const MlpCommand& command) {
    commands.emplace_back(command.step, command.event);
  };
  check_opencl(net_.forward(queue_, arena_.x, arena_.y, arena_.batch, {}, with).wait(),
               "clWaitForEvents");
  for (const auto& [step, event] : commands) {
    step_ns[step] += event_ns(event).value_or(std::numeric_limits<double>::quiet_NaN());
  }
}

double NetSteps::seconds_of(int forwards) {
  std::vector<double> step_ns(steps_, 0.0);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < forwards; ++i) add_forward(step_ns);
  const auto end = std::chrono::steady_clock::now();
  for (double& ns : step_ns) ns /= forwards;
  samples_.push_back(std::move(step_ns));
  return std::chrono::duration<double>(end - begin).count();
}

std::vector<std::optional<Summary>> NetSteps::device_ns() const {
  std::vector<std::optional<Summary>> all;
  for (std::size_t step = 0; step < steps_; ++step) {
    std::vector<double> sane;
    for (std::size_t i = 1; i < samples_.size(); ++i) {
      if (!std::isnan(samples_[i][step])) sane.push_back(samples_[i][step]);
    }
    all.push_back(sane.empty() ? std::nullopt : std::optional(summarize(sane)));
  }
  return all;
}

}  // namespace tilewright
