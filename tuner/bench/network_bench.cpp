// Measures the forward pass of a network: its input, the check of its output, the competitors, and
// the device time of each step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "runtime/call/gemm_problem.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/device_matrix.hpp"
#include "tuner/bench/bench_report.hpp"
#include "tuner/bench/bench_worker.hpp"
#include "tuner/bench/competitors/competitors.hpp"
#include "tuner/bench/networks/network_argument.hpp"
#include "tuner/bench/networks/network_check.hpp"
#include "tuner/bench/networks/network_facts.hpp"
#include "tuner/measure/device/device_queue.hpp"
#include "tuner/measure/measurement.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {
namespace {

// Runs forward passes on a queue with timestamps. Timestamps may slow them down, so they are
// separate from the forward passes whose wall time is reported.
class TimedNetworkSteps {
 public:
  // The network must outlive it. Throws Error if the queue cannot be created.
  TimedNetworkSteps(const Network& net, const NetworkArena& arena);

  // Runs one forward pass that is not part of a sample. Throws Error.
  void warm_up();
  // Runs that many forward passes, whose steps form one sample, and returns their wall time in
  // seconds. The first call is an estimate, and no sample. A call with more passes than the one
  // before replaces it, which was too short (time_in_turns()). Throws Error.
  double time_runs(int forwards);

  // Returns each step with the device time of its commands, without the gaps between them. If the
  // driver's timestamps are unusable, a step has no samples.
  std::vector<BenchFigure> figures() const;

 private:
  void add_forward(std::vector<double>& step_ns);

  const Network& net_;
  NetworkArena arena_;
  cl::CommandQueue queue_;
  std::vector<std::vector<double>> samples_;  // [sample][step]; NaN: unusable timestamps
  int num_calls_ = 0;                         // of time_runs()
  int last_forwards_ = 0;                     // argument of the last one
  std::size_t steps_;
};

TimedNetworkSteps::TimedNetworkSteps(const Network& net, const NetworkArena& arena)
    : net_(net),
      arena_(arena),
      queue_(timed_queue(arena.on.context, arena.on.queue.getInfo<CL_QUEUE_DEVICE>())),
      steps_(net_.describe(arena.batch).size()) {}

void TimedNetworkSteps::add_forward(std::vector<double>& step_ns) {
  std::vector<std::pair<std::size_t, cl::Event>> commands;
  NetworkForward with;
  with.observer = [&](const NetCommand& command) {
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
  for (const StepDescription& step : net_.describe(arena_.batch)) {
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

// Uniform in [-1, 1].
std::vector<float> random_input(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> input(count);
  for (float& value : input) value = uniform(random);
  return input;
}

void write(const NetworkArena& arena, const Matrix& to, const std::vector<float>& from) {
  check_opencl(write_as(arena.on.queue, to.buffer, arena.precision, from),
               "filling a buffer (inputs)");
}

// The network is measured with its first output only.
NetworkModel measured_network(const std::string& argument, NetworkReading reading) {
  NetworkModel model =
      select_network_outputs(read_network_argument(argument, nullptr, reading), {0});
  if (num_inputs(model) == 1) return model;
  throw Error(TW_UNSUPPORTED_TYPE,
              fmt::format("the network has {} inputs; only networks with one input can be measured",
                          num_inputs(model)));
}

}  // namespace

NetworkBench::NetworkBench(BenchSession& session, const BenchRequest& request)
    : session_(session), model_(measured_network(request.model, NetworkReading::kForSpeed)) {}

const Network& NetworkBench::net(const BenchRequest& request) {
  if (!net_) net_.emplace(session_.library, model_, to_element_type(request.precision));
  return *net_;
}

void NetworkBench::answer(const BenchRequest& request, BenchReply& reply) {
  const Announce& announce = session_.announce;
  const std::string title = request.title();
  const NetworkFacts facts = make_network_facts(model_);
  const auto batch = static_cast<std::size_t>(request.batch);
  const auto inputs = static_cast<std::size_t>(facts.inputs);
  const auto outputs = static_cast<std::size_t>(facts.outputs);
  announce({WorkerActivityKind::kStart, "the input and the expected output of " + title,
            facts.flops / kSlowFlopsPerSecond});
  const std::vector<float> input = random_input(batch * inputs, request.seed);
  const NetworkArena arena{session_.on,
                           model_,
                           batch,
                           input,
                           {session_.on.floats(input.size()), 0, inputs},
                           {session_.on.floats(batch * outputs), 0, outputs},
                           request.precision};
  write(arena, arena.x, input);
  // The expected outputs are those of the graph as written, without simplifications.
  NetworkCheck check(measured_network(request.model, NetworkReading::kAsWritten), input, batch,
                     request.precision);
  const std::vector<float> nan(batch * outputs, std::numeric_limits<float>::quiet_NaN());
  const auto item = [&](BenchFigure figure, const std::string& what,
                        std::shared_ptr<NetworkCompetitor> competitor) {
    figure.work = facts.flops * static_cast<double>(batch);
    BenchItem made = competitor_item(std::move(figure), what, competitor);
    // Otherwise a competitor that writes nothing would pass with the output of the previous one.
    made.prepare = [&] { write(arena, arena.y, nan); };
    made.check = [&check, competitor, name = made.figure.name] {
      const std::string wrong = check.wrong(name, competitor->output());
      if (!wrong.empty()) throw Error(TW_INTERNAL, wrong + "; it is not measured");
    };
    return made;
  };
  std::vector<BenchItem> items;
  std::optional<TimedNetworkSteps> steps;
  const std::string label = "the kernels of the network on " + title;
  if (!request.is_excluded(label)) {
    announce({WorkerActivityKind::kBuild, label});
    reply.result.workspace_bytes = static_cast<std::int64_t>(net(request).workspace_bytes(batch));
    items.push_back(
        item({FigureKind::kOwn, "tilewright"}, label, library_network(net(request), arena)));
    steps.emplace(net(request), arena);
  }
  session_.add_competitors(
      request, reply,
      [&](const std::string& name) { return session_.competitors.net(name, arena); }, item, items);
  items.push_back(session_.floor_item());
  if (steps) {
    items.push_back({{},
                     label,
                     [&](int forwards) { return steps->time_runs(forwards); },
                     [&] { steps->warm_up(); }});
  }
  std::vector<BenchFigure>& figures = reply.result.figures;
  figures = measure_in_turns(items, request.seconds, session_.random, announce, reply.waits);
  if (!steps) return;
  figures.pop_back();  // the forward passes with timestamps; their steps are reported instead
  for (BenchFigure& step : steps->figures()) figures.push_back(std::move(step));
}

}  // namespace tilewright
