#include "tuner/bench/timed_network_steps.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "runtime/call/opencl_error.hpp"
#include "tuner/measure/device/timed_queue.hpp"
#include "tuner/measure/measurement.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {

TimedNetworkSteps::TimedNetworkSteps(Mlp net, const NetworkArena& arena)
    : net_(std::move(net)),
      arena_(arena),
      queue_(timed_queue(arena.on.context, arena.on.queue.getInfo<CL_QUEUE_DEVICE>())),
      steps_(net_.describe(arena.batch).size()) {}

void TimedNetworkSteps::add_forward(std::vector<double>& step_ns) {
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

void TimedNetworkSteps::warm_up() {
  std::vector<double> ignored(steps_, 0.0);
  add_forward(ignored);
}

double TimedNetworkSteps::time_runs(int forwards) {
  std::vector<double> step_ns(steps_, 0.0);
  const double start_s = steady_now_s();
  for (int i = 0; i < forwards; ++i) add_forward(step_ns);
  const double took_s = steady_now_s() - start_s;
  for (double& ns : step_ns) ns /= forwards;
  // time_in_turns() begins with an estimate, and repeats a sample that was too short with more
  // calls.
  const bool replaces = num_calls_ == 1 || forwards > last_forwards_;
  if (replaces && !samples_.empty()) samples_.pop_back();
  ++num_calls_;
  last_forwards_ = forwards;
  samples_.push_back(std::move(step_ns));
  return took_s;
}

std::vector<BenchFigure> TimedNetworkSteps::figures() const {
  std::vector<BenchFigure> all;
  for (const MlpStep& step : net_.describe(arena_.batch)) {
    BenchFigure figure{FigureKind::kStep, step.name, step.kernels, step.flops};
    figure.predicted_ns = step.predicted_ns.value_or(0.0);
    figure.inputs = static_cast<std::int64_t>(step.inputs);
    figure.outputs = static_cast<std::int64_t>(step.outputs);
    for (const std::vector<double>& sample : samples_) {
      const double ns = sample[all.size()];
      if (!std::isnan(ns)) figure.samples_ns.push_back(ns);
    }
    all.push_back(std::move(figure));
  }
  return all;
}

}  // namespace tilewright
